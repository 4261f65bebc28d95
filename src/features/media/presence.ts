import type { Files } from './files.ts'
import type { MediaStore } from './store.ts'
import { batches } from '../../lib/batches.ts'

/** Which images the database knows, as both a server and a command can ask it. */
export type KnownFiles = Pick<MediaStore, 'filesAfter' | 'strayFiles'>

/** How many images were looked for, and of how many the file is missing. */
export type Presence = { looked: number; missing: number }

type Deps = { store: KnownFiles; files: Pick<Files, 'missing'> }

const batch = 500

/** The names of those files that are lost. A removed image loses its row first, so it does not count as lost. */
export async function lostOf(names: readonly string[], { store, files }: Deps): Promise<string[]> {
  const missing = await files.missing(names)
  if (missing.length === 0) return []
  const removed = new Set(await store.strayFiles(missing))
  return missing.filter((name) => !removed.has(name))
}

/** The names of all files that are lost; Calls `looked` with the running number of images checked. */
export async function* lostFiles(deps: Deps, looked: (count: number) => void = () => {}): AsyncIterable<string> {
  for await (const names of batches<string>(batch, (last) => deps.store.filesAfter(last ?? '', batch))) {
    looked(names.length)
    yield* await lostOf(names, deps)
  }
}

/** Looks for all images that the database knows. */
export async function lookForAll(deps: Deps): Promise<Presence> {
  const found = { looked: 0, missing: 0 }
  for await (const _ of lostFiles(deps, (count) => (found.looked += count))) found.missing += 1
  return found
}

/**
 * Looks for some of the images. Names of files are random, so those that follow a random name are a fair sample; they
 * are found by an index, however many there are.
 */
export async function lookForSome(deps: Deps, from: string, count: number): Promise<Presence> {
  const after = await deps.store.filesAfter(from, count)
  const before = after.length < count ? await deps.store.filesAfter('', count - after.length) : []
  const names = [...new Set([...after, ...before])]
  return { looked: names.length, missing: (await lostOf(names, deps)).length }
}
