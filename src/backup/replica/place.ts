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
  /** Removes what killed processes have left of a `put` that began before that time. Returns how many files. */
  removeUnfinished(before: number): Promise<number>
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
    // A bucket stores an object whole or not at all.
    removeUnfinished: () => Promise.resolve(0),
  }
}

const isUnfinished = (name: string) => /\.[0-9a-f-]{36}\.part$/.test(name)
// Only where a replica has files: the directory may have others.
const parts = ['*.part', '{manifest,snapshot,segment,log,media,gone}/**/*.part'].map((glob) => new Bun.Glob(glob))

function directoryPlace(root: string): Place {
  async function* walk(folder: string): AsyncIterable<StoredObject> {
    for (const entry of (await orNull(readdir(join(root, folder), { withFileTypes: true }))) ?? []) {
      const name = `${folder}/${entry.name}`
      if (entry.isDirectory()) yield* walk(name)
      else if (!isUnfinished(name)) {
        const found = await orNull(stat(join(root, name)))
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
    async removeUnfinished(before) {
      let removed = 0
      for (const glob of parts)
        for await (const name of glob.scan({ cwd: root })) {
          const found = isUnfinished(name) ? await orNull(stat(join(root, name))) : null
          if (found === null || found.mtimeMs >= before) continue
          await rm(join(root, name), { force: true })
          removed++
        }
      return removed
    },
  }
}
