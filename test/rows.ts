import { SQL } from 'bun'
import type { AuditEntry } from '../src/features/audit/store.ts'
import { anybody } from '../src/features/registration/rules.ts'
import type { Consent, NewAccount } from '../src/features/auth/store.ts'
import type { Storage } from '../src/storage/storage.ts'
import { up } from '../src/storage/migrate.ts'
import { openDatabase as openPostgres } from '../src/storage/postgres/database.ts'
import { postgresStorage } from '../src/storage/postgres/storage.ts'
import { openDatabase as openSqlite, sqliteStorage, withDrizzle } from '../src/storage/sqlite/storage.ts'
import type { TestApp } from './app.ts'
import { type Engine, migratedPostgres } from './engines.ts'

/** What tells that somebody was given a role. */
export const granted = (id: string, at: number): AuditEntry => ({
  id: Bun.randomUUIDv7(),
  at,
  actor_id: null,
  action: 'role_granted',
  subject_id: id,
  metadata: {},
})

type Row = Record<string, string | number | boolean | null>

/** Storage, and its rows beside it: to be looked at, and to be there where a test has no port that writes them. */
export type WithRows = Storage & {
  rows: {
    insert(table: string, rows: readonly Row[]): Promise<void>
    of(table: string): Promise<Row[]>
    /** The tables in which something mentions it, with how many rows do. */
    mentioning(value: string): Promise<Record<string, number>>
  }
}

const mentions = (rows: readonly Row[], value: string) =>
  rows.filter((row) => Object.values(row).some((field) => typeof field === 'string' && field.includes(value))).length

/** A migrated, empty database of that engine. */
export async function openWithRows({ name }: Engine): Promise<WithRows> {
  return name === 'SQLite' ? sqlite() : postgres()
}

function sqlite(): WithRows {
  const client = openSqlite(':memory:')
  up(client)
  const storage = sqliteStorage(withDrizzle(client), {
    onFatal(error) {
      throw error
    },
  })
  const of = async (table: string) => client.query<Row, []>(`SELECT * FROM ${table}`).all()
  return {
    ...storage,
    rows: {
      async insert(table, rows) {
        // A message's versions are found without its chat.
        const kept = table === 'message_versions' ? rows.map(({ chat_id: _, ...row }) => row) : rows
        for (const row of kept) {
          const names = Object.keys(row)
          client.run(
            `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`,
            Object.values(row),
          )
        }
      },
      of,
      async mentioning(value) {
        const tables = client
          .query<{ name: string }, []>(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
          )
          .all()
        return counted(
          tables.map(({ name }) => name),
          of,
          value,
        )
      },
    },
  }
}

async function postgres(): Promise<WithRows> {
  const database = await migratedPostgres()
  const client = new SQL(database.url, { max: 1 })
  const storage = postgresStorage(await openPostgres(database.url)) as Storage
  const of = async (table: string): Promise<Row[]> => Array.from(await client.unsafe(`SELECT * FROM ${table}`))
  return {
    ...storage,
    rows: {
      async insert(table, rows) {
        for (let i = 0; i < rows.length; i += 500)
          await client`INSERT INTO ${client(table)} ${client(rows.slice(i, i + 500) as Row[])}`
      },
      of,
      async mentioning(value) {
        const tables = await client.unsafe(
          "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
        )
        return counted(
          tables.map(({ name }: { name: string }) => name),
          of,
          value,
        )
      },
    },
    async close() {
      await client.close()
      await storage.close()
      await database.drop()
    },
  }
}

async function counted(tables: readonly string[], of: (table: string) => Promise<Row[]>, value: string) {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const count = mentions(await of(table), value)
    if (count > 0) counts[table] = count
  }
  return counts
}

export const now = Date.UTC(2026, 10, 21, 12)

export const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

/** A review that shows when it is written. */
export const atOnce = { eventAt: now, appearsAt: null }

let made = 0
/** A registered account; answers its id. */
export async function person({ accounts }: Pick<Storage, 'accounts'>, given: Partial<NewAccount> = {}) {
  const id = given.id ?? Bun.randomUUIDv7('hex', now + ++made)
  const account: NewAccount = {
    id,
    email: `${id}@example.org`,
    phone: null,
    admission: anybody,
    messenger_id: null,
    password_hash: 'a hash',
    name: `Person ${made}`,
    city: null,
    bio: null,
    gender: null,
    photo: null,
    language: 'en',
    created_at: now,
    ...given,
  }
  const consent: Consent = {
    id: Bun.randomUUIDv7(),
    user_id: id,
    kind: 'terms',
    accepted: true,
    version: '1',
    text_hash: 'ab',
    recorded_at: now,
    user_agent: 'a browser',
    address: '203.0.113.0',
  }
  if (typeof (await accounts.register(account, [consent])) === 'string') throw new Error('not registered')
  return id
}

export const people = (storage: WithRows, n: number) => Promise.all(times(n, () => person(storage)))

const unset = { photo_id: null, client_id: null, edited_at: null, deleted_at: null }

/** A chat of two, with these messages; answers its id. */
export async function chatOf(
  { rows }: WithRows,
  a: string,
  b: string,
  messages: readonly (Partial<Row> & { sender_id: string })[] = [],
) {
  const id = Bun.randomUUIDv7()
  const [user_a, user_b] = [a, b].sort()
  await rows.insert('chats', [
    {
      id,
      user_a: user_a!,
      user_b: user_b!,
      created_at: now,
      last_msg_at: null,
      last_seq: messages.length,
      wrote_a: true,
      wrote_b: true,
    },
  ])
  await rows.insert(
    'messages',
    messages.map((given, i) => {
      const message = { id: `${id}/${i + 1}`, chat_id: id, seq: i + 1, kind: 'text', text: `words ${i + 1}` }
      return { ...message, ...unset, created_at: now + i, ...given } as Row
    }),
  )
  return id
}

export const image = (owner_id: string, id: string): Row => ({
  id,
  owner_id,
  file: `file of ${id}`,
  width: 40,
  height: 30,
  placeholder: 'blur',
  bytes: 1000,
  created_at: now,
})

/** Makes it so that both have written in a chat, without the messages. */
export const haveBothWritten = ({ rows }: Pick<TestApp, 'rows'>, chatId: string) =>
  rows('UPDATE chats SET wrote_a = true, wrote_b = true WHERE id = ?', chatId)
