import { closeSync, fsyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'

// The header of a database has its number of pages, and SQLite ignores what follows them.
const line = /^convene-backup-sha256 ([0-9a-f]{64})\n$/
const lineOf = (sum: string) => `convene-backup-sha256 ${sum}\n`
const lineLength = lineOf('0'.repeat(64)).length
const chunk = 4 * 2 ** 20

export const sha256Of = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

/** Appends a line with the SHA-256 of everything before it, and syncs the file. */
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

/** Whether a file matches the checksum at its end; null if it has none. */
export function matchesChecksum(path: string): boolean | null {
  const file = openSync(path, 'r')
  try {
    const end = fstatSync(file).size - lineLength
    if (end < 0) return null
    const last = Buffer.alloc(lineLength)
    readSync(file, last, 0, lineLength, end)
    const stated = line.exec(last.toString('latin1'))?.[1]
    return stated === undefined ? null : sumOf(file, end) === stated
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
