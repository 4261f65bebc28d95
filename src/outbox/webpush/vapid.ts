import { createECDH, createPrivateKey, hkdfSync } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Config } from '../../config.ts'
import type { Secrets } from '../../installation/secrets.ts'
import { hours } from '../../lib/time.ts'

export type Vapid = {
  /** The key that browsers subscribe with: an uncompressed point, base64url. */
  publicKey: string
  /** The header that proves the sender's identity to a push service (RFC 8292). */
  authorization(endpoint: string): Promise<string>
}

// At most 24 hours are allowed (RFC 8292, section 2). It is renewed halfway.
const validMs = 12 * hours
// Subscriptions name the origins, so their number is bounded.
const mostOrigins = 100
// The order of P-256.
const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')

/**
 * The key pair of this installation for Web Push. It is derived from the secret that signs access tokens: nodes that share that
 * one share the pair. A new secret ends all sessions, and with them their subscriptions.
 */
export function openVapid({
  secrets,
  subject,
  now,
}: {
  secrets: Secrets
  subject: string | null
  now: () => number
}): Vapid {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(privateScalar(secrets))
  const point = ecdh.getPublicKey()
  const publicKey = point.toString('base64url')
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: privateScalar(secrets).toString('base64url'),
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  })
  const signed = new Map<string, { header: Promise<string>; until: number }>()

  async function sign(audience: string, expiresAt: number): Promise<string> {
    const token = new SignJWT(subject === null ? {} : { sub: subject })
      .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
      .setAudience(audience)
      .setExpirationTime(Math.floor(expiresAt / 1000))
    return `vapid t=${await token.sign(key)}, k=${publicKey}`
  }

  return {
    publicKey,
    authorization(endpoint) {
      const { origin } = new URL(endpoint)
      const known = signed.get(origin)
      // A clock that was set back would keep one that ends too late.
      if (known && known.until > now() && known.until <= now() + validMs / 2) return known.header
      if (signed.size >= mostOrigins) signed.clear()
      const header = sign(origin, now() + validMs)
      signed.set(origin, { header, until: now() + validMs / 2 })
      return header
    },
  }
}

/** 32 bytes, uniform from 1 to below the order (FIPS 186-5, A.2.1). */
function privateScalar({ jwt }: Secrets): Buffer {
  const bytes = Buffer.from(hkdfSync('sha256', jwt, '', 'convene vapid key v1', 48))
  const scalar = (BigInt(`0x${bytes.toString('hex')}`) % (order - 1n)) + 1n
  return Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex')
}

/** Whom a push service may write to; null if nothing that it accepts is configured. */
export function vapidSubject({ publicUrl, mailFrom }: Pick<Config, 'publicUrl' | 'mailFrom'>): string | null {
  if (publicUrl?.startsWith('https:')) return publicUrl
  return mailFrom === null ? null : `mailto:${mailFrom.address}`
}
