/** Lets so much work run at once, and so much wait in the order in which it came; for more, `refuse` makes what is thrown. */
export function turnstile({ atOnce, waiting, refuse }: { atOnce: number; waiting: number; refuse(): Error }) {
  let running = 0
  const queue: (() => void)[] = []

  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw refuse()
      // Resolved by the one that is done, which hands its place over without giving it up in between.
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
