import { distanceWithin, turns, wordsOf } from '../media/pdq.ts'
import type { BankHash } from './store.ts'

/** Finds the hashes of the bank that an image is near to. */
export type Bank = {
  readonly version: number
  readonly size: number
  /**
   * How near the nearest hash is to an image as it is, turned or mirrored: 0 where the image is within the own distance of a
   * hash that has one, and Infinity if all are further than `most`.
   */
  nearest(hashes: string, most: number): number
}

/** Compares with one after the other: with 10,000 hashes that takes a millisecond. */
export function openBank(version: number, entries: readonly BankHash[]): Bank {
  const hashes = new Int32Array(entries.length * 8)
  const own = new Int16Array(entries.length)
  for (const [i, { hash, distance }] of entries.entries()) {
    hashes.set(wordsOf(hash), i * 8)
    own[i] = distance ?? -1
  }
  return {
    version,
    size: entries.length,
    nearest(image, most) {
      const words = wordsOf(image)
      let nearest = Infinity
      for (let entry = 0; entry < own.length && nearest > 0; entry++) {
        const hasOwn = own[entry]! >= 0
        for (let turn = 0; turn < turns; turn++) {
          const within = hasOwn ? own[entry]! : Math.min(most, nearest - 1)
          const distance = distanceWithin(words, turn * 8, hashes, entry * 8, within)
          if (distance <= within) nearest = hasOwn ? 0 : distance
        }
      }
      return nearest
    },
  }
}
