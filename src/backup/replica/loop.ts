import { seconds } from '../../lib/time.ts'

// The first retries come soon, because most failures are short.
const retryMs = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10].map((s) => s * seconds)
const lastRetryMs = 30 * seconds

type Loop = {
  /** Resolves when nothing is left to do or a step has failed. Does nothing while the loop waits to retry. */
  wake(): Promise<void>
  /** The same, without waiting to retry. */
  retry(): Promise<void>
  close(): void
}

/** Calls `step` until it returns false. Retries it some time after a failure. */
export function openLoop(step: () => Promise<boolean>, onFailure: (error: unknown) => Promise<void>): Loop {
  let running: Promise<void> | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  let isWoken = false
  let failedInARow = 0
  let closed = false

  async function run() {
    try {
      while (isWoken && !closed) {
        isWoken = false
        while (!closed && (await step())) failedInARow = 0
      }
      failedInARow = 0
    } catch (error) {
      timer = setTimeout(retry, retryMs[failedInARow++] ?? lastRetryMs)
      timer.unref()
      await onFailure(error)
    } finally {
      running = null
    }
  }

  function wake(): Promise<void> {
    if (closed || timer !== null) return Promise.resolve()
    // A step may just have found nothing, and not have returned yet.
    isWoken = true
    running ??= run()
    return running
  }

  function retry() {
    stopTimer()
    return wake()
  }

  function stopTimer() {
    if (timer !== null) clearTimeout(timer)
    timer = null
  }

  return {
    wake,
    retry,
    close() {
      closed = true
      stopTimer()
    },
  }
}
