import { generateKeyPairSync } from 'node:crypto'
import { challengeLifetime } from './rules.ts'
import { isRecord } from '../../lib/record.ts'

/** A passkey's answer to a challenge: the parts of AuthenticationResponseJSON (WebAuthn Level 3) that are read. */
export type Assertion = {
  id: string
  rawId: string
  type: 'public-key'
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null }
}

/** A new passkey: the parts of RegistrationResponseJSON that are read. */
export type Registration = {
  id: string
  rawId: string
  type: 'public-key'
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] | null }
}

/** What the page that answered a challenge says of itself. The authenticator's signature covers it. */
export type ClientData = { challenge: string; origin: string }

/** What an answer is compared with. */
type Expected = ClientData & { rpId: string }

// Loaded with the first request that needs it: it takes a fifth of a second, and 25 MB.
async function load() {
  // The library needs this before it is loaded. It imports it by itself, but too late in the compiled binary.
  await import('reflect-metadata')
  const [server, { cose, decodeAttestationObject, decodeCredentialPublicKey }] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ])
  return { ...server, cose, decodeAttestationObject, decodeCredentialPublicKey }
}

// Of the IANA registry of COSE algorithms: EdDSA, ES256 and RS256.
const algorithms = [-8, -7, -257]

/**
 * The client data of a credential; null if it is malformed, or comes from a frame in another site's page, which could make
 * people confirm what they do not see.
 */
export function clientDataOf(clientDataJSON: string): ClientData | null {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    if (!isRecord(data)) return null
    const { challenge, origin, crossOrigin } = data
    if (typeof challenge !== 'string' || typeof origin !== 'string') return null
    return crossOrigin === undefined || crossOrigin === false ? { challenge, origin } : null
  } catch {
    return null
  }
}

/** Options as `navigator.credentials.get()` takes them. */
export const requestOptions = (challenge: Uint8Array, rpId: string) => ({
  challenge: base64url(challenge),
  rpId,
  // None is named: the authenticator offers those that it has, and nobody learns who has one.
  allowCredentials: [],
  timeout: challengeLifetime,
  userVerification: 'required' as const,
})

type NewCredential = {
  challenge: Uint8Array
  rp: { id: string; name: string }
  user: { handle: Uint8Array; name: string; displayName: string }
  /** The credentials of this account: an authenticator makes no second one. */
  known: readonly { credential_id: string; transports: readonly string[] }[]
}

/** Options as `navigator.credentials.create()` takes them. */
export const creationOptions = ({ challenge, rp, user, known }: NewCredential) => ({
  challenge: base64url(challenge),
  rp: { id: rp.id, name: rp.name },
  user: { id: base64url(user.handle), name: user.name, displayName: user.displayName },
  pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
  excludeCredentials: known.map(({ credential_id: id, transports }) => ({
    id,
    type: 'public-key' as const,
    transports: [...transports],
  })),
  // `requireResidentKey` is for browsers of before `residentKey`.
  authenticatorSelection: {
    residentKey: 'required' as const,
    requireResidentKey: true as const,
    userVerification: 'required' as const,
  },
  attestation: 'none' as const,
  timeout: challengeLifetime,
})

/** The key that a credential proves to have made, base64url-encoded; null where anything about it is wrong. */
export async function verifiedRegistration(
  credential: Registration,
  { challenge, origin, rpId }: Expected,
): Promise<{ credential_id: string; public_key: string; counter: number } | null> {
  const { verifyRegistrationResponse, cose, decodeAttestationObject, decodeCredentialPublicKey } = await load()
  const { attestationObject } = credential.response
  // The library throws for whatever is wrong in what a client has sent.
  try {
    const attestation = decodeAttestationObject(bytesOf(attestationObject))
    // No attestation was asked for: browsers send none, or one by the new key itself. Certificates of others are not read.
    const format = attestation.get('fmt')
    const isPlain = format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined)
    if (!isPlain) return null
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...credential,
        response: { clientDataJSON: credential.response.clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    })
    if (!verified || registrationInfo.credential.id !== credential.id) return null
    const { id, publicKey, counter } = registrationInfo.credential
    // The library does not compare them, as WebAuthn (section 8.2) says.
    const algorithm = decodeCredentialPublicKey(publicKey).get(cose.COSEKEYS.alg)
    if (format === 'packed' && attestation.get('attStmt').get('alg') !== algorithm) return null
    return { credential_id: id, public_key: base64url(publicKey), counter }
  } catch {
    return null
  }
}

/** The counter that an authenticator shows; null where anything about its answer is wrong. */
export async function verifiedAssertion(
  credential: Assertion,
  publicKey: string,
  { challenge, origin, rpId }: Expected,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await load()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...credential,
        response: { ...credential.response, userHandle: credential.response.userHandle ?? undefined },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      // The counter is compared where it is stored, because two answers may arrive at once.
      credential: { id: credential.id, publicKey: bytesOf(publicKey), counter: 0 },
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    return null
  }
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** The library reads from the start of the underlying buffer, so this is one of its own. */
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))

/** A key that nobody has: what an unknown passkey is verified by, so that the time tells nothing of which ones are known. */
export function keyOfNobody(): string {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const coordinates = [x, y].map((part) => Buffer.from(part ?? '', 'base64url').toString('hex'))
  return Buffer.from(`a5010203262001215820${coordinates.join('225820')}`, 'hex').toString('base64url')
}
