import type { Whereabouts } from '../../features/location/published-point.ts'
import { choiceOf } from '../../features/location/rules.ts'
import type { Point } from '../../features/location/sphere.ts'
import type { Location, LocationStore } from '../../features/location/store.ts'
import { reachCache } from '../reach-cache.ts'
import { visibilityFor } from '../sql/visibility.ts'
import { squareOf } from '../squares.ts'
import type { Database } from './database.ts'
import { postgresEngine, runOn } from './engine.ts'
import type { Queries } from './queries.ts'
import { lockLiving } from './living.ts'
import { nearbySearch } from './nearby.ts'
import { reindexTraits } from './traits.ts'

type Row = {
  latitude: number | null
  longitude: number | null
  visible: boolean
  held_back: boolean
  cell: Buffer | null
  strayed: boolean
  updated_at: number | null
}

const locationOf = `
  SELECT latitude, longitude, visible, held_back, cell, strayed, updated_at FROM locations WHERE user_id = $1`
const cellsOf = 'SELECT tag, uses FROM location_cells WHERE user_id = $1'
const move = `
  INSERT INTO locations (user_id, latitude, longitude, square, cell, strayed, updated_at, visible, held_back)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (user_id) DO UPDATE SET latitude = excluded.latitude, longitude = excluded.longitude,
    square = excluded.square, cell = excluded.cell, strayed = excluded.strayed, updated_at = excluded.updated_at`
const show = `
  INSERT INTO locations (user_id, visible, held_back) VALUES ($1, $2, $3)
  ON CONFLICT (user_id) DO UPDATE SET visible = excluded.visible, held_back = excluded.held_back`
const dropCell = 'DELETE FROM location_cells WHERE user_id = $1 AND tag = $2'
const keepCell = `
  INSERT INTO location_cells (user_id, tag, uses) VALUES ($1, $2, $3)
  ON CONFLICT (user_id, tag) DO UPDATE SET uses = excluded.uses`

export function locationStore(db: Database): LocationStore {
  const engine = postgresEngine(db)
  const cache = reachCache()
  const search = nearbySearch(db, cache)

  function saveCells(tx: Queries, userId: string, before: Whereabouts['tags'], after: Whereabouts['tags']) {
    const kept = new Map(after.map(({ tag, uses }) => [tag, uses]))
    const known = new Map(before.map(({ tag, uses }) => [tag, uses]))
    return [
      ...before
        .filter(({ tag }) => !kept.has(tag))
        .map(({ tag }) => tx.run(dropCell, [userId, Buffer.from(tag, 'hex')])),
      ...after
        .filter(({ tag, uses }) => known.get(tag) !== uses)
        .map(({ tag, uses }) => tx.run(keepCell, [userId, Buffer.from(tag, 'hex'), uses])),
    ]
  }

  return {
    follow: (userId, step, now) =>
      db.write(async (tx) => {
        const [isLiving, row, tags] = await Promise.all([
          lockLiving(tx, userId),
          tx.get<Row>(locationOf, [userId]),
          tx.all<{ tag: Buffer; uses: number }>(cellsOf, [userId]),
        ])
        if (!isLiving) return null
        const before: Whereabouts = {
          published: publishedOf(row),
          cell: row?.cell?.toString('hex') ?? null,
          strayed: row?.strayed ?? false,
          tags: tags.map(({ tag, uses }) => ({ tag: tag.toString('hex'), uses })),
        }
        const { published, cell, strayed, tags: after } = step(before)
        // The first position makes its owner visible, unless that is not allowed.
        const { visible, held_back } = row ?? (await runOn(tx, () => visibilityFor(engine, userId, true)))
        await Promise.all([
          tx.run(move, [
            userId,
            published?.latitude ?? null,
            published?.longitude ?? null,
            published && squareOf(published),
            cell === null ? null : Buffer.from(cell, 'hex'),
            strayed,
            now,
            visible,
            held_back,
          ]),
          // The published point rarely moves, so the index rarely changes.
          ...(samePoint(before.published, published) ? [] : [reindexTraits(tx, userId)]),
          ...saveCells(tx, userId, before.tags, after),
        ])
        return { published, visible: choiceOf(row), updated_at: now }
      }),

    setVisible: (userId, visible) =>
      db.write(async (tx) => {
        if (!(await lockLiving(tx, userId))) return false
        const shown = await runOn(tx, () => visibilityFor(engine, userId, visible))
        await Promise.all([tx.run(show, [userId, shown.visible, shown.held_back]), reindexTraits(tx, userId)])
        return true
      }),

    async of(userId): Promise<Location> {
      const row = await db.read((q) => q.get<Row>(locationOf, [userId]))
      return { published: publishedOf(row), visible: choiceOf(row), updated_at: row?.updated_at ?? null }
    },

    nearby: search,
    cacheCounts: cache.counts,
  }
}

const publishedOf = (row: Row | null): Point | null =>
  row === null || row.latitude === null || row.longitude === null
    ? null
    : { latitude: row.latitude, longitude: row.longitude }

const samePoint = (a: Point | null, b: Point | null) => a?.latitude === b?.latitude && a?.longitude === b?.longitude
