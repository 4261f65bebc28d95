/** Random choices that come again with the same seed: xoshiro128** (Blackman and Vigna), seeded by a SHA-256 of the text. */
export type Random = {
  /** 0 ≤ x < 1. */
  next(): number
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number
  pick<T>(list: readonly T[]): T
  /** True that often, of 1. */
  chance(probability: number): boolean
}

export function random(seed: string): Random {
  const digest = new Bun.CryptoHasher('sha256').update(seed).digest()
  const state = Uint32Array.from({ length: 4 }, (_, i) => digest.readUInt32LE(4 * i))
  const turn = (x: number, by: number) => (x << by) | (x >>> (32 - by))

  function next(): number {
    const [a, b, c, d] = state as unknown as [number, number, number, number]
    const result = Math.imul(turn(Math.imul(b, 5), 7), 9) >>> 0
    state[2] = c ^ a
    state[3] = d ^ b
    state[1] = b ^ state[2]!
    state[0] = a ^ state[3]!
    state[2] = state[2]! ^ (b << 9)
    state[3] = turn(state[3]!, 11)
    return result / 2 ** 32
  }

  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    integer,
    pick: (list) => list[integer(0, list.length - 1)]!,
    chance: (probability) => next() < probability,
  }
}
