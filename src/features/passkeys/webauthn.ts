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

/** The challenge and the origin of the page that answered it, as the authenticator has signed them. */
type ClientData = { challenge: string; origin: string }

/** The values that an answer must contain. */
type Expected = ClientData & { rpId: string }

// Loaded with the first request that needs it, because it takes a fifth of a second and 25 MB.
async function load() {
  // The library needs this before it is loaded. It imports it by itself, but too late in the compiled binary.
  await import('reflect-metadata')
  const [server, { cose, decodeAttestationObject, decodeCredentialPublicKey }] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ])
  return { ...server, cose, decodeAttestationObject, decodeCredentialPublicKey }
}

// EdDSA, ES256 and RS256, from the IANA registry of COSE algorithms.
const algorithms = [-8, -7, -257]

/**
 * The client data of a credential. Null if it is malformed, or comes from a frame in another site's page, which could trick
 * users into a confirmation (clickjacking).
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
  // Empty: the authenticator offers those that it has, and nobody learns which accounts have passkeys.
  allowCredentials: [],
  timeout: challengeLifetime,
  userVerification: 'required' as const,
})

type NewCredential = {
  challenge: Uint8Array
  rp: { id: string; name: string }
  user: { handle: Uint8Array; name: string; displayName: string }
  /** The credentials of this account, so that an authenticator does not create a second one. */
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
  // `requireResidentKey` is for browsers that do not know `residentKey`.
  authenticatorSelection: {
    residentKey: 'required' as const,
    requireResidentKey: true as const,
    userVerification: 'required' as const,
  },
  attestation: 'none' as const,
  timeout: challengeLifetime,
})

/** The verified key of a new credential, base64url-encoded; null if anything about it is wrong. */
export async function verifiedRegistration(
  credential: Registration,
  { challenge, origin, rpId }: Expected,
): Promise<{ credential_id: string; public_key: string; counter: number } | null> {
  const { verifyRegistrationResponse, cose, decodeAttestationObject, decodeCredentialPublicKey } = await load()
  const { attestationObject } = credential.response
  // The library throws for any fault in the client's data.
  try {
    const attestation = decodeAttestationObject(bytesOf(attestationObject))
    // No attestation was asked for, so browsers send none, or one by the new key itself. Others, with certificates, are refused.
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
    // WebAuthn (section 8.2) requires this comparison, which the library does not make.
    const algorithm = decodeCredentialPublicKey(publicKey).get(cose.COSEKEYS.alg)
    if (format === 'packed' && attestation.get('attStmt').get('alg') !== algorithm) return null
    return { credential_id: id, public_key: base64url(publicKey), counter }
  } catch {
    return null
  }
}

/** The counter of a verified answer; null if anything about it is wrong. */
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
      // The store compares the counter, because two answers may arrive at once.
      credential: { id: credential.id, publicKey: bytesOf(publicKey), counter: 0 },
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    return null
  }
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** The library reads from the start of the underlying buffer, so the bytes need a buffer of their own. */
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))

/** A random key. Unknown passkeys are verified with it, so that the time does not reveal which passkeys are known. */
export function dummyPublicKey(): string {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const coordinates = [x, y].map((part) => Buffer.from(part ?? '', 'base64url').toString('hex'))
  return Buffer.from(`a5010203262001215820${coordinates.join('225820')}`, 'hex').toString('base64url')
}
