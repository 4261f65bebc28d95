type Queue = { waiting: number; refuse(): Error }

/** Limits how much work runs at once. Up to `waiting` more wait in order; beyond that, throws what `refuse` returns. */
export function semaphore({ atOnce, waiting, refuse }: Queue & { atOnce: number }) {
  let running = 0
  const queue: (() => void)[] = []

  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw refuse()
      // Resolved by the work that ends, which passes its place on.
      await new Promise<void>((resolve) => queue.push(resolve))
    } else {
      running++
    }
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}

/** Runs the work of each holder one piece at a time, in order. Each holder has a queue of its own. */
export function mutexPerKey(queue: Queue) {
  const holders = new Map<string, { run: ReturnType<typeof semaphore>; count: number }>()

  return async <T>(holder: string, work: () => Promise<T>): Promise<T> => {
    const own = holders.get(holder) ?? { run: semaphore({ atOnce: 1, ...queue }), count: 0 }
    holders.set(holder, own)
    own.count++
    try {
      return await own.run(work)
    } finally {
      if (--own.count === 0) holders.delete(holder)
    }
  }
}
