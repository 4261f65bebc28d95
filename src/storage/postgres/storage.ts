import type { Storage } from '../storage.ts'
import { auditStore } from './audit.ts'
import { accountStore, sessionStore } from './auth.ts'
import { chatStore } from './chats.ts'
import type { Database } from './database.ts'
import { eventStore } from './events.ts'
import { locationStore } from './location.ts'
import { mediaStore } from './media.ts'
import { status } from './migrate.ts'
import { userStore } from './profile.ts'

/** Those of the ports that are here already. */
export type PostgresStorage = Pick<
  Storage,
  | 'users'
  | 'accounts'
  | 'sessions'
  | 'audit'
  | 'media'
  | 'events'
  | 'chats'
  | 'locations'
  | 'failed'
  | 'pendingMigrations'
  | 'size'
  | 'close'
>

/** Storage over a migrated PostgreSQL database. */
export function postgresStorage(db: Database): PostgresStorage {
  return {
    users: userStore(db),
    accounts: accountStore(db),
    sessions: sessionStore(db),
    audit: auditStore(db),
    media: mediaStore(db),
    events: eventStore(db),
    chats: chatStore(db),
    locations: locationStore(db),

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
