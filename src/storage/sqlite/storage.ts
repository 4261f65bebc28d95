import { fits, status } from '../migrate.ts'
import type { Storage } from '../storage.ts'
import { erasureStore } from '../sql/erasures.ts'
import { holdingsStore } from '../sql/holdings.ts'
import { auditStore } from '../sql/audit.ts'
import { accountStore } from '../sql/accounts.ts'
import { sessionStore } from '../sql/sessions.ts'
import { chatStore } from './chats.ts'
import { openCheckpoints } from './checkpoints.ts'
import { communityStore } from '../sql/community.ts'
import { eventStore } from '../sql/events.ts'
import { type Db, openDatabase, withDrizzle } from './database.ts'
import { sqliteDialect } from './dialect.ts'
import { sqliteEngine } from './engine.ts'
import { lastSeenStore } from './last-seen.ts'
import { figuresStore } from '../sql/figures.ts'
import { moderationStore } from '../sql/moderation.ts'
import { queueStore } from '../sql/report-queue.ts'
import { tagStore } from '../sql/tags.ts'
import { ageStore } from '../sql/ages.ts'
import { announcementStore } from '../sql/announcements.ts'
import { templateStore } from '../sql/templates.ts'
import { noticeStore } from '../sql/notices.ts'
import { mediaStore } from '../sql/media.ts'
import { locationStore } from './location.ts'
import { userStore } from '../sql/users.ts'
import { hotUsers } from './users.ts'
import { openReads, type Reads } from './reads.ts'
import type { ReplicaLog } from './replica-log.ts'
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
import { retentionStore } from '../sql/retention.ts'
import { reviewStore } from '../sql/reviews.ts'
import { blockStore } from '../sql/blocks.ts'
import { reportStore } from '../sql/reports.ts'
import { blockChecks } from './blocks.ts'
import { hotSessions } from './sessions.ts'
import { jobLeaseStore } from './job-leases.ts'
import {
  endIfFatal,
  type OnFatal,
  openWriter,
  patienceWithReplicaMs,
  type Writer,
  type WriterReport,
} from './writer.ts'

export type SqliteOptions = {
  onFatal: OnFatal
  onGroup?: (report: WriterReport) => void
  /** Ships each commit; null without a replica. */
  replica?: ReplicaLog | null
  /** By which other threads that read the file know of writes: see `Commits`. */
  commits?: Int32Array
  /** Starts no checkpoints: a server beside this process does, and the last process to close the file. */
  besideServer?: boolean
}

/** Storage over a migrated SQLite database. */
export function sqliteStorage(db: Db, options: SqliteOptions): Storage {
  const reads = openReads(db.$client, { mine: options.commits })
  const failed = (error: unknown) => endIfFatal(error, options.onFatal)
  const checkpoints = openCheckpoints(db.$client, reads, {
    onError: failed,
    replica: options.replica,
    othersRead: options.commits !== undefined,
  })
  const writer = openWriter(
    db.$client,
    {
      ...options,
      onCommit: options.besideServer ? undefined : checkpoints.onCommit,
      patienceMs: options.replica ? patienceWithReplicaMs : undefined,
    },
    reads,
  )
  return {
    ...storesOf(db, writer, reads, checkpoints.emptyLog),

    failed,

    close: async () => {
      writer.close()
      try {
        db.$client.run('PRAGMA optimize')
      } catch {
        // A full disk has no room for it, and the end does without.
      }
      // Leaves one file behind, which can be copied as it is.
      await checkpoints.close()
      db.$client.close()
    },
  }
}

/** Writing was asked of storage that can only read. */
export class ReadOnly extends Error {
  override readonly name = 'ReadOnly'
}

/**
 * Storage over the same file for a thread that only reads it: whatever would write rejects with ReadOnly, before it has done
 * anything. `commits` are those of the thread that writes.
 */
export function sqliteReadOnlyStorage(
  path: string,
  { commits, onFatal }: Pick<SqliteOptions, 'onFatal'> & { commits: Int32Array },
): Storage {
  const db = withDrizzle(openDatabase(path))
  db.$client.run('PRAGMA query_only = ON')
  const reads = openReads(db.$client, { others: commits })
  const refuse = () => Promise.reject(new ReadOnly('this thread only reads'))
  return {
    ...storesOf(db, { write: refuse, close() {} }, reads, refuse),
    failed: (error) => endIfFatal(error, onFatal),
    close: async () => {
      reads.end()
      db.$client.close()
    },
  }
}

function storesOf(
  db: Db,
  writer: Writer,
  reads: Reads,
  emptyLog: () => Promise<void>,
): Omit<Storage, 'failed' | 'close'> {
  const engine = sqliteEngine(db, writer, reads)
  return {
    users: userStore(engine, hotUsers(db, reads)),
    accounts: accountStore(engine),
    sessions: sessionStore(engine, hotSessions(db, writer, reads)),
    audit: auditStore(engine),
    blocks: blockStore(engine, blockChecks(db, reads)),
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
    media: mediaStore(engine, sqliteDialect(db, reads)),
    events: eventStore(sqliteDialect(db, reads), engine),
    lastSeen: lastSeenStore(db, writer, reads),
    chats: chatStore(db, writer, reads, engine),
    locations: locationStore(db, writer, reads),
    erasures: erasureStore(engine, emptyLog),
    holdings: holdingsStore(engine),
    retention: retentionStore(engine),
    community: communityStore(engine),
    jobLeases: jobLeaseStore(),
    nodes: null,
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

    schemaFits: () => fits(() => status(db.$client)),

    size: async () => ({
      database: Bun.file(db.$client.filename).size,
      log: Bun.file(`${db.$client.filename}-wal`).size,
    }),
  }
}

export { type Db, openDatabase, withDrizzle }
