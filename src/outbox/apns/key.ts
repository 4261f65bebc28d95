import { createPrivateKey, type KeyObject } from 'node:crypto'

/** Reads a `.p8` file of Apple. Throws an Error that continues the setting's name; it holds nothing of the file. */
export function readApnsKey(text: string, path: string): KeyObject {
  try {
    const key = createPrivateKey(text)
    if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  } catch {}
  throw new Error(`must name a .p8 key of Apple, and ${path} holds no private key of P-256 in PEM form`)
}
