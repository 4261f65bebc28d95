import type { Files } from './files.ts'
import type { MediaStore } from './store.ts'
import { batches } from '../../lib/batches.ts'

/** The queries about stored images, for both the server and the commands. */
export type KnownFiles = Pick<MediaStore, 'filesAfter' | 'strayFiles'>

/** How many images were checked, and how many of their files are missing. */
export type Presence = { looked: number; missing: number }

type Deps = { store: KnownFiles; files: Pick<Files, 'missing'> }

const batch = 500

/** Those of the files that are lost. A removed image loses its row first, so it does not count as lost. */
async function lostOf(names: readonly string[], { store, files }: Deps): Promise<string[]> {
  const missing = await files.missing(names)
  if (missing.length === 0) return []
  const removed = new Set(await store.strayFiles(missing))
  return missing.filter((name) => !removed.has(name))
}

/** The names of all lost files. Calls `looked` with the number of images in each batch that was checked. */
export async function* lostFiles(deps: Deps, looked: (count: number) => void = () => {}): AsyncIterable<string> {
  for await (const names of batches<string>(batch, (last) => deps.store.filesAfter(last ?? '', batch))) {
    looked(names.length)
    yield* await lostOf(names, deps)
  }
}

/** Checks the files of all images. */
export async function lookForAll(deps: Deps): Promise<Presence> {
  const found = { looked: 0, missing: 0 }
  for await (const _ of lostFiles(deps, (count) => (found.looked += count))) found.missing += 1
  return found
}

/**
 * Checks the files of some images. File names are random, so those after a random name are a fair sample, and an index finds
 * them.
 */
export async function lookForSome(deps: Deps, from: string, count: number): Promise<Presence> {
  const after = await deps.store.filesAfter(from, count)
  const before = after.length < count ? await deps.store.filesAfter('', count - after.length) : []
  const names = [...new Set([...after, ...before])]
  return { looked: names.length, missing: (await lostOf(names, deps)).length }
}
