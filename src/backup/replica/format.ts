import { createDecipheriv, hkdfSync } from 'node:crypto'

/**
 * The container format of all files in a replica, which the thread `replicator.js` writes:
 *
 *     convene1 · length of the header (u32, little endian) · header (JSON) · body · SHA-256 of everything before it
 *
 * The body is compressed with zstd. With a key it is then encrypted with AES-256-GCM, with a key derived by HKDF-SHA256 and a
 * random nonce for each file; the header is authenticated too. A segment is a sequence of containers.
 */
export type Header = {
  /** Length of the stored body, and of its content. */
  stored: number
  bytes: number
  at: number
  /** Id of the key that encrypts the body; absent if it is not encrypted. */
  key?: string
  nonce?: string
} & (
  | { kind: 'log'; generation: string; seq: number; prev: string; page_size: number; pages: number }
  | { kind: 'part'; generation: string; page: number; count: number; page_size: number }
  | {
      kind: 'manifest'
      generation: string
      start: number
      seq: number
      base: string
      pages: number
      page_size: number
    }
  | { kind: 'file' }
)

export type Kind = Header['kind']
export type HeaderOf<K extends Kind> = Extract<Header, { kind: K }>

export type Decoded<K extends Kind = Kind> = { header: HeaderOf<K>; sum: string; content(): Buffer }

/** A replica file is damaged, or encrypted with another key. The message is for the operator. */
export class ReplicaError extends Error {
  override readonly name = 'ReplicaError'
}

const magic = 'convene1'
const sumLength = 32
const longestHeader = 65_536

export type ReplicaKey = { key: Buffer; id: string }

/** The file matches its checksum but needs another key. */
export class OtherKeyError extends ReplicaError {}

/** Derives the encryption key from REPLICA_KEY. */
export function replicaKey(secret: Uint8Array): ReplicaKey {
  const derived = (info: string, length: number) => Buffer.from(hkdfSync('sha256', secret, '', info, length))
  return { key: derived('convene replica v1', 32), id: derived('convene replica v1 key id', 8).toString('hex') }
}

/** Reads the containers in a file one after another, and checks each before returning it. Throws ReplicaError. */
export function* decodeAll(bytes: Uint8Array, name: string, key: ReplicaKey | null): Generator<Decoded> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (all.length === 0) throw new ReplicaError(`${name} is empty`)
  for (let at = 0; at < all.length;) {
    const { decoded, length } = decodeAt(all, at, name, key)
    yield decoded
    at += length
  }
}

/** The same for a file with exactly one container of that kind. */
export function decode<K extends Kind>(kind: K, bytes: Uint8Array, name: string, key: ReplicaKey | null): Decoded<K> {
  const [decoded, ...more] = [...decodeAll(bytes, name, key)]
  if (more.length > 0 || decoded!.header.kind !== kind) throw new ReplicaError(`${name} is not what its name says`)
  return decoded as unknown as Decoded<K>
}

function decodeAt(all: Buffer, start: number, name: string, key: ReplicaKey | null) {
  const damaged = (why: string) => new ReplicaError(`${name} is damaged: ${why}`)
  if (all.length < start + 12) throw damaged('it is cut off')
  if (all.toString('latin1', start, start + 8) !== magic) throw damaged('it is no file of a replica')
  const headerLength = all.readUInt32LE(start + 8)
  const bodyAt = start + 12 + headerLength
  if (headerLength > longestHeader || bodyAt > all.length) throw damaged('it is cut off')
  const text = all.subarray(start + 12, bodyAt)
  let header: Header
  try {
    header = JSON.parse(text.toString('utf8'))
  } catch {
    throw damaged('its header cannot be read')
  }
  const end = bodyAt + header.stored
  if (!Number.isSafeInteger(end) || end < bodyAt || end + sumLength > all.length) throw damaged('it is cut off')
  const sum = all.subarray(end, end + sumLength)
  if (!new Bun.CryptoHasher('sha256').update(all.subarray(start, end)).digest().equals(sum))
    throw damaged('it does not match its checksum')
  const content = () => {
    // Somebody who can write to the place could have put an unencrypted file there.
    if (header.key === undefined && key !== null)
      throw new OtherKeyError(`${name} is not encrypted, and REPLICA_KEY is set`)
    const stored =
      header.key === undefined ? all.subarray(bodyAt, end) : opened(header, text, all.subarray(bodyAt, end))
    const body = Bun.zstdDecompressSync(stored)
    if (body.length !== header.bytes) throw damaged('its content has another length')
    return body
  }
  function opened({ key: id, nonce }: Header, header: Buffer, body: Buffer): Buffer {
    if (key === null) throw new OtherKeyError(`${name} is encrypted: set the REPLICA_KEY that it was written with`)
    if (key.id !== id) throw new OtherKeyError(`${name} is encrypted with another REPLICA_KEY`)
    const decipher = createDecipheriv('aes-256-gcm', key.key, Buffer.from(nonce!, 'hex'))
    decipher.setAAD(header)
    decipher.setAuthTag(body.subarray(-16))
    try {
      return Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()])
    } catch {
      throw damaged('it was changed since it was encrypted')
    }
  }
  return { decoded: { header, sum: sum.toString('hex'), content }, length: end + sumLength - start }
}

/** The pages in a file of the log. */
export function* pagesIn(content: Buffer, pageSize: number): Generator<{ number: number; page: Buffer }> {
  const count = content.readUInt32LE(0)
  for (let i = 0, at = 4 + 4 * count; i < count; i++, at += pageSize)
    yield { number: content.readUInt32LE(4 + 4 * i), page: content.subarray(at, at + pageSize) }
}
