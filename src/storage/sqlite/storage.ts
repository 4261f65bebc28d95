import { status } from '../migrate.ts'
import type { Storage } from '../storage.ts'
import { erasureStore, holdingsStore } from './account.ts'
import { auditStore } from './audit.ts'
import { accountStore, sessionStore } from './auth.ts'
import { chatStore } from './chats.ts'
import { openCheckpoints } from './checkpoints.ts'
import { communityStore } from './community.ts'
import { type Db, openDatabase, withDrizzle } from './database.ts'
import { eventStore } from './events.ts'
import { mediaStore } from './media.ts'
import { moderationStore, noticeStore } from './moderation.ts'
import { locationStore } from './location.ts'
import { userStore } from './profile.ts'
import { openReads } from './reads.ts'
import { retentionStore } from './retention.ts'
import { reviewStore } from './reviews.ts'
import { blockStore, reportStore } from './safety.ts'
import { turnStore } from './turns.ts'
import { endIfFatal, type OnFatal, openWriter, type WriterReport } from './writer.ts'

export type SqliteOptions = { onFatal: OnFatal; onGroup?: (report: WriterReport) => void }

/** Storage over a migrated SQLite database. */
export function sqliteStorage(db: Db, options: SqliteOptions): Storage {
  const reads = openReads(db.$client)
  const failed = (error: unknown) => endIfFatal(error, options.onFatal)
  const checkpoints = openCheckpoints(db.$client, reads, { onError: failed })
  const writer = openWriter(db.$client, { ...options, onCommit: checkpoints.onCommit }, reads)
  return {
    users: userStore(db, writer, reads),
    accounts: accountStore(db, writer, reads),
    sessions: sessionStore(db, writer, reads),
    audit: auditStore(db, writer),
    blocks: blockStore(db, writer, reads),
    reports: reportStore(db, writer),
    reviews: reviewStore(db, writer),
    notices: noticeStore(db, writer),
    moderation: moderationStore(db, writer),
    media: mediaStore(db, writer),
    events: eventStore(db, writer, reads),
    chats: chatStore(db, writer, reads),
    locations: locationStore(db, writer, reads),
    erasures: erasureStore(db, writer, checkpoints),
    holdings: holdingsStore(db),
    retention: retentionStore(db, writer),
    community: communityStore(db, writer),
    turns: turnStore(),

    failed,

    pendingMigrations: async () => status(db.$client).filter((step) => step.applied_at === null).length,

    size: async () => ({
      database: Bun.file(db.$client.filename).size,
      log: Bun.file(`${db.$client.filename}-wal`).size,
    }),

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

export { type Db, openDatabase, withDrizzle }
