import { distanceWithin, turns, usualDistance, wordsOf } from '../media/pdq.ts'
import type { BankHash } from './store.ts'

/** Finds how near an image is to the hashes of the bank. */
export type Bank = {
  readonly version: number
  readonly size: number
  /**
   * The distance from an image, as it is, turned or mirrored, to the nearest hash: 0 if the image is within a hash's own
   * distance, and Infinity if all are further than `most`.
   */
  nearest(hashes: string, most: number): number
}

/** From this many hashes on, an index is faster than comparing with each. */
const leastIndexed = 256

export function openBank(version: number, entries: readonly BankHash[]): Bank {
  const hashes = new Int32Array(entries.length * 8)
  const own = new Int16Array(entries.length)
  for (const [i, { hash, distance }] of entries.entries()) {
    hashes.set(wordsOf(hash), i * 8)
    own[i] = distance ?? -1
  }
  const all = own.keys().toArray()
  const ownOf = (entry: number) => own[entry] ?? -1
  const isUsual = (entry: number) => ownOf(entry) <= usualDistance
  const index = entries.length < leastIndexed ? null : openIndex(hashes, all.filter(isUsual))
  // The index finds only hashes within `usualDistance`.
  const unusual = index === null ? all : all.filter((entry) => !isUsual(entry))
  return {
    version,
    size: entries.length,
    nearest(image, most) {
      const words = wordsOf(image)
      let nearest = Infinity
      /** Returns whether nothing can be nearer. */
      const compare = (entry: number, turn: number): boolean => {
        const ownDistance = ownOf(entry)
        const hasOwn = ownDistance >= 0
        const within = hasOwn ? ownDistance : Math.min(most, nearest - 1)
        const distance = distanceWithin(words, turn * 8, hashes, entry * 8, within)
        if (distance <= within) nearest = hasOwn ? 0 : distance
        return nearest === 0
      }
      const isIndexed = index !== null && most <= usualDistance
      for (const entry of isIndexed ? unusual : all)
        for (let turn = 0; turn < turns; turn++) if (compare(entry, turn)) return 0
      if (isIndexed)
        for (let turn = 0; turn < turns; turn++)
          if (index.some(words, turn * 8, (entry) => compare(entry, turn))) return 0
      return nearest
    },
  }
}

const chunks = 16
const chunkBits = 16
const chunkValues = 2 ** chunkBits

const chunkOf = (words: Int32Array, at: number, chunk: number) =>
  ((words[at + (chunk >> 1)] ?? 0) >>> (chunk & 1 ? 0 : chunkBits)) & (chunkValues - 1)

/**
 * Hashes by their chunks of 16 bits: of two hashes that differ in 31 bits at most, one chunk differs in one bit at most.
 * "Fast Search in Hamming Space with Multi-Index Hashing" (Norouzi, Punjani, Fleet, 2012).
 */
function openIndex(hashes: Int32Array, entries: readonly number[]) {
  // Where the entries of each value of each chunk begin, one after the other.
  const starts = new Int32Array(chunks * chunkValues + 1)
  const placeOf = (entry: number, chunk: number) => chunk * chunkValues + chunkOf(hashes, entry * 8, chunk)
  for (const entry of entries)
    for (let chunk = 0; chunk < chunks; chunk++) {
      const after = placeOf(entry, chunk) + 1
      starts[after] = (starts[after] ?? 0) + 1
    }
  // Most values have no entries. One bit per value tells so, and all bits fit into the processor's cache.
  const isThere = new Uint8Array((chunks * chunkValues) / 8)
  for (let i = 0; i < starts.length - 1; i++) {
    const count = starts[i + 1] ?? 0
    if (count > 0) isThere[i >> 3] = (isThere[i >> 3] ?? 0) | (1 << (i & 7))
    starts[i + 1] = count + (starts[i] ?? 0)
  }
  const found = new Int32Array(entries.length * chunks)
  const next = starts.slice()
  for (const entry of entries)
    for (let chunk = 0; chunk < chunks; chunk++) {
      const place = placeOf(entry, chunk)
      const free = next[place] ?? 0
      found[free] = entry
      next[place] = free + 1
    }
  return {
    /** Whether `test` is true for one of the entries that may be near. It may be called more than once for an entry. */
    some(words: Int32Array, at: number, test: (entry: number) => boolean): boolean {
      for (let chunk = 0; chunk < chunks; chunk++) {
        const value = chunkOf(words, at, chunk)
        for (let bit = -1; bit < chunkBits; bit++) {
          const place = chunk * chunkValues + (bit < 0 ? value : value ^ (1 << bit))
          if (((isThere[place >> 3] ?? 0) & (1 << (place & 7))) === 0) continue
          const [from, to] = [starts[place] ?? 0, starts[place + 1] ?? 0]
          for (let i = from; i < to; i++) if (test(found[i] ?? 0)) return true
        }
      }
      return false
    },
  }
}
