import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

export type Seal = ReturnType<typeof openSeal>

/**
 * Encrypts texts with AES-256-GCM, so that the holder can neither read nor change them. `key` has 32 bytes. A text sealed for
 * one `purpose` cannot be opened for another.
 */
export function openSeal(key: Uint8Array, purpose: string) {
  const data = new TextEncoder().encode(purpose)
  return {
    seal(text: string): string {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(data)
      return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')
    },

    /** Null if the text was not sealed with this key for this purpose. */
    open(sealed: string): string | null {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < 28) return null
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(data)
        decipher.setAuthTag(bytes.subarray(-16))
        return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8')
      } catch {
        return null
      }
    },
  }
}
