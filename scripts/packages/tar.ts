/** An entry of an archive. Names do not begin with a slash; a directory's name ends with one. */
export type Entry = { name: string; mode?: number; uid?: number; gid?: number } & (
  { bytes: Uint8Array } | { link: string } | { directory: true }
)

const block = 512

/**
 * A tar archive (POSIX ustar). The same entries give the same bytes: owners are numbers, and the time is that of the sources
 * (`SOURCE_DATE_EPOCH`), so that anybody can build a package again and compare.
 */
export function tar(entries: readonly Entry[], time: number): Uint8Array {
  const parts: Uint8Array[] = []
  for (const entry of entries) {
    const bytes = 'bytes' in entry ? entry.bytes : new Uint8Array()
    parts.push(headerOf(entry, bytes.length, time), bytes, new Uint8Array((block - (bytes.length % block)) % block))
  }
  return Buffer.concat([...parts, new Uint8Array(2 * block)])
}

function headerOf(entry: Entry, size: number, time: number): Uint8Array {
  const header = Buffer.alloc(block)
  const [type, mode] = 'link' in entry ? ['2', 0o777] : 'directory' in entry ? ['5', 0o755] : ['0', 0o644]
  if (Buffer.byteLength(entry.name) > 100) throw new Error(`too long a name for ustar: ${entry.name}`)
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, length, 'latin1')
  header.write(entry.name, 0, 100)
  octal(entry.mode ?? mode, 100, 8)
  octal(entry.uid ?? 0, 108, 8)
  octal(entry.gid ?? 0, 116, 8)
  octal(size, 124, 12)
  octal(time, 136, 12)
  // The checksum is computed with blanks in its own field.
  header.fill(' ', 148, 156)
  header.write(type, 156, 1)
  if ('link' in entry) header.write(entry.link, 157, 100)
  header.write('ustar\x0000', 257, 8, 'latin1')
  let sum = 0
  for (const byte of header) sum += byte
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8, 'latin1')
  return header
}

/** Adds the parent directories of all entries, each once and before its contents. */
export function withDirectories(entries: readonly Entry[]): Entry[] {
  const given = new Set(entries.map(({ name }) => name))
  const made = new Set<string>()
  return entries.flatMap((entry) => {
    const parts = entry.name.replace(/\/$/, '').split('/').slice(0, -1)
    const above = parts.map((_, i) => `${parts.slice(0, i + 1).join('/')}/`)
    const missing = above.filter((name) => name !== './' && !given.has(name) && !made.has(name))
    for (const name of missing) made.add(name)
    return [...missing.map((name) => ({ name, directory: true as const })), entry]
  })
}

/** An ar archive, the format of Debian packages. */
export function ar(members: readonly { name: string; bytes: Uint8Array }[], time: number): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from('!<arch>\n')]
  for (const { name, bytes } of members) {
    const field = (value: string | number, length: number) => String(value).padEnd(length)
    const header = `${field(name, 16)}${field(time, 12)}${field(0, 6)}${field(0, 6)}${field('100644', 8)}${field(bytes.length, 10)}\`\n`
    parts.push(Buffer.from(header, 'latin1'), bytes, Buffer.from(bytes.length % 2 === 0 ? '' : '\n'))
  }
  return Buffer.concat(parts)
}
