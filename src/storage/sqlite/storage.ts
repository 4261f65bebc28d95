import type { Storage } from '../storage.ts'
import { auditStore } from './audit.ts'
import { accountStore, sessionStore } from './auth.ts'
import { chatStore } from './chats.ts'
import { type Db, openDatabase, withDrizzle } from './database.ts'
import { eventStore } from './events.ts'
import { mediaStore } from './media.ts'
import { moderationStore, noticeStore } from './moderation.ts'
import { locationStore } from './location.ts'
import { userStore } from './profile.ts'
import { reviewStore } from './reviews.ts'
import { blockStore, reportStore } from './safety.ts'
import { openWriter, type WriterReport } from './writer.ts'

export type SqliteOptions = { onFatal: (error: Error) => void; onGroup?: (report: WriterReport) => void }

/** Storage over a migrated SQLite database. */
export function sqliteStorage(db: Db, options: SqliteOptions): Storage {
  const writer = openWriter(db.$client, options)
  return {
    users: userStore(db, writer),
    accounts: accountStore(db, writer),
    sessions: sessionStore(db, writer),
    audit: auditStore(db, writer),
    blocks: blockStore(db, writer),
    reports: reportStore(db, writer),
    reviews: reviewStore(db, writer),
    notices: noticeStore(db, writer),
    moderation: moderationStore(db, writer),
    media: mediaStore(db, writer),
    events: eventStore(db, writer),
    chats: chatStore(db, writer),
    locations: locationStore(db, writer),

    check: async () => {
      db.$client.query('SELECT 1 FROM users LIMIT 1').get()
    },

    close: async () => {
      writer.close()
      db.$client.run('PRAGMA optimize')
      // Leaves one file behind, which can be copied as it is.
      db.$client.run('PRAGMA wal_checkpoint(TRUNCATE)')
      db.$client.close()
    },
  }
}

export { type Db, openDatabase, withDrizzle }
