import { writeFile } from 'node:fs/promises'

/** The text of a file, or of the standard input if `file` is -. Throws if it is larger than `largest` bytes. */
export async function readText(file: string, largest: number): Promise<string> {
  const isStdin = file === '-'
  const tooLarge = () =>
    new Error(`${isStdin ? 'the standard input' : file} is larger than the limit of ${largest / 1024 / 1024} MB`)
  const source = isStdin ? Bun.stdin : Bun.file(file)
  if (!isStdin && source.size > largest) throw tooLarge()
  const text = await source.text()
  if (text.length > largest) throw tooLarge()
  return text
}

/** Writes a text into a file that only its owner may read, or to the standard output if `file` is -. */
export async function writeText(file: string, text: string) {
  if (file === '-') await Bun.write(Bun.stdout, text)
  else await writeFile(file, text, { mode: 0o600 })
}
