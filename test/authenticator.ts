import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** What is to differ from an answer as it should be. */
export type Forgery = {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  crossOrigin?: boolean
  userVerified?: boolean
  userPresent?: boolean
  counter?: number
  userHandle?: string | null
  /** Signs with another key than the passkey's. */
  otherKey?: boolean
}

export type Algorithm = 'ES256' | 'Ed25519' | 'RS256'

/** An authenticator in software, as a browser shows it to a page: it makes passkeys and answers challenges with them. */
export type Made = ReturnType<typeof passkeyOf>

type Options = { challenge: string; rp: { id: string }; user: { id: string } }
type Request = { challenge: string; rpId: string }

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest()

const head = (major: number, length: number) => {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}

/** CBOR, as far as authenticators use it. */
export function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -value - 1) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)])
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, inner]) => [cbor(key), cbor(inner)])])
  throw new Error('no way to encode that')
}

const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64url')

function keysOf(algorithm: Algorithm): { privateKey: KeyObject; cose: Buffer; alg: number } {
  if (algorithm === 'RS256') {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { n, e } = publicKey.export({ format: 'jwk' })
    const cose = new Map<number, unknown>([[1, 3], [3, -257], [-1, bytes(n)], [-2, bytes(e)]]) // prettier-ignore
    return { privateKey, cose: cbor(cose), alg: -257 }
  }
  if (algorithm === 'Ed25519') {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const { x } = publicKey.export({ format: 'jwk' })
    return { privateKey, cose: cbor(new Map<number, unknown>([[1, 1], [3, -8], [-1, 6], [-2, bytes(x)]])), alg: -8 } // prettier-ignore
  }
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const cose = new Map<number, unknown>([[1, 2], [3, -7], [-1, 1], [-2, bytes(x)], [-3, bytes(y)]]) // prettier-ignore
  return { privateKey, cose: cbor(cose), alg: -7 }
}

const clientData = (type: string, challenge: string, forged: Forgery, origin: string) =>
  Buffer.from(
    JSON.stringify({
      type: forged.type ?? type,
      challenge: forged.challenge ?? challenge,
      origin: forged.origin ?? origin,
      crossOrigin: forged.crossOrigin ?? false,
    }),
  )

function flagsOf({ userPresent = true, userVerified = true }: Forgery, attested: boolean) {
  return (userPresent ? 1 : 0) | (userVerified ? 4 : 0) | (attested ? 64 : 0)
}

const counterBytes = (counter: number) => {
  const written = Buffer.alloc(4)
  written.writeUInt32BE(counter)
  return written
}

/** How an attestation is to be made or forged: its format and statement, given what would be signed. */
export type Attest = (
  toSign: Buffer,
  privateKey: KeyObject,
  alg: number,
) => { fmt: string; attStmt: Map<string, unknown> }
const none: Attest = () => ({ fmt: 'none', attStmt: new Map() })

/** A new passkey for these options. `registration` is what a page sends to add it; `answer` shows it later. */
export function passkeyOf(
  options: Options,
  {
    algorithm = 'ES256',
    origin = 'http://localhost:3000',
    counts = true,
    credentialId = randomBytes(32),
    attest = none,
    forged = {},
  }: {
    algorithm?: Algorithm
    origin?: string
    counts?: boolean
    credentialId?: Buffer
    attest?: Attest
    forged?: Forgery
  } = {},
) {
  const { privateKey, cose, alg } = keysOf(algorithm)
  const id = base64url(credentialId)
  const handle = options.user.id
  let counter = 0
  const digest = algorithm === 'Ed25519' ? null : 'sha256'

  const client = clientData('webauthn.create', options.challenge, forged, origin)
  const idLength = Buffer.from([credentialId.length >> 8, credentialId.length & 255])
  const authData = Buffer.concat([
    sha256(forged.rpId ?? options.rp.id),
    Buffer.from([flagsOf(forged, true)]),
    counterBytes(forged.counter ?? 0),
    Buffer.alloc(16),
    idLength,
    credentialId,
    cose,
  ])
  const { fmt, attStmt } = attest(Buffer.concat([authData, sha256(client)]), privateKey, alg)
  const registration = {
    id,
    rawId: id,
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
    response: {
      clientDataJSON: base64url(client),
      attestationObject: base64url(cbor(new Map<string, unknown>([['fmt', fmt], ['attStmt', attStmt], ['authData', authData]]))), // prettier-ignore
      transports: ['internal'],
    },
  }

  return {
    id,
    handle,
    registration,
    answer(request: Request, wrong: Forgery = {}) {
      counter = wrong.counter ?? (counts ? counter + 1 : 0)
      const said = clientData('webauthn.get', request.challenge, wrong, origin)
      const data = Buffer.concat([
        sha256(wrong.rpId ?? request.rpId),
        Buffer.from([flagsOf(wrong, false)]),
        counterBytes(counter),
      ])
      const key = wrong.otherKey ? keysOf(algorithm).privateKey : privateKey
      const userHandle = wrong.userHandle === undefined ? handle : wrong.userHandle
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(said),
          authenticatorData: base64url(data),
          signature: base64url(sign(digest, Buffer.concat([data, sha256(said)]), key)),
          ...(userHandle !== null && { userHandle }),
        },
      }
    },
  }
}
