import { createPrivateKey, createPublicKey, sign } from 'node:crypto'

/**
 * A signature of the bytes with an Ed25519 key in PEM form (`openssl genpkey -algorithm ed25519`), and the public key that
 * checks it. Throws if it is no such key; the message does not repeat it.
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
