// A thread of its own, told by checkpoints.ts to take the log into the file. As JavaScript, since it is carried into the
// binary as it is.
import { Database } from 'bun:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

// What is written during one is left for the next, until little is.
const atMost = 4
const little = 300

const db = new Database(workerData, { readwrite: true })
db.run('PRAGMA synchronous = FULL')
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')

parentPort.on('message', () => {
  try {
    for (let i = 0, before = 0; i < atMost; i++) {
      const { checkpointed } = checkpoint.get()
      if (i > 0 && checkpointed - before < little) break
      before = checkpointed
    }
    parentPort.postMessage(null)
  } catch ({ code, message }) {
    parentPort.postMessage({ code, message })
  }
})
