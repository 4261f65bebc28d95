import { Worker } from 'node:worker_threads'

// Each reads for a millisecond at a time, so that hardly a moment is without a reader.
const program = `
  const { Database } = require('bun:sqlite')
  const { workerData } = require('node:worker_threads')
  const db = new Database(workerData.path, { readonly: true })
  const look = db.prepare('SELECT count(*) FROM ' + workerData.table)
  setInterval(() => {
    const end = performance.now() + 1
    db.run('BEGIN')
    look.get()
    while (performance.now() < end);
    db.run('COMMIT')
  }, 1)`

/** Four threads that read a table all the time, as worker threads of a server do under load. Answers what ends them. */
export function readAllTheTime(path: string, table: string): () => Promise<unknown> {
  const threads = Array.from({ length: 4 }, () => new Worker(program, { eval: true, workerData: { path, table } }))
  return () => Promise.all(threads.map((thread) => thread.terminate()))
}
