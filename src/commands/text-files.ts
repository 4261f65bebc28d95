import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { codeOf } from '../lib/errors.ts'

/** The text of a file, or of the standard input if `file` is -. Throws if it is larger than `largest` bytes. */
export async function readText(file: string, largest: number): Promise<string> {
  const isStdin = file === '-'
  const shown = isStdin ? 'the standard input' : file
  const parts: Uint8Array[] = []
  let size = 0
  try {
    // In parts, because the size of a pipe is not known.
    for await (const part of isStdin ? Bun.stdin.stream() : createReadStream(file)) {
      parts.push(part)
      size += part.length
      if (size > largest) throw new Error(`${shown} is larger than the limit of ${largest / 1024 / 1024} MB`)
    }
  } catch (error) {
    if (codeOf(error) === '') throw error
    throw new Error(`${shown} cannot be read (${codeOf(error)})`, { cause: error })
  }
  return new TextDecoder().decode(Buffer.concat(parts))
}

/** Writes a text into a file that only its owner may read, or to the standard output if `file` is -. */
export async function writeText(file: string, text: string) {
  if (file !== '-') return writeFile(file, text, { mode: 0o600 })
  try {
    await Bun.write(Bun.stdout, text)
  } catch (error) {
    // The reader, such as `head`, wants no more.
    if (codeOf(error) !== 'EPIPE') throw error
  }
}
