export type Random = ReturnType<typeof openRandom>

/**
 * Numbers that look random and are the same for the same seed: the generator sfc32 of Chris Doty-Humphrey's PractRand,
 * with 128 bits of state. For making data up, never for keys.
 */
export function openRandom(seed: string) {
  const state = new Bun.CryptoHasher('sha256').update(seed).digest()
  let [a, b, c, counter] = [state.readInt32LE(0), state.readInt32LE(4), state.readInt32LE(8), 1]

  /** 32 bits. */
  function next(): number {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return sum >>> 0
  }
  for (let i = 0; i < 12; i++) next()

  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

  /** The first 12 digits are given; 122 bits less those are random. */
  function uuid(start: string, version: string): string {
    const [high, low] = [next(), next()]
    const variant = hex(0x8000 | (high >>> 18), 4)
    const end = hex((high & 0xffff) * 2 ** 32 + low, 12)
    return `${start}-${version}${hex(next() >>> 20, 3)}-${variant}-${end}`
  }

  return {
    /** In [0, 1). */
    unit: () => next() / 2 ** 32,

    /** A whole number from 0 up to `end`, which is not reached. */
    below: (end: number) => Math.floor((next() / 2 ** 32) * end),

    chance: (probability: number) => next() / 2 ** 32 < probability,

    pick<T>(list: readonly T[]): T {
      const one = list[Math.floor((next() / 2 ** 32) * list.length)]
      if (one === undefined) throw new Error('there is nothing to choose from')
      return one
    },

    /** The same list in another order, by Fisher and Yates's method. */
    shuffled<T>(list: readonly T[]): T[] {
      const all = [...list]
      for (let i = all.length - 1; i > 0; i--) {
        const j = Math.floor((next() / 2 ** 32) * (i + 1))
        // Swaps the two.
        all.splice(i, 1, ...all.splice(j, 1, ...all.slice(i, i + 1)))
      }
      return all
    },

    /** With mean 0 and deviation 1, by Box and Muller's method. */
    normal: () => Math.sqrt(-2 * Math.log(1 - next() / 2 ** 32)) * Math.cos((2 * Math.PI * next()) / 2 ** 32),

    /** Waiting times, with that mean. */
    exponential: (mean: number) => -mean * Math.log(1 - next() / 2 ** 32),

    /** A UUIDv7 of that time. */
    uuidAt(ms: number): string {
      const time = hex(Math.floor(ms), 12)
      return uuid(`${time.slice(0, 8)}-${time.slice(8)}`, '7')
    },

    /** A UUIDv4, which tells no time. */
    uuid: () => uuid(`${hex(next(), 8)}-${hex(next() >>> 16, 4)}`, '4'),
  }
}

/** Splits a total in proportion to weights, into whole numbers that add up to it (by largest remainders). */
export function apportion(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((a, b) => a + b, 0)
  const shares = weights.map((weight) => (total * weight) / sum)
  const parts = shares.map(Math.floor)
  const missing = total - parts.reduce((a, b) => a + b, 0)
  const byRemainder = shares
    .map((share, i) => [share - Math.floor(share), i] as const)
    .sort(([x, i], [y, j]) => y - x || i - j)
  const oneMore = new Set(byRemainder.slice(0, missing).map(([, i]) => i))
  return parts.map((part, i) => (oneMore.has(i) ? part + 1 : part))
}
