import { closeSync, fsyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'

// SQLite knows from its header how many pages a database has, and does not read what follows them.
const line = /^convene-backup-sha256 ([0-9a-f]{64})\n$/
const lineOf = (sum: string) => `convene-backup-sha256 ${sum}\n`
const lineLength = lineOf('0'.repeat(64)).length
const chunk = 4 * 2 ** 20

export const sha256Of = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

/** Ends a file with a line that holds the SHA-256 of all before it, and waits for the disk. */
export function appendChecksum(path: string) {
  const file = openSync(path, 'r+')
  try {
    const { size } = fstatSync(file)
    writeSync(file, lineOf(sumOf(file, size)), size)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Whether a file is what was written: null if it does not end with a checksum. */
export function matchesChecksum(path: string): boolean | null {
  const file = openSync(path, 'r')
  try {
    const end = fstatSync(file).size - lineLength
    if (end < 0) return null
    const last = Buffer.alloc(lineLength)
    readSync(file, last, 0, lineLength, end)
    const said = line.exec(last.toString('latin1'))?.[1]
    return said === undefined ? null : sumOf(file, end) === said
  } finally {
    closeSync(file)
  }
}

function sumOf(file: number, length: number): string {
  const hash = new Bun.CryptoHasher('sha256')
  const buffer = Buffer.alloc(Math.min(chunk, length))
  for (let at = 0; at < length;) {
    const read = readSync(file, buffer, 0, Math.min(buffer.length, length - at), at)
    if (read === 0) throw new Error('the file became shorter while it was read')
    hash.update(buffer.subarray(0, read))
    at += read
  }
  return hash.digest('hex')
}
