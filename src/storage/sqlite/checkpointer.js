// A thread that checkpoints the log when checkpoints.ts asks it to. Plain JavaScript, because the binary contains the file as it
// is.
import { Database } from 'bun:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

// A checkpoint repeats for what was written during it, until little is left.
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
