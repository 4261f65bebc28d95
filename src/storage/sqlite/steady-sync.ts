import { Worker } from 'node:worker_threads'
import syncer from './syncer.js' with { type: 'file' }

/**
 * Does work that writes a large file, while a thread syncs that file again and again. Otherwise hundreds of megabytes gather in
 * memory and go to the disk at once, and a server's commit waits behind all of them.
 *
 * Rejects if the work failed, with its error, and if a sync failed: part of the file may then be lost, whatever a later sync says.
 */
export async function syncSteadily<T>(path: string, work: () => Promise<T>): Promise<T> {
  const ending = new Int32Array(new SharedArrayBuffer(4))
  const ended = Promise.withResolvers<void>()
  const thread = new Worker(syncer, { workerData: { path, ending } })
  thread.on('error', ended.reject)
  thread.on('exit', () => ended.resolve())
  const working = work().finally(() => {
    Atomics.store(ending, 0, 1)
    Atomics.notify(ending, 0)
  })
  await Promise.allSettled([working, ended.promise])
  const result = await working
  await ended.promise
  return result
}
