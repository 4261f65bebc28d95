/** How long to wait for an answer, in milliseconds. */
export const answerWithinMs = 30_000

/**
 * Runs a request, and aborts it after `ms`, because a lost connection may never report an error. The request then fails with a
 * TypeError, as `fetch` does without a network. `signal` is the caller's own.
 */
export async function withDeadline<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const controller = new AbortController()
  const stop = () => controller.abort()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = !controller.signal.aborted
    stop()
  }, ms)
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop)
  try {
    return await work(controller.signal)
  } catch (error) {
    throw isLate ? new TypeError('The server does not answer.') : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
