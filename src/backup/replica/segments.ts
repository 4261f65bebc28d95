import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { logFile, numbered, shippedAs } from './names.ts'
import type { Place } from './place.ts'

type Options = { place: Place; spool: string; everyMs: number; now: () => number }

const mostInSegment = 32 * 2 ** 20

/** Merges the log files of some minutes into one segment, so that a restore needs fewer requests. */
export function openSegments({ place, spool, everyMs, now }: Options) {
  /** Shipped log files, kept here until they are merged into a segment. */
  let sent: { file: string; bytes: number }[] = []
  /** Files in the place that a segment has replaced. Removed with the next segment, because listings may be late. */
  let superfluous: string[] = []
  let madeAt = now()

  return {
    shipped(file: string, bytes: number) {
      sent.push({ file, bytes })
    },

    /** Call it when the spool was emptied. */
    forget() {
      sent = []
    },

    /** Makes a segment if it is time, or enough bytes are shipped. */
    async make() {
      const bytes = sent.reduce((sum, { bytes }) => sum + bytes, 0)
      if (sent.length < 2 || (now() - madeAt < everyMs && bytes < mostInSegment)) return
      const files = sent.map(({ file }) => ({ file, ...logFile(shippedAs(file))! }))
      const { generation, from } = files[0]!
      const ofOne = files.filter((file, i) => file.generation === generation && file.from === from + i)
      const last = ofOne.at(-1)!
      if (ofOne.length > 1) {
        const parts = await Promise.all(ofOne.map(({ file }) => readFile(join(spool, file))))
        await place.put(`segment/${generation}/${numbered(from)}-${numbered(last.to)}`, Buffer.concat(parts))
        const former = superfluous
        superfluous = ofOne.map(({ file }) => shippedAs(file))
        // A file that cannot be removed is retried with the next segment.
        for (const file of former) await place.remove(file).catch(() => void superfluous.push(file))
      }
      // The newest file stays, because it records how far the log is shipped.
      const kept = sent.at(-1)?.file
      for (const { file } of ofOne) if (file !== kept) rmSync(join(spool, file), { force: true })
      sent = sent.filter(({ file }) => file === kept || !ofOne.some((one) => one.file === file))
      madeAt = now()
    },
  }
}
