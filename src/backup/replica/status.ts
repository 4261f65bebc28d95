import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { decode, type ReplicaKey } from './format.ts'
import { isSpooled, logFile, manifestFile, newestFirst, shippedAs } from './names.ts'
import type { Place } from './place.ts'
import { mostInSegment } from './segments.ts'

/** The contents of a replica, and what this machine has not shipped yet. Times are in milliseconds since 1970. */
type ReplicaStatus = {
  /** The newest snapshot; null while there is none. */
  snapshot: { generation: string; at: number; bytes: number; parts: number } | null
  /** The oldest time that can be restored. */
  from: number | null
  /** The number of the newest log file of the current generation in the place. */
  logged: number
  photos: number
  /** The waiting commits of this machine, and since when they wait. */
  waiting: { files: number; bytes: number; since: number } | null
  /** Bytes of shipped commits that are not merged into segments, if they are more than usual. */
  unmerged: number | null
}

/** Throws if the place does not answer. */
export async function statusOf(place: Place, spool: string, key: ReplicaKey | null): Promise<ReplicaStatus> {
  const found = await Array.fromAsync(place.list('manifest'), ({ name }) => manifestFile(name))
  const manifests = found.filter((file) => file !== null).sort(newestFirst)
  const read = async (name: string) => {
    const bytes = await place.get(name)
    return bytes && decode('manifest', bytes, name, key)
  }
  const newest = manifests[0] && (await read(manifests[0].name))
  const oldest = manifests.length > 0 ? await read(manifests.at(-1)!.name) : null
  const current = generationIn(spool) ?? manifests[0]?.generation
  let logged = 0
  if (current !== undefined)
    for (const folder of ['segment', 'log'])
      for await (const { name } of place.list(`${folder}/${current}`)) logged = Math.max(logged, logFile(name)?.to ?? 0)
  let photos = 0
  for await (const { name } of place.list('media')) if (!name.includes('.320.')) photos++
  return {
    snapshot: newest
      ? {
          generation: newest.header.generation,
          at: newest.header.at,
          bytes: newest.header.pages * newest.header.page_size,
          parts: JSON.parse(newest.content().toString('utf8')).length,
        }
      : null,
    from: oldest?.header.at ?? null,
    logged,
    photos,
    waiting: current === undefined ? null : waitingIn(spool, current, logged),
    unmerged: current === undefined ? null : unmergedIn(spool, current, logged),
  }
}

function generationIn(spool: string): string | undefined {
  try {
    return JSON.parse(readFileSync(join(spool, 'state.json'), 'utf8')).generation?.id
  } catch {
    // Only the server's machine has this file.
    return undefined
  }
}

function logsIn(spool: string, generation: string, isOf: (seq: number) => boolean) {
  if (!existsSync(spool)) return []
  return readdirSync(spool)
    .filter(isSpooled)
    .filter((file) => {
      const log = logFile(shippedAs(file))
      return log !== null && log.generation === generation && isOf(log.to)
    })
    .map((file) => statSync(join(spool, file)))
}

function unmergedIn(spool: string, generation: string, logged: number): number | null {
  // The newest file stays in the spool.
  const bytes = logsIn(spool, generation, (seq) => seq < logged).reduce((sum, { size }) => sum + size, 0)
  return bytes > 2 * mostInSegment ? bytes : null
}

function waitingIn(spool: string, generation: string, logged: number) {
  const files = logsIn(spool, generation, (seq) => seq > logged)
  if (files.length === 0) return null
  return {
    files: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    since: Math.min(...files.map(({ mtimeMs }) => mtimeMs)),
  }
}
