type Bounds = {
  atOnce: number
  /** The longest queue, in total and for each holder. */
  waiting: { all: number; each: number }
  /** The error to throw when the queue is full. */
  refuse(): Error
}

/**
 * Limits how much work runs at once, with at most one piece for each holder. Waiting holders take turns, so that nobody waits
 * longer because another holder has queued a lot.
 */
export function fairSemaphore({ atOnce, waiting, refuse }: Bounds) {
  const running = new Set<string>()
  /** The queue of each holder, in the order of their turns. */
  const queues = new Map<string, (() => void)[]>()
  let queued = 0

  function beginNext() {
    for (const [holder, queue] of queues) {
      if (running.has(holder)) continue
      queues.delete(holder)
      const begin = queue.shift()
      if (begin === undefined) continue
      if (queue.length > 0) queues.set(holder, queue)
      queued--
      running.add(holder)
      return begin()
    }
  }

  return async <T>(holder: string, work: () => Promise<T>): Promise<T> => {
    if (running.size >= atOnce || running.has(holder)) {
      const queue = queues.get(holder) ?? []
      if (queued >= waiting.all || queue.length >= waiting.each) throw refuse()
      queues.set(holder, queue)
      queued++
      // Resolved by the work that ends, which has counted this one as running.
      await new Promise<void>((resolve) => queue.push(resolve))
    } else {
      running.add(holder)
    }
    try {
      return await work()
    } finally {
      running.delete(holder)
      beginNext()
    }
  }
}
