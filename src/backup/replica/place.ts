import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openBucket, type StoredObject } from '../../s3/bucket.ts'
import { type S3Place, shownPlace } from '../../s3/place.ts'
import { orNull, syncDirectory } from '../../storage/files/disk.ts'

/**
 * Where a replica is stored. A `put` is atomic, replaces a file of the same name, and may be repeated. A listing may be stale:
 * it can miss new files and name removed ones.
 */
export type Place = {
  /** The place as logs and messages show it, without keys. */
  shown: string
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Null if there is none. */
  get(name: string): Promise<Uint8Array | null>
  /** All files in that folder and below. */
  list(folder: string): AsyncIterable<StoredObject>
  /** No error if there is none. */
  remove(name: string): Promise<void>
}

export const openPlace = (where: string | S3Place): Place =>
  typeof where === 'string' ? directoryPlace(where) : bucketPlace(where)

function bucketPlace(place: S3Place): Place {
  const bucket = openBucket(place)
  return {
    shown: shownPlace(place),
    put: (name, bytes) =>
      bucket.put(name, bytes as Uint8Array<ArrayBuffer>, { 'content-type': 'application/octet-stream' }),
    get: bucket.get,
    list: (folder) => bucket.list(`${folder}/`),
    remove: bucket.remove,
  }
}

const unfinished = /\.[0-9a-f-]{36}\.part$/

function directoryPlace(root: string): Place {
  async function* walk(folder: string): AsyncIterable<StoredObject> {
    for (const entry of (await orNull(readdir(join(root, folder), { withFileTypes: true }))) ?? []) {
      const name = `${folder}/${entry.name}`
      if (entry.isDirectory()) yield* walk(name)
      else {
        const found = await orNull(stat(join(root, name)))
        // Unfinished files of killed processes are listed too, so that they are removed like other old files.
        if (found) yield { name, size: found.size, modified_ms: found.mtimeMs }
      }
    }
  }

  return {
    shown: root,
    async put(name, bytes) {
      const path = join(root, name)
      const part = `${path}.${randomUUID()}.part`
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      try {
        const file = await open(part, 'wx', 0o600)
        try {
          await file.writeFile(bytes)
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(part, path)
      } catch (error) {
        await rm(part, { force: true })
        throw error
      }
      await syncDirectory(dirname(path))
    },
    get: (name) => orNull(readFile(join(root, name))),
    list: walk,
    async remove(name) {
      await rm(join(root, name), { force: true })
    },
  }
}

export const isUnfinished = (name: string) => unfinished.test(name)
