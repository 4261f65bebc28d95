import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { iso } from '../../lib/time.ts'
import { messageOf } from '../../lib/errors.ts'
import {
  type Decoded,
  decode,
  decodeAll,
  type HeaderOf,
  OtherKeyError,
  pagesIn,
  ReplicaError,
  type ReplicaKey,
} from './format.ts'
import { type LogFile, logFile, logName, manifestFile, newestFirst } from './names.ts'
import type { Place } from './place.ts'

export type Manifest = HeaderOf<'manifest'> & {
  name: string
  parts: { name: string; sum: string }[]
}

/** A snapshot that cannot be used, and why. */
type PassedOver = { generation: string; reason: string }

/** The snapshots to start from, and the time to apply the log up to: all of it if `to` is null. */
export type Plan = { manifests: Manifest[]; to: number | null; passedOver: PassedOver | null }

type Built = {
  generation: string
  /** How many files of the log were applied, and the time up to which the state has all commits. */
  files: number
  at: number
  bytes: number
  /** Why an older generation than the requested one was used; null if it was not. */
  isOlderAs: string | null
}

const partsAtOnce = 4
// What is fetched at once. The limit of bytes keeps a slow link from dividing itself among many large files.
const filesAhead = 16
const bytesAhead = 32 * 2 ** 20

/**
 * The snapshots from which the state of a time can be built, best first. Throws ReplicaError if there are none, with the times
 * that can be restored.
 */
export async function planOf(place: Place, { to, key }: { to: number | null; key: ReplicaKey | null }): Promise<Plan> {
  const found = await Array.fromAsync(place.list('manifest'), ({ name }) => manifestFile(name))
  const files = found.filter((file) => file !== null).sort(newestFirst)
  const manifests: Manifest[] = []
  let oldest: number | null = null
  let unusable: { error: ReplicaError; generation: string } | null = null
  for (const { name, generation } of files) {
    // A listing may still name removed files.
    const bytes = await place.get(name)
    if (bytes === null) continue
    try {
      const { header, content } = decode('manifest', bytes, name, key)
      oldest = header.at
      if (to !== null && header.at > to) continue
      manifests.push({ ...header, name, parts: JSON.parse(content().toString('utf8')) })
    } catch (error) {
      if (!(error instanceof ReplicaError)) throw error
      // Snapshots older than a usable one are not needed, so they may be damaged or have a former key.
      if (manifests.length > 0) continue
      // Do not fall back to an older snapshot with this key, as its state was not requested.
      if (error instanceof OtherKeyError) throw error
      unusable ??= { error, generation }
    }
  }
  const passedOver = unusable && { generation: unusable.generation, reason: unusable.error.message }
  if (manifests.length > 0) return { manifests, to, passedOver }
  if (unusable !== null) throw unusable.error
  if (oldest === null) throw new ReplicaError(`${place.shown} has no whole snapshot: nothing can be restored from it`)
  throw new ReplicaError(`${place.shown} goes back to ${iso(oldest)}, and not to ${iso(to!)}`)
}

/**
 * Builds a database file at an unused path. The file has, page by page, the state of the last commit up to
 * `plan.to`. If a snapshot is incomplete, an older one of the plan is used. Throws ReplicaError if the log has a gap before
 * that commit.
 */
export async function buildDatabase(
  place: Place,
  path: string,
  { plan, key, onBytes = () => {} }: { plan: Plan; key: ReplicaKey | null; onBytes?: (count: number) => void },
): Promise<Built> {
  let first: unknown = null
  let { passedOver } = plan
  for (const manifest of plan.manifests) {
    const file = openSync(path, 'w', 0o600)
    try {
      const built = await buildFrom(place, file, { manifest, to: plan.to, key, onBytes })
      fsyncSync(file)
      const isOlderAs = passedOver && passedOver.generation !== built.generation ? passedOver.reason : null
      return { ...built, isOlderAs }
    } catch (error) {
      // Report the failure of the best snapshot.
      first ??= error
      passedOver ??= { generation: manifest.generation, reason: messageOf(error) }
      if (!(error instanceof ReplicaError) || error instanceof Hole) throw error
    } finally {
      closeSync(file)
    }
  }
  throw first
}

/** The log has a gap. */
class Hole extends ReplicaError {}

type From = { manifest: Manifest; to: number | null; key: ReplicaKey | null; onBytes: (count: number) => void }

async function buildFrom(
  place: Place,
  file: number,
  { manifest, to, key, onBytes }: From,
): Promise<Omit<Built, 'isOlderAs'>> {
  const { generation, page_size, parts } = manifest
  const next = parts.values()
  await Promise.all(
    Array.from({ length: partsAtOnce }, async () => {
      for (const { name, sum } of next) {
        const bytes = await place.get(name)
        if (bytes === null) throw new ReplicaError(`${name} is missing in ${place.shown}`)
        const part = decode('part', bytes, name, key)
        if (part.sum !== sum) throw new ReplicaError(`${name} is not the one that ${manifest.name} names`)
        const content = part.content()
        writeAll(file, content, part.header.page * page_size)
        onBytes(content.length)
      }
    }),
  )
  let [seq, hash, at, pages, files] = [manifest.start, manifest.base, manifest.at, manifest.pages, 0]
  const log = await openLog(place, generation, manifest.start, key)
  for (;;) {
    const one = await log.next(seq + 1)
    if (one === null) break
    const { header, sum } = one
    if (to !== null && header.at > to) break
    if (header.prev !== hash || header.generation !== generation)
      throw new Hole(
        `${logName(generation, header.seq)} does not follow the one before it, which is of ${iso(at)}: restore with --to ${iso(at)}`,
      )
    const content = one.content()
    for (const { number, page } of pagesIn(content, page_size)) writeAll(file, page, (number - 1) * page_size)
    onBytes(content.length)
    ;[seq, hash, at, pages] = [header.seq, sum, header.at, header.pages]
    files++
  }
  if (seq < manifest.seq)
    throw new ReplicaError(`the log of ${manifest.name} is missing in ${place.shown} after ${logName(generation, seq)}`)
  ftruncateSync(file, pages * page_size)
  return { generation, files, at: Math.max(at, manifest.at), bytes: pages * page_size }
}

/** Reads a log in order and prefetches some files. A file that the listing does not show yet is requested by name. */
async function openLog(place: Place, generation: string, after: number, key: ReplicaKey | null) {
  const listed: (LogFile & { size: number })[] = []
  for (const folder of ['segment', 'log'])
    for await (const { name, size } of place.list(`${folder}/${generation}`)) {
      const file = logFile(name)
      if (file && file.to > after) listed.push({ ...file, size })
    }
  const newest = listed.reduce((newest, { to }) => Math.max(newest, to), after)
  // The files that contain `seq`, the longest first.
  const covering = (seq: number) =>
    listed.filter(({ from, to }) => from <= seq && seq <= to).sort((a, b) => b.to - a.to || a.from - b.from)
  const ahead = new Map<string, Promise<Uint8Array | null>>()
  const fetched = (name: string) => {
    const found = ahead.get(name) ?? place.get(name)
    ahead.set(name, found)
    // The error is thrown where the promise is awaited.
    found.catch(() => {})
    return found
  }
  let opened = new Map<number, Decoded<'log'>>()

  async function read(name: string, seq: number): Promise<Decoded<'log'> | null> {
    const bytes = await fetched(name)
    ahead.delete(name)
    if (bytes === null) return null
    opened = new Map()
    try {
      for (const one of decodeAll(bytes, name, key))
        if (one.header.kind === 'log') opened.set(one.header.seq, one as Decoded<'log'>)
    } catch (error) {
      // Another file with the same commits may be intact.
      if (!(error instanceof ReplicaError)) throw error
      damage = error
    }
    return opened.get(seq) ?? null
  }
  let damage: ReplicaError | null = null

  return {
    async next(seq: number): Promise<Decoded<'log'> | null> {
      const known = opened.get(seq)
      if (known) return known
      for (let i = seq, files = 0, bytes = 0; i <= newest && files < filesAhead && bytes < bytesAhead; files++) {
        const [file] = covering(i)
        void fetched(file?.name ?? logName(generation, i))
        // The size of a file that is not listed is unknown.
        bytes += file?.size ?? bytesAhead
        i = (file?.to ?? i) + 1
      }
      damage = null
      const names = new Set([...covering(seq).map(({ name }) => name), logName(generation, seq)])
      for (const name of names) {
        const one = await read(name, seq)
        if (one) return one
      }
      if (damage) throw new Hole(`${messageOf(damage)}: restore with --to a time before it`)
      // No later file can be applied.
      if (seq <= newest)
        throw new Hole(
          `${logName(generation, seq)} is missing in ${place.shown}, and later ones are there: restore with --to a time before it`,
        )
      return null
    },
  }
}

function writeAll(file: number, bytes: Uint8Array, position: number) {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, position + at)
}
