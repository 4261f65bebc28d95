import type { CommunityStore } from '../../features/community/store.ts'
import type { Database } from './database.ts'

type Row = { name: string; value: string }

const valueOf = 'SELECT name, value FROM community WHERE name = $1'
const insert = 'INSERT INTO community (name, value) VALUES ($1, $2) ON CONFLICT (name)'

export function communityStore(db: Database): CommunityStore {
  return {
    all: async () =>
      new Map(
        (await db.read((q) => q.all<Row>('SELECT name, value FROM community'))).map(({ name, value }) => [name, value]),
      ),

    // Mostly it is there, and a start writes nothing.
    keep: async (name, value) => {
      const kept =
        (await db.read((q) => q.get<Row>(valueOf, [name]))) ??
        (await db.write(async (tx) => {
          await tx.run(`${insert} DO NOTHING`, [name, value])
          return tx.get<Row>(valueOf, [name])
        }))
      return kept!.value
    },

    set: async (name, value) => {
      await db.statement((q) => q.run(`${insert} DO UPDATE SET value = excluded.value`, [name, value]))
    },
  }
}
