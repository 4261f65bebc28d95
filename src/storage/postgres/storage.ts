import type { Storage } from '../storage.ts'
import { erasureStore } from '../sql/erasures.ts'
import { holdingsStore } from '../sql/holdings.ts'
import { auditStore } from '../sql/audit.ts'
import { accountStore } from '../sql/accounts.ts'
import { sessionStore } from '../sql/sessions.ts'
import { chatStore } from './chats.ts'
import { communityStore } from '../sql/community.ts'
import { eventStore } from '../sql/events.ts'
import type { Database } from './database.ts'
import { postgresDialect } from './dialect.ts'
import { postgresEngine } from './engine.ts'
import { eventsAfterEach } from './events.ts'
import { lastSeenStore } from './last-seen.ts'
import { locationStore } from './location.ts'
import { mediaStore } from '../sql/media.ts'
import { fits } from '../migrate.ts'
import { status } from './migrate.ts'
import { figuresStore } from '../sql/figures.ts'
import { moderationStore } from '../sql/moderation.ts'
import { queueStore } from '../sql/report-queue.ts'
import { tagStore } from '../sql/tags.ts'
import { ageStore } from '../sql/ages.ts'
import { announcementStore } from '../sql/announcements.ts'
import { templateStore } from '../sql/templates.ts'
import { noticeStore } from '../sql/notices.ts'
import { nodeStore } from './nodes.ts'
import { botStore } from '../sql/bot.ts'
import { emailStore } from '../sql/email.ts'
import { filterStore } from '../sql/filter.ts'
import { imageBankStore } from '../sql/image-bank.ts'
import { identityStore } from '../sql/identities.ts'
import { inviteStore } from '../sql/invites.ts'
import { peopleStore } from '../sql/people.ts'
import { notificationStore } from '../sql/notifications.ts'
import { passkeyStore } from '../sql/passkeys.ts'
import { outboxStore } from '../sql/outbox.ts'
import { userStore } from '../sql/users.ts'
import { hotUsers } from './users.ts'
import { retentionStore } from '../sql/retention.ts'
import { reviewStore } from '../sql/reviews.ts'
import { blockStore } from '../sql/blocks.ts'
import { reportStore } from '../sql/reports.ts'
import { blockChecks } from './blocks.ts'
import { hotSessions } from './sessions.ts'
import { jobLeaseStore } from './job-leases.ts'

/** Storage over a migrated PostgreSQL database. */
export function postgresStorage(db: Database): Storage {
  const engine = postgresEngine(db)
  const events = eventStore(postgresDialect(db), engine)
  return {
    users: userStore(engine, hotUsers(db)),
    accounts: accountStore(engine),
    sessions: sessionStore(engine, hotSessions(db)),
    audit: auditStore(engine),
    blocks: blockStore(engine, blockChecks(db)),
    reports: reportStore(engine),
    reviews: reviewStore(engine),
    notices: noticeStore(engine),
    moderation: moderationStore(engine),
    queue: queueStore(engine),
    templates: templateStore(engine),
    announcements: announcementStore(engine),
    ages: ageStore(engine),
    figures: figuresStore(engine),
    tags: tagStore(engine),
    media: mediaStore(engine, postgresDialect(db)),
    events: { ...events, afterEach: eventsAfterEach(db, events) },
    lastSeen: lastSeenStore(db),
    chats: chatStore(db, engine),
    locations: locationStore(db),
    // The server vacuums old row versions itself, and its operator decides how long archived logs are kept.
    erasures: erasureStore(engine, async () => {}),
    holdings: holdingsStore(engine),
    retention: retentionStore(engine),
    community: communityStore(engine),
    jobLeases: jobLeaseStore(db),
    nodes: nodeStore(db),
    outbox: outboxStore(engine),
    bot: botStore(engine),
    emails: emailStore(engine),
    identities: identityStore(engine),
    invites: inviteStore(engine),
    filter: filterStore(engine),
    imageBank: imageBankStore(engine),
    people: peopleStore(engine),
    notifications: notificationStore(engine),
    passkeys: passkeyStore(engine),

    // The database is not on this machine: a failure needs no action, as the next request tries again.
    failed: () => {},

    schemaFits: () => fits(() => db.read(status)),

    size: async () => {
      const row = await db.read((q) => q.one<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes'))
      return { database: row.bytes, log: 0 }
    },

    close: db.close,
  }
}
