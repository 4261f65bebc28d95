import { is, type Table as DrizzleTable } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { tables as schema } from './postgres/schema.ts'

/** A value that both engines can hold. A column's kind tells which values it holds besides null. */
export type Value = string | number | boolean | Uint8Array | null
type Kind = 'text' | 'integer' | 'double' | 'boolean' | 'bytes'

export type Table = {
  name: string
  /** In the order of a row's values. `type` is that of PostgreSQL. */
  columns: readonly { name: string; kind: Kind; type: string }[]
  /** The primary key in PostgreSQL. */
  key: readonly string[]
}

export type Row = readonly Value[]

/** Some rows of a table. `keys` are their sort keys in the engine: the next page starts after the last one. */
export type Page = { rows: Row[]; keys: Row[] }

/** A database to read from. */
export type Side = {
  count(table: Table): Promise<number>
  /** The next rows after that key, or the first ones. Fewer than `limit` means that none follow. */
  read(table: Table, after: Row | null, limit: number): Promise<Page>
}

/** A database that a copy fills. Until the end it holds notes of the progress, and nothing else opens it. */
export type Target = Side & {
  /** The notes by name; null if no copy was begun. */
  notes(): Promise<Map<string, string> | null>
  /** Creates the notes and writes the first one. Removes what an earlier start on the empty database has stored. */
  begin(name: string, note: string): Promise<void>
  /** Adds rows and replaces the table's note, both or neither. */
  write(table: Table, rows: readonly Row[], note: string): Promise<void>
  /** Called when all rows are copied. Throws if a constraint of the engine does not hold. */
  verifyCopy(tables: readonly Table[]): Promise<void>
  /** Removes the notes, which makes the database ready for use. */
  finish(): Promise<void>
}

/** The rows of a table, and a hash of them that does not depend on their order. */
export type Digest = { rows: number; hash: string }

const kinds: Record<string, Kind> = {
  text: 'text',
  bigint: 'integer',
  integer: 'integer',
  'double precision': 'double',
  boolean: 'boolean',
  bytea: 'bytes',
}

/**
 * Every table to copy, each after those that it refers to. `sqlite/copy.ts` has the differences of SQLite. Triggers fill
 * `nearby_people` from these.
 */
export const tables: readonly Table[] = [
  schema.users,
  schema.preferences,
  schema.consentLog,
  schema.auditLog,
  schema.sessions,
  schema.media,
  schema.locations,
  schema.locationCells,
  schema.nearbyTraits,
  schema.blocks,
  schema.chats,
  schema.messages,
  schema.messageVersions,
  schema.heldMessages,
  schema.reviews,
  schema.pendingReviews,
  schema.userStats,
  schema.lastSeen,
  schema.eventCounters,
  schema.events,
  schema.reports,
  schema.notices,
  schema.templates,
  schema.announcements,
  schema.ageRefusals,
  schema.dailyFigures,
  schema.appeals,
  schema.evidencePhotos,
  schema.unfinishedErasures,
  schema.community,
  schema.outbox,
  schema.emailLinks,
  schema.identities,
  schema.invites,
  schema.channels,
  schema.notificationPreferences,
  schema.shownNotifications,
  schema.botPermissions,
  schema.botUpdates,
  schema.ruleVersions,
  schema.openers,
  schema.imageBank,
  schema.imageBankState,
  schema.passkeys,
  schema.usedChallenges,
].map(tableOf)

function tableOf(table: DrizzleTable): Table {
  // Declared with the types of SQLite, like all shared tables.
  if (!is(table, PgTable)) throw new Error('the tables of PostgreSQL are expected')
  const { name, columns: all, primaryKeys } = getTableConfig(table)
  // A generated column has no value of its own.
  const columns = all.filter(({ generated }) => generated === undefined)
  const [key = columns.filter(({ primary }) => primary)] = primaryKeys.map(({ columns }) => columns)
  return {
    name,
    columns: columns.map((column) => {
      const type = column.getSQLType()
      if (kinds[type] === undefined) throw new Error(`no way to copy a column of type ${type}: ${name}.${column.name}`)
      return { name: column.name, kind: kinds[type], type }
    }),
    key: key.map(({ name }) => name),
  }
}

const batch = 5000

/** All rows of a table, page by page, each with the key of its last row. */
async function* pagesOf(
  side: Side,
  table: Table,
  after: Row | null = null,
): AsyncGenerator<{ rows: Row[]; last: Row }> {
  for (let from = after; ;) {
    const { rows, keys } = await side.read(table, from, batch)
    const last = keys.at(-1)
    if (last === undefined) return
    yield { rows, last }
    if (rows.length < batch) return
    from = last
  }
}

type OnRows = (rows: number) => void

/** Reads a whole table. Throws if it holds a value that one of the engines cannot, naming table and row. */
export async function digestOf(side: Side, table: Table, onRows: OnRows = () => {}): Promise<Digest> {
  // The hashes of the rows are added up, lane by lane, because each engine reads in the order that is cheapest for it.
  const sum = new Uint32Array(8)
  const lanes = new Uint32Array(8)
  const bytes = new Uint8Array(lanes.buffer)
  let rows = 0
  for await (const page of pagesOf(side, table)) {
    for (const row of page.rows) {
      refuseUnfit(table, row)
      Bun.SHA256.hash(canonical(row), bytes)
      for (let lane = 0; lane < 8; lane++) sum[lane] = (sum[lane] ?? 0) + (lanes[lane] ?? 0)
    }
    rows += page.rows.length
    onRows(page.rows.length)
  }
  return { rows, hash: Array.from(sum, (lane) => lane.toString(16).padStart(8, '0')).join('') }
}

/** A row as text that is the same for both engines. Doubles keep all their digits; SQLite does not tell -0 from 0. */
const canonical = (row: Row) =>
  JSON.stringify(row.map((value) => (value instanceof Uint8Array ? value.toHex() : value)))

function refuseUnfit(table: Table, row: Row) {
  for (const [i, { name, kind }] of table.columns.entries()) {
    const value = row[i] ?? null
    if (value === null) continue
    const problem = unfit(value, kind)
    if (problem !== null) throw new Error(`${name} of ${named(table, row)} ${problem}: fix that first`)
  }
}

function unfit(value: Exclude<Value, null>, kind: Kind): string | null {
  switch (kind) {
    case 'text':
      if (typeof value !== 'string') return 'is not text'
      return value.includes('\0') ? 'holds a NUL character, which PostgreSQL does not accept' : null
    case 'integer':
      return Number.isSafeInteger(value) ? null : 'is not a whole number below 2^53'
    case 'double':
      return Number.isFinite(value) ? null : 'is not a number'
    case 'boolean':
      return typeof value === 'boolean' ? null : 'is neither true nor false'
    case 'bytes':
      return value instanceof Uint8Array ? null : 'is not bytes'
  }
}

/** A row as errors name it, such as `messages (chat_id …, seq 12)`. */
function named({ name, columns, key }: Table, row: Row): string {
  const shown = columns.flatMap(({ name, kind }, i) =>
    (key.includes(name) || name === 'id') && kind !== 'bytes' ? `${name} ${row[i]}` : [],
  )
  return `${name} (${shown.join(', ')})`
}

/** Copies the rows of a table that the target does not have yet. */
export async function copyRows(
  source: Side,
  target: Target,
  table: Table,
  note: string | undefined,
  onRows: OnRows = () => {},
): Promise<void> {
  const done = note === undefined ? { rows: 0, after: null } : readNote(note)
  onRows(done.rows)
  let { rows } = done
  // The next page is read while one is written.
  let writing: Promise<void> = Promise.resolve()
  for await (const page of pagesOf(source, table, done.after)) {
    await writing
    rows += page.rows.length
    writing = target.write(table, page.rows, writeNote(rows, page.last)).then(() => onRows(page.rows.length))
    writing.catch(() => {})
  }
  await writing
}

type Noted = { rows: number; after: (Exclude<Value, Uint8Array> | { hex: string })[] }

function writeNote(rows: number, after: Row): string {
  const noted: Noted = { rows, after: after.map((v) => (v instanceof Uint8Array ? { hex: v.toHex() } : v)) }
  return JSON.stringify(noted)
}

function readNote(note: string): { rows: number; after: Row } {
  const { rows, after }: Noted = JSON.parse(note)
  return { rows, after: after.map((v) => (v !== null && typeof v === 'object' ? Uint8Array.fromHex(v.hex) : v)) }
}
