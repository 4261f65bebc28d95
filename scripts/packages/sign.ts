import { createPrivateKey, createPublicKey, sign } from 'node:crypto'

/**
 * Signs the bytes with an Ed25519 key in PEM form (`openssl genpkey -algorithm ed25519`), and returns the public key too. Throws
 * for any other key; the message does not contain it.
 */
export function signed(bytes: Uint8Array, pem: string): { signature: Uint8Array; publicKey: string } {
  let key
  try {
    key = createPrivateKey(pem)
  } catch {
    throw new Error('RELEASE_KEY must be a private key in PEM form')
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('RELEASE_KEY must be an Ed25519 key')
  return {
    signature: sign(null, bytes, key),
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
  }
}
