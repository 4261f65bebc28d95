import { createPrivateKey, type KeyObject } from 'node:crypto'

/** Reads a `.p8` file of Apple. Throws an Error whose message follows the setting's name; it contains nothing of the file. */
export function readApnsKey(text: string, path: string): KeyObject {
  try {
    const key = createPrivateKey(text)
    if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  } catch {}
  throw new Error(`must name a .p8 key of Apple, and ${path} contains no P-256 private key in PEM form`)
}
