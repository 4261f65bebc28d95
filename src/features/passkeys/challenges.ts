import { timingSafeEqual } from 'node:crypto'
import { challengeLifetime } from './rules.ts'
import type { UsedChallenge } from './store.ts'

export type Challenges = ReturnType<typeof openChallenges>

/** The purpose of a challenge: to show a passkey, or to add one in that session. */
export type Purpose = 'show' | { addIn: string }

const timeBytes = 6
const nonceBytes = 16
const signedBytes = timeBytes + nonceBytes
const macBytes = 32

/**
 * Challenges are signed, so that every node can check them and nothing is stored for visitors who only ask. Each contains its
 * expiry and is bound to its purpose. Its `id` is stored when it is used, so that it works only once.
 */
export function openChallenges({ jwt, now }: { jwt: Uint8Array; now: () => number }) {
  const key = new Bun.CryptoHasher('sha256', jwt).update('convene passkey challenge v1').digest()

  const macOf = (signed: Buffer, purpose: Purpose) =>
    new Bun.CryptoHasher('sha256', key)
      .update(purpose === 'show' ? 'show\0' : `add\0${purpose.addIn}\0`)
      .update(signed)
      .digest()

  return {
    make(purpose: Purpose): Uint8Array<ArrayBuffer> {
      const signed = Buffer.alloc(signedBytes)
      signed.writeUIntBE(now() + challengeLifetime, 0, timeBytes)
      crypto.getRandomValues(signed.subarray(timeBytes))
      return new Uint8Array([...signed, ...macOf(signed, purpose)])
    },

    /** The used challenge to store; null if it is not genuine, for another purpose, or expired. */
    open(challenge: string, purpose: Purpose): UsedChallenge | null {
      // 72 characters encode exactly these bytes, so each challenge has only one spelling.
      if (!/^[\w-]{72}$/.test(challenge)) return null
      const bytes = Buffer.from(challenge, 'base64url')
      const signed = bytes.subarray(0, signedBytes)
      if (!timingSafeEqual(bytes.subarray(signedBytes, signedBytes + macBytes), macOf(signed, purpose))) return null
      const expires_at = signed.readUIntBE(0, timeBytes)
      return expires_at > now() ? { id: signed.subarray(timeBytes).toString('base64url'), expires_at } : null
    },
  }
}
