import type { Image, MediaStore } from '../../features/media/store.ts'
import { isPhoto, isTheirs, used } from '../image-use.ts'
import type { Database } from './database.ts'
import { holdLiving } from './living.ts'

const insert = `
  INSERT INTO media (owner_id, id, file, width, height, placeholder, bytes, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

const fileOfUpload = `SELECT file FROM media WHERE id = $1 AND ${isTheirs}`
const fileOfProfile = `SELECT file FROM media WHERE id = $1 AND ${isPhoto}`
const fileOfMessageOrReport = `
  SELECT file FROM media WHERE id = $1 AND (
    EXISTS (SELECT 1 FROM messages WHERE messages.id = $2 AND photo_id = media.id AND deleted_at IS NULL)
    OR EXISTS (SELECT 1 FROM evidence_photos WHERE report_id = $2 AND media_id = media.id))`

// Whoever is about to show an image holds its row, shared: after this nobody is.
const lock = 'SELECT id FROM media WHERE id = ANY($1::text[]) ORDER BY owner_id, id FOR UPDATE'
const removeUnused = `DELETE FROM media WHERE id = ANY($1::text[]) AND NOT ${used} RETURNING file`
const before = `
  SELECT id, created_at, ${used} AS used FROM media
  WHERE created_at < $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4`
const strayFiles = `
  SELECT name FROM unnest($1::text[]) AS names (name)
  WHERE NOT EXISTS (SELECT 1 FROM media WHERE media.file = name)`

export function mediaStore(db: Database): MediaStore {
  return {
    add: ({ owner_id, id, file, width, height, placeholder, bytes, created_at }: Image) =>
      db.write(async (tx) => {
        if (!(await holdLiving(tx, [owner_id])).has(owner_id)) return false
        await tx.run(insert, [owner_id, id, file, width, height, placeholder, bytes, created_at])
        return true
      }),

    async fileFor(id, scope) {
      const found = await db.read((q) => {
        if (scope === 'upload') return q.get<{ file: string }>(fileOfUpload, [id])
        if (scope === 'profile') return q.get<{ file: string }>(fileOfProfile, [id])
        return q.get<{ file: string }>(fileOfMessageOrReport, [id, scope])
      })
      return found?.file ?? null
    },

    removeUnused: (ids) =>
      db.write(async (tx) => {
        const [, removed] = await Promise.all([tx.all(lock, [ids]), tx.all<{ file: string }>(removeUnused, [ids])])
        return removed.map((row) => row.file)
      }),

    before: (time, after, limit) =>
      db.read((q) => q.all(before, [time, after?.created_at ?? Number.MIN_SAFE_INTEGER, after?.id ?? '', limit])),

    strayFiles: async (names) =>
      (await db.read((q) => q.all<{ name: string }>(strayFiles, [names]))).map((row) => row.name),
  }
}
