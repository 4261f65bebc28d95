import { eq, sql } from 'drizzle-orm'
import type { Whereabouts } from '../../features/location/published-point.ts'
import { choiceOf } from '../../features/location/rules.ts'
import type { Point } from '../../features/location/sphere.ts'
import type { Location, LocationStore } from '../../features/location/store.ts'
import type { Db } from './database.ts'
import { runOn, sqliteReader } from './engine.ts'
import { livingIn } from './living.ts'
import { nearbySearch } from './nearby.ts'
import { reachCache } from '../reach-cache.ts'
import { locationCells, locations } from './schema.ts'
import { visibilityFor } from '../sql/visibility.ts'
import { squareOf } from '../squares.ts'
import { traitIndexer } from './traits.ts'
import type { Reads } from './reads.ts'
import type { Writer } from './writer.ts'

export function locationStore(db: Db, writer: Writer, { read }: Reads): LocationStore {
  const locationOf = db
    .select()
    .from(locations)
    .where(eq(locations.user_id, sql.placeholder('user_id')))
    .prepare()
  const cellsOf = db
    .select({ tag: locationCells.tag, uses: locationCells.uses })
    .from(locationCells)
    .where(eq(locationCells.user_id, sql.placeholder('user_id')))
    .prepare()
  const dropCell = db.$client.prepare<null, [string, Uint8Array]>(
    'DELETE FROM location_cells WHERE user_id = ? AND tag = ?',
  )
  const keepCell = db.$client.prepare<null, [string, Uint8Array, number]>(
    'INSERT INTO location_cells (user_id, tag, uses) VALUES (?, ?, ?) ON CONFLICT (user_id, tag) DO UPDATE SET uses = excluded.uses',
  )
  const reindexTraits = traitIndexer(db)
  const engine = sqliteReader(db)
  const isLiving = livingIn(db)
  const cache = reachCache()
  const search = nearbySearch(db.$client, cache)

  function whereaboutsOf(userId: string): Whereabouts {
    const row = locationOf.get({ user_id: userId })
    const published =
      row?.latitude == null || row.longitude === null ? null : { latitude: row.latitude, longitude: row.longitude }
    return {
      published,
      cell: row?.cell?.toString('hex') ?? null,
      strayed: row?.strayed ?? false,
      tags: cellsOf.all({ user_id: userId }).map(({ tag, uses }) => ({ tag: tag.toString('hex'), uses })),
    }
  }

  function saveCells(userId: string, before: Whereabouts['tags'], after: Whereabouts['tags']) {
    const kept = new Map(after.map(({ tag, uses }) => [tag, uses]))
    const known = new Map(before.map(({ tag, uses }) => [tag, uses]))
    for (const { tag } of before) if (!kept.has(tag)) dropCell.run(userId, Buffer.from(tag, 'hex'))
    for (const { tag, uses } of after) if (known.get(tag) !== uses) keepCell.run(userId, Buffer.from(tag, 'hex'), uses)
  }

  const of = (userId: string): Location => {
    const row = locationOf.get({ user_id: userId })
    const { published } = whereaboutsOf(userId)
    return { published, visible: choiceOf(row), updated_at: row?.updated_at ?? null }
  }

  return {
    follow: (userId, step, now) =>
      writer.write(
        () => {
          if (!isLiving(userId)) return null
          const before = whereaboutsOf(userId)
          const after = step(before)
          const moved = {
            latitude: after.published?.latitude ?? null,
            longitude: after.published?.longitude ?? null,
            square: after.published && squareOf(after.published),
            cell: after.cell === null ? null : Buffer.from(after.cell, 'hex'),
            strayed: after.strayed,
            updated_at: now,
          }
          // The first position makes its owner visible, unless that is not allowed.
          const first = before.published === null ? runOn(db, () => visibilityFor(engine, userId, true)) : undefined
          const save = () =>
            db
              .insert(locations)
              .values({ user_id: userId, ...moved, ...first })
              .onConflictDoUpdate({ target: locations.user_id, set: moved })
              .run()
          // The published point rarely moves, so the index rarely changes.
          if (samePoint(before.published, after.published)) save()
          else reindexTraits(userId, save)
          saveCells(userId, before.tags, after.tags)
          return of(userId)
        },
        { keepsProfileCache: true },
      ),

    setVisible: (userId, visible) =>
      writer.write(() => {
        if (!isLiving(userId)) return false
        const visibility = runOn(db, () => visibilityFor(engine, userId, visible))
        reindexTraits(userId, () =>
          db
            .insert(locations)
            .values({ user_id: userId, ...visibility })
            .onConflictDoUpdate({ target: locations.user_id, set: visibility })
            .run(),
        )
        return true
      }),

    of: async (userId) => of(userId),
    nearby: async (query) => read(() => search(query)),
    cacheCounts: cache.counts,
  }
}

const samePoint = (a: Point | null, b: Point | null) => a?.latitude === b?.latitude && a?.longitude === b?.longitude
