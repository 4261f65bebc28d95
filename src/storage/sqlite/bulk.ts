import { foldedPreferences } from '../../features/profile/rules.ts'
import { averageRating } from '../../features/reviews/rules.ts'
import type { Image } from '../../features/media/store.ts'
import type { Chat, Resident } from '../../seed/community.ts'
import { squareOf } from '../squares.ts'
import { rebuildNearbyPeople } from './nearby-people.ts'
import { rebuildTraits } from './traits.ts'
import type { Db } from './database.ts'

type Value = string | number | null | Uint8Array

// Rows per INSERT. More would save nothing.
const rowsAtOnce = 64

/**
 * Fills an empty database with a great many rows in one transaction: after `finish` all of them are on disk, and none if the
 * process dies before. No other process may have the database open.
 */
export function openBulkLoad(db: Db, { now, passwordHash }: { now: number; passwordHash: string }) {
  const client = db.$client
  // The rollback journal of an empty database stays almost empty, while the write-ahead log would write every page twice.
  client.run('PRAGMA journal_mode = DELETE')
  client.run('PRAGMA cache_size = -262144')
  // Sorting an index of a hundred million entries needs more than the memory.
  client.run('PRAGMA temp_store = FILE')
  // The rows are consistent, and checking each of them would double the time.
  client.run('PRAGMA foreign_keys = OFF')
  client.run('BEGIN EXCLUSIVE')
  // Building an index at the end takes a fraction of the time of maintaining it.
  const indexes = client
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
    )
    .all()
  for (const { name } of indexes) client.run(`DROP INDEX ${name}`)
  // The same is true of what triggers maintain.
  const triggers = client
    .query<{ name: string; sql: string }, []>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
  for (const { name } of triggers) client.run(`DROP TRIGGER ${name}`)

  const tables: { flush(): void }[] = []

  function table(name: string, columns: string) {
    const width = columns.split(',').length
    const row = `(${Array(width).fill('?').join()})`
    const insert = (rows: number) =>
      client.prepare<null, Value[]>(`INSERT INTO ${name} (${columns}) VALUES ${Array(rows).fill(row).join()}`)
    const whole = insert(rowsAtOnce)
    let waiting: Value[] = []
    const inserter = {
      add(...values: Value[]) {
        for (const value of values) waiting.push(value)
        if (waiting.length < width * rowsAtOnce) return
        whole.run(...waiting)
        waiting = []
      },
      flush() {
        if (waiting.length > 0) insert(waiting.length / width).run(...waiting)
        waiting = []
      },
    }
    tables.push(inserter)
    return inserter
  }

  const users = table('users', 'id, email, password_hash, name, city, bio, gender, photo, created_at, updated_at')
  const images = table('media', 'id, owner_id, file, width, height, placeholder, bytes, thumb_bytes, created_at')
  const consents = table('consent_log', 'id, user_id, kind, accepted, version, text_hash, recorded_at')
  const preferences = table('preferences', 'user_id, drinks, activities, purposes, language, folded, folded_of')
  const locations = table('locations', 'user_id, latitude, longitude, square, visible, cell, updated_at')
  const cells = table('location_cells', 'user_id, tag, uses')
  const chats = table(
    'chats',
    'id, user_a, user_b, created_at, last_msg_at, last_seq, unread_a, unread_b, read_to_a, read_to_b, wrote_a, wrote_b',
  )
  const messages = table('messages', 'id, chat_id, seq, sender_id, kind, text, created_at, read_at')
  const reviews = table('reviews', 'id, chat_id, reviewer_id, reviewed_id, rating, anonymous, text, created_at')

  return {
    /** An account with its consents, preferences and position, visible to all, and with its photo if there is one. */
    addResident(person: Resident, photo: Image | null) {
      const { id, email, name, city, bio, gender, created_at } = person
      users.add(id, email, passwordHash, name, city, bio, gender, photo?.id ?? null, created_at, created_at)
      if (photo) {
        const { file, width, height, placeholder, bytes, thumb_bytes } = photo
        images.add(photo.id, id, file, width, height, placeholder, bytes, thumb_bytes, photo.created_at)
      }
      for (const consent of person.consents)
        consents.add(
          consent.id,
          id,
          consent.kind,
          Number(consent.accepted),
          consent.version,
          consent.text_hash,
          consent.recorded_at,
        )
      const { drinks, activities, purposes, language } = person.preferences
      const { folded, folded_of } = foldedPreferences(person.preferences)
      const lists = [drinks, activities, purposes].map((list) => JSON.stringify(list))
      preferences.add(id, ...lists, language, folded, folded_of)
      const { published, cell, tags } = person.whereabouts
      if (published === null || cell === null) throw new Error('a resident has been somewhere')
      const { latitude, longitude } = published
      locations.add(id, latitude, longitude, squareOf(published), 1, Buffer.from(cell, 'hex'), now)
      for (const { tag, uses } of tags) cells.add(id, Buffer.from(tag, 'hex'), uses)
    },

    addChat({ id, user_a, user_b, created_at, messages: said, review }: Chat) {
      const last = said.at(-1)
      const unread = [user_a, user_b].map((reader) => said.filter((m) => m.sender_id !== reader && m.read_at === null))
      const readTo = unread.map(([first]) => (first ? first.seq - 1 : said.length))
      const counts = unread.map(({ length }) => length)
      const wrote = [user_a, user_b].map((user) => Number(said.some(({ sender_id }) => sender_id === user)))
      const at = last?.created_at ?? null
      chats.add(id, user_a, user_b, created_at, at, said.length, ...counts, ...readTo, ...wrote)
      for (const message of said)
        messages.add(
          message.id,
          id,
          message.seq,
          message.sender_id,
          'text',
          message.text,
          message.created_at,
          message.read_at,
        )
      if (!review) return
      const { reviewer_id, reviewed_id, rating, anonymous, text } = review
      reviews.add(review.id, id, reviewer_id, reviewed_id, rating, Number(anonymous), text, review.created_at)
    },

    /** Derives indexes, stats and search data from the rows, and commits. */
    finish() {
      for (const { flush } of tables) flush()
      for (const { sql } of indexes) client.run(sql)
      rebuildTraits(client)
      const ratings = client.query<{ user_id: string; sum: number; count: number }, []>(
        'SELECT reviewed_id AS user_id, sum(rating) AS sum, count(*) AS count FROM reviews GROUP BY reviewed_id',
      )
      const stats = client.prepare('INSERT INTO user_stats (user_id, rating_avg, count) VALUES (?, ?, ?)')
      for (const { user_id, sum, count } of ratings.all()) stats.run(user_id, averageRating(sum, count), count)
      rebuildNearbyPeople(client)
      for (const { sql } of triggers) client.run(sql)
      client.run('COMMIT')
      client.run('PRAGMA journal_mode = WAL')
    },

    /** Leaves the database as it was. */
    abandon() {
      if (client.inTransaction) client.run('ROLLBACK')
      client.run('PRAGMA journal_mode = WAL')
    },
  }
}
