/**
 * Batches the look-ups of one turn of the event loop, up to `most` keys at a time. `lookUp` returns the results in the order
 * of the keys.
 */
export function batched<Key, Found>(
  lookUp: (keys: readonly Key[]) => Promise<readonly Found[]>,
  most: number,
): (key: Key) => Promise<Found> {
  let asked: { key: Key; resolve(found: Found): void; reject(error: unknown): void }[] = []

  async function answer(some: typeof asked) {
    try {
      const found = await lookUp(some.map(({ key }) => key))
      if (found.length !== some.length) throw new Error('a look-up must return a result for each key')
      for (const [i, result] of found.entries()) some[i]?.resolve(result)
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
  }

  function answerAll() {
    const all = asked
    asked = []
    for (let i = 0; i < all.length; i += most) void answer(all.slice(i, i + most))
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (asked.length === 0) setImmediate(answerAll)
      asked.push({ key, resolve, reject })
    })
}
