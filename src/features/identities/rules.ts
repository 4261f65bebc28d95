import type { IdentityKind } from './store.ts'

/** A way to sign in, and whether it works now. */
type UsableIdentity = { id: string; kind: IdentityKind; isUsable: boolean }

/** The ways to sign in that this server offers. */
export type Configured = {
  messenger: boolean
  /** The issuers of the OIDC providers. */
  issuers: readonly string[]
}

type Account = { email: string | null; phone: string | null }

/** Whether a way to sign in works now. */
export function isIdentityUsable(
  { kind, issuer }: { kind: IdentityKind; issuer: string | null },
  account: Account,
  configured: Configured,
): boolean {
  switch (kind) {
    case 'password':
      return isPasswordUsable(account)
    case 'passkey':
      return true
    case 'messenger':
      return configured.messenger
    case 'oidc':
      return isOidcUsable({ issuer }, configured)
  }
}

/** A password works only together with an address or a number, and a messenger account may have neither. */
export const isPasswordUsable = ({ email, phone }: Account): boolean => email !== null || phone !== null

const isOidcUsable = ({ issuer }: { issuer: string | null }, { issuers }: Configured): boolean =>
  issuer !== null && issuers.includes(issuer)

/** Whether a way to sign in may be removed: another usable one has to remain. */
export function removalVerdict(
  identities: readonly UsableIdentity[],
  id: string,
): 'removed' | 'not_found' | 'last_identity' {
  if (!identities.some((one) => one.id === id)) return 'not_found'
  return identities.some((one) => one.id !== id && one.isUsable) ? 'removed' : 'last_identity'
}

/**
 * The id of an account's password or messenger, of which it has one at most. It is derived, so that older accounts have one
 * too.
 */
export function derivedIdentityId(userId: string, kind: 'password' | 'messenger'): string {
  const hash = new Bun.CryptoHasher('sha256').update(`convene identity ${kind} ${userId}`).digest('hex')
  // A UUID of version 8 and of the usual variant (RFC 9562, section 5.8).
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 3) | 8).toString(16)
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    variant + hash.slice(17, 20),
    hash.slice(20, 32),
  ].join('-')
}

/**
 * Where a browser may be sent after it has signed in: an address on this server or on a listed origin, or a path of this
 * server; null for anything else. The address is parsed as browsers do, so that `//evil` and `/\evil` are other hosts.
 */
export function returnTarget(given: string, publicUrl: string, listed: readonly string[]): string | null {
  if (given.length > 2000 || !/^(?:https?:\/\/|\/)/i.test(given)) return null
  // Browsers take encoded slashes for a path, but software that decodes them once more takes them for a host.
  if (/^\/*(?:%2f|%5c)/i.test(given) || /[\p{C}\s]/u.test(given)) return null
  const url = URL.parse(given, publicUrl)
  if (url === null || url.username !== '' || url.password !== '' || !/^https?:$/.test(url.protocol)) return null
  // It is kept as JSON in a cookie, which browsers drop beyond 4,096 bytes. Encoded, a character may have become nine.
  if (JSON.stringify(url.href).length > 2100) return null
  return url.origin === new URL(publicUrl).origin || listed.includes(url.origin) ? url.href : null
}
