import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Files, foldersOf, isFileName } from '../../features/media/files.ts'
import { storageFull } from '../../lib/refusal.ts'
import { giveToOwner } from '../../lib/owner.ts'
import { codeOf } from '../../lib/errors.ts'

const PARTIAL_SUFFIX = /\.[0-9a-f-]{36}\.part$/
const FAN_OUT_NAME = /^[0-9a-f]{2}$/

/**
 * Files under one directory of this machine, which is created if it is missing, readable for its owner alone. The file
 * `a1b2….webp` lies in `a1/b2/`, so that no directory grows large. A put writes a temporary file beside the final name, syncs
 * it, and renames it.
 */
export function openDiskFiles(root: string): Files {
  if (mkdirSync(root, { recursive: true, mode: 0o700 }) !== undefined) giveToOwner(root)

  // All paths are built here from validated names, so none can leave the root.
  const folderOf = (name: string) => join(root, ...foldersOf(name))
  const pathOf = (name: string) => join(folderOf(name), name)

  return {
    async put(name, bytes) {
      const path = pathOf(name)
      const folder = folderOf(name)
      const unfinished = `${path}.${randomUUID()}.part`
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await writeSynced(unfinished, bytes)
        await rename(unfinished, path)
        for (const made of [join(folder, '..'), folder, path]) giveToOwner(made)
      } catch (error) {
        await rm(unfinished, { force: true })
        throw refusalOf(error)
      }
      // The directory entries must be on disk too, and those of folders that this put or a concurrent one has just created.
      for (const directory of [folder, join(folder, '..'), root]) await syncDirectory(directory)
    },

    async get(name) {
      const path = pathOf(name)
      return (await orNull(stat(path))) && Bun.file(path, { type: 'image/webp' })
    },

    async missing(names) {
      // A file that cannot be read (EACCES, EIO) counts as missing.
      const sizeOf = (name: string) =>
        stat(pathOf(name)).then(
          ({ size }) => size,
          () => 0,
        )
      const sizes = await Promise.all(names.map(sizeOf))
      return names.filter((_, i) => sizes[i] === 0)
    },

    async remove(names) {
      for (const name of names) await rm(join(folderOf(name.replace(PARTIAL_SUFFIX, '')), name), { force: true })
      return names.length
    },

    async *list() {
      for (const first of await namesIn(root, FAN_OUT_NAME)) {
        for (const second of await namesIn(join(root, first), FAN_OUT_NAME)) {
          const folder = join(root, first, second)
          for (const name of await namesIn(folder, /./)) {
            const whole = name.replace(PARTIAL_SUFFIX, '')
            if (!isFileName(whole) || folderOf(whole) !== folder) continue
            const found = await orNull(stat(join(folder, name)))
            if (found) yield { name, modified_ms: found.mtimeMs, size: found.size }
          }
        }
      }
    },

    remote: null,
  }
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Syncs the entries of a directory to disk. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory.
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** A refusal if space, a quota or a file-size limit is exhausted; any other error unchanged. */
export function refusalOf(error: unknown): unknown {
  const code = codeOf(error)
  const full = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
  return full ? storageFull() : error
}

/** The names in a directory that match a pattern; empty if there is no such directory. */
const namesIn = async (path: string, pattern: RegExp) =>
  ((await orNull(readdir(path))) ?? []).filter((name) => pattern.test(name))

/** Null if a file or directory is missing, as it may be removed while a list runs. */
export async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null
    throw error
  }
}
