import type { Storage } from '../storage.ts'
import { erasureStore, holdingsStore } from './account.ts'
import { auditStore } from './audit.ts'
import { accountStore, sessionStore } from './auth.ts'
import { chatStore } from './chats.ts'
import { communityStore } from './community.ts'
import type { Database } from './database.ts'
import { eventStore } from './events.ts'
import { locationStore } from './location.ts'
import { mediaStore } from './media.ts'
import { status } from './migrate.ts'
import { moderationStore, noticeStore } from './moderation.ts'
import { userStore } from './profile.ts'
import { retentionStore } from './retention.ts'
import { reviewStore } from './reviews.ts'
import { blockStore, reportStore } from './safety.ts'
import { turnStore } from './turns.ts'

/** Storage over a migrated PostgreSQL database. */
export function postgresStorage(db: Database): Storage {
  return {
    users: userStore(db),
    accounts: accountStore(db),
    sessions: sessionStore(db),
    audit: auditStore(db),
    blocks: blockStore(db),
    reports: reportStore(db),
    reviews: reviewStore(db),
    notices: noticeStore(db),
    moderation: moderationStore(db),
    media: mediaStore(db),
    events: eventStore(db),
    chats: chatStore(db),
    locations: locationStore(db),
    erasures: erasureStore(db),
    holdings: holdingsStore(db),
    retention: retentionStore(db),
    community: communityStore(db),
    turns: turnStore(db),

    // Nothing of it is on this machine: what fails is answered, and tried anew by the next request.
    failed: () => {},

    pendingMigrations: async () => (await db.read(status)).filter((step) => step.applied_at === null).length,

    size: async () => {
      const row = await db.read((q) => q.get<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes'))
      return { database: row!.bytes, log: 0 }
    },

    close: db.close,
  }
}
