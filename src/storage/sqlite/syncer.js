// A thread that syncs a file again and again while another thread writes it: see steady-sync.ts. Plain JavaScript, because the
// binary contains the file as it is.
import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

// A disk writes a few megabytes in this time.
const everyMs = 10

const { path, ending } = workerData
const file = openSync(path, 'r+')
while (Atomics.wait(ending, 0, 0, everyMs) === 'timed-out') fdatasyncSync(file)
closeSync(file)
