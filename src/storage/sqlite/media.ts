import type { MediaStore } from '../../features/media/store.ts'
import { isPhoto, isTheirs, used } from '../image-use.ts'
import type { Db } from './database.ts'
import { livingIn } from './living.ts'
import { media } from './schema.ts'
import type { Writer } from './writer.ts'

export function mediaStore(db: Db, writer: Writer): MediaStore {
  const client = db.$client
  const isLiving = livingIn(db)
  const fileFor = client.prepare<{ file: string }, [{ id: string; scope: string }]>(`
    SELECT file FROM media WHERE id = $id AND CASE $scope
      WHEN 'upload' THEN ${isTheirs}
      WHEN 'profile' THEN ${isPhoto}
      ELSE EXISTS (SELECT 1 FROM messages WHERE messages.id = $scope AND photo_id = media.id AND deleted_at IS NULL)
        OR EXISTS (SELECT 1 FROM evidence_photos WHERE report_id = $scope AND media_id = media.id)
    END`)
  const removeUnused = client.prepare<{ file: string }, [string]>(
    `DELETE FROM media WHERE id IN (SELECT value FROM json_each(?)) AND NOT ${used} RETURNING file`,
  )
  const before = client.prepare<{ id: string; created_at: number; used: 0 | 1 }, [number, number, string, number]>(`
    SELECT id, created_at, ${used} AS used FROM media
    WHERE created_at < ? AND (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?`)
  const strayFiles = client.prepare<{ name: string }, [string]>(
    'SELECT value AS name FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM media WHERE file = value)',
  )

  return {
    add: (image) =>
      writer.write(() => {
        if (!isLiving(image.owner_id)) return false
        db.insert(media).values(image).run()
        return true
      }),

    fileFor: async (id, scope) => fileFor.get({ id, scope })?.file ?? null,

    removeUnused: (ids) => writer.write(() => removeUnused.all(JSON.stringify(ids)).map((row) => row.file)),

    before: async (time, after, limit) =>
      before
        .all(time, after?.created_at ?? Number.MIN_SAFE_INTEGER, after?.id ?? '', limit)
        .map((row) => ({ ...row, used: row.used === 1 })),

    strayFiles: async (names) => strayFiles.all(JSON.stringify(names)).map((row) => row.name),
  }
}
