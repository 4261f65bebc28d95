import type { ClusterNode, NodeStore, Peer } from '../../installation/cluster.ts'
import type { Database } from './database.ts'
import type { Queries } from './queries.ts'

// The clocks of nodes may differ: all times are the database's.
const now = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
const living = `SELECT id, place, host, lacks, seen_at FROM nodes WHERE id <> $1 AND seen_at > ${now} - $2::bigint ORDER BY id`
const enter = `
  INSERT INTO nodes (id, place, host, lacks, seen_at) VALUES ($1, $2, $3, $4, ${now})
  ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`
const removeGone = `DELETE FROM nodes WHERE id <> $1 AND (place = $2 OR seen_at < ${now} - 3600000)`

type Row = Omit<Peer, 'lacks'> & { lacks: string }

const livingOf = async (q: Queries, id: string, aliveMs: number): Promise<Peer[]> =>
  (await q.all<Row>(living, [id, aliveMs])).map((row) => ({ ...row, lacks: settingsOf(row.lacks) }))

const settingsOf = (list: string) => list.split(' ').filter((name) => name !== '')

const rowOf = ({ id, place, host, lacks }: ClusterNode) => [id, place, host, lacks.join(' ')]

export function nodeStore(db: Database): NodeStore {
  return {
    join: (node, aliveMs, admits) =>
      db.write(async (tx) => {
        // One at a time, so that the second of two concurrent joins sees the first. Heartbeats wait shortly for the lock too.
        await tx.run('LOCK TABLE nodes IN SHARE ROW EXCLUSIVE MODE')
        await tx.run(removeGone, [node.id, node.place])
        const others = await livingOf(tx, node.id, aliveMs)
        if (admits(others)) await tx.run(enter, rowOf(node))
        return others
      }),

    async beat(node, aliveMs) {
      await db.statement((q) => q.run(enter, rowOf(node)))
      return db.read((q) => livingOf(q, node.id, aliveMs))
    },

    async leave(id) {
      await db.statement((q) => q.run('DELETE FROM nodes WHERE id = $1', [id]))
    },
  }
}
