import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { logFile, numbered, shippedAs } from './names.ts'
import type { Place } from './place.ts'

type Options = { place: Place; spool: string; everyMs: number; most?: number; now: () => number }

type Shipped = { file: string; bytes: number }

/** Bytes in a segment, which has to arrive as a whole. */
export const mostInSegment = 8 * 2 ** 20

/** Merges the log files of some minutes into segments, so that a restore needs fewer requests. */
export function openSegments({ place, spool, everyMs, most = mostInSegment, now }: Options) {
  /** Shipped log files, kept here until they are merged into a segment. */
  let sent: Shipped[] = []
  /** The newest of the files that are being merged. */
  let last: Shipped | undefined
  /** Files in the place that a segment has replaced. They stay for a while, because listings may be late. */
  let superfluous: { name: string; since: number }[] = []
  let beganAt = now()

  const toMerge = () => sent.slice(0, sent.findIndex((one) => one === last) + 1)

  /** The first files that follow each other and fit into one segment. At least one. */
  function firstGroup(files: readonly Shipped[]): Shipped[] {
    const group: Shipped[] = []
    let bytes = 0
    for (const file of files) {
      const before = group.at(-1)
      bytes += file.bytes
      if (before && (bytes > most || !follows(file, before))) break
      group.push(file)
    }
    return group
  }

  async function store(group: readonly Shipped[]) {
    const logs = group.map(({ file }) => logFile(shippedAs(file))!)
    const [{ generation, from }, { to }] = [logs[0]!, logs.at(-1)!]
    const parts = await Promise.all(group.map(({ file }) => readFile(join(spool, file))))
    await place.put(`segment/${generation}/${numbered(from)}-${numbered(to)}`, Buffer.concat(parts))
    const former = superfluous.filter(({ since }) => now() - since >= everyMs)
    superfluous = superfluous.filter((one) => !former.includes(one))
    for (const { name } of logs) superfluous.push({ name, since: now() })
    // A file that cannot be removed is retried with the next segment.
    for (const one of former) await place.remove(one.name).catch(() => void superfluous.push(one))
  }

  /** Forgets files that are merged, or need not be. The newest stays, because it records how far the log is shipped. */
  function drop(files: readonly Shipped[]) {
    const newest = sent.at(-1)
    const dropped = files.filter((one) => one !== newest)
    sent = sent.filter((one) => !dropped.includes(one))
    for (const { file } of dropped) rmSync(join(spool, file), { force: true })
  }

  return {
    shipped(file: string, bytes: number) {
      sent.push({ file, bytes })
    },

    /** Call it when the spool was emptied. */
    forget() {
      sent = []
    },

    /** Leaves all files unmerged. A restore needs more requests then. */
    skip: () => drop(sent),

    /** The bytes beyond one segment. They are merged at once, unless the place refuses segments or is slow. */
    waitingBytes: () => Math.max(0, bytesOf(sent.slice(0, -1)) - most),

    /** Makes one segment if it is time, or enough bytes are shipped. Returns whether it may have more to do. */
    async make(): Promise<boolean> {
      if (toMerge().length < 2 && (now() - beganAt >= everyMs || bytesOf(sent) >= most)) {
        last = sent.at(-1)
        beganAt = now()
      }
      const files = toMerge()
      if (files.length < 2) return false
      const group = firstGroup(files)
      if (group.length > 1) await store(group)
      drop(group)
      return true
    },
  }
}

const bytesOf = (files: readonly Shipped[]) => files.reduce((sum, { bytes }) => sum + bytes, 0)

function follows(file: Shipped, before: Shipped): boolean {
  const [log, logBefore] = [logFile(shippedAs(file.file)), logFile(shippedAs(before.file))]
  return log !== null && log.generation === logBefore?.generation && log.from === logBefore.to + 1
}
