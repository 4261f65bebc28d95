import { and, asc, eq, gt, isNull, lt, not, type SQL, sql } from 'drizzle-orm'
import { hasRoom } from '../../features/media/rules.ts'
import type { MediaStore } from '../../features/media/store.ts'
import { isEvidenceOf, isPhotoShown, isShownBy, isTheirs, used } from '../image-use.ts'
import type { Dialect } from './dialect.ts'
import { type Builders, changed, type Engine, first, one, rows } from './engine.ts'
import { holdLiving } from './living.ts'

/** Which image files a database knows. Commands that only read the database use it too. */
export function knownFiles({
  tables: { media },
  read,
  isAmong,
}: Pick<Engine, 'tables' | 'read' | 'isAmong'>): Pick<MediaStore, 'filesAfter' | 'strayFiles'> {
  const filesWhere = (condition: SQL, limit: number) =>
    read(function* (db) {
      const select = db.select({ file: media.file }).from(media).where(condition)
      return (yield* rows(select.orderBy(asc(media.file)).limit(limit))).map(({ file }) => file)
    })
  return {
    filesAfter: (name, limit) => filesWhere(gt(media.file, name), limit),
    async strayFiles(names) {
      const known = new Set(await filesWhere(isAmong(media.file, names), names.length))
      return names.filter((name) => !known.has(name))
    },
  }
}

/** The size of all images of an owner, from an index. */
export function bytesOfOwner({ tables: { media } }: Pick<Engine, 'tables'>, db: Builders, ownerId: string) {
  const bytes = sql`coalesce(sum(${media.bytes} + coalesce(${media.thumb_bytes}, 0)), 0)`.mapWith(Number)
  return db.select({ bytes }).from(media).where(eq(media.owner_id, ownerId))
}

export function mediaStore<List>(engine: Engine, { value, prepare }: Dialect<List>): MediaStore {
  const { read, write, isAmong } = engine
  const { media } = engine.tables
  const isUsed = sql.raw(used)
  // A literal and not a parameter, because the partial index has the same condition.
  const isPending = sql`${media.check_action} = 'pending'`

  // Prepared, because every request for an image looks up its file.
  type FileRow = { file: string; thumb_bytes: number | null }
  const filesBy = (condition: string) =>
    prepare<FileRow>(`SELECT file, thumb_bytes FROM media WHERE id = ${value(1)} AND ${condition}`)
  const [ofUpload, ofProfile] = [filesBy(isTheirs), filesBy(isPhotoShown)]
  const ofMessageOrReport = filesBy(`(${isShownBy(value(2))} OR ${isEvidenceOf(value(2))})`)

  return {
    ...knownFiles(engine),

    add: (image, limit) =>
      write(function* (db) {
        // Locked exclusively, so that the second of two concurrent uploads counts the first.
        if (!(yield* holdLiving(engine, db, [], [image.owner_id])).has(image.owner_id)) return 'no_such_owner'
        const taken = yield* one(bytesOfOwner(engine, db, image.owner_id))
        if (!hasRoom(image, { taken: taken.bytes, limit })) return 'no_room'
        yield* changed(db.insert(media).values(image))
        return 'added'
      }),

    async fileFor(id, scope) {
      if (scope === 'upload') return (await ofUpload(id))[0] ?? null
      if (scope === 'profile') return (await ofProfile(id))[0] ?? null
      return (await ofMessageOrReport(id, scope))[0] ?? null
    },

    removeUnused: (ids) =>
      write(function* (db) {
        // A write that is about to show an image holds a shared lock on its row, so after this no such write is running.
        const images = db.select({ id: media.id }).from(media).where(isAmong(media.id, ids))
        yield* engine.lock(images.orderBy(asc(media.owner_id), asc(media.id)), 'update')
        const removed = yield* rows(
          db
            .delete(media)
            .where(and(isAmong(media.id, ids), not(isUsed)))
            .returning({ file: media.file }),
        )
        return removed.map(({ file }) => file)
      }),

    before: (time, after, limit) =>
      read((db) =>
        rows(
          db
            .select({ id: media.id, created_at: media.created_at, used: sql<boolean>`${isUsed}`.mapWith(Boolean) })
            .from(media)
            .where(
              and(
                lt(media.created_at, time),
                after === null
                  ? undefined
                  : sql`(${media.created_at}, ${media.id}) > (${after.created_at}, ${after.id})`,
              ),
            )
            .orderBy(asc(media.created_at), asc(media.id))
            .limit(limit),
        ),
      ),

    withoutThumb: (limit) =>
      read((db) =>
        rows(
          db
            .select({ id: media.id, owner_id: media.owner_id, file: media.file })
            .from(media)
            .where(isNull(media.thumb_bytes))
            .limit(limit),
        ),
      ),

    withoutHash: (limit, ids) =>
      read((db) =>
        rows(
          db
            .select({ id: media.id, file: media.file, thumb_bytes: media.thumb_bytes })
            .from(media)
            .where(and(isNull(media.hash_quality), ids && isAmong(media.id, ids)))
            .limit(limit),
        ),
      ),

    hashesOf: (id) =>
      read((db) =>
        first(
          db.select({ hashes: media.hashes, hash_quality: media.hash_quality }).from(media).where(eq(media.id, id)),
        ),
      ),

    checkOf: (id) =>
      read((db) =>
        first(
          db
            .select({ check_action: media.check_action, check_label: media.check_label })
            .from(media)
            .where(eq(media.id, id)),
        ),
      ),

    unchecked: (limit, after) =>
      read((db) =>
        rows(
          db
            .select({ id: media.id, file: media.file })
            .from(media)
            .where(and(isPending, gt(media.id, after)))
            .orderBy(asc(media.id))
            .limit(limit),
        ),
      ),

    noteCheck: (id, answer) =>
      write(
        function* (db) {
          yield* changed(
            db
              .update(media)
              .set(answer)
              .where(and(eq(media.id, id), isPending)),
          )
        },
        { keepsProfileCache: true },
      ),

    noteHash: (id, hash) =>
      write(
        function* (db) {
          return (yield* changed(db.update(media).set(hash).where(eq(media.id, id)))) > 0
        },
        { keepsProfileCache: true },
      ),

    noteThumb: ({ id }, thumb_bytes) =>
      write(function* (db) {
        return (yield* changed(db.update(media).set({ thumb_bytes }).where(eq(media.id, id)))) > 0
      }),
  }
}
