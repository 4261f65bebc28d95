import { timingSafeEqual } from 'node:crypto'
import { type Link, type LinkKind, linkPaths } from './mails.ts'

/** The key that the tokens of links are derived with. */
export const linkKeyOf = ({ jwt }: { jwt: Uint8Array }): Uint8Array =>
  new Bun.CryptoHasher('sha256', jwt).update('convene mail link v1').digest()

/**
 * The one-time token of a link: 256 bits, derived from the link's id with a secret of the installation. So the outbox contains
 * no token, and the database only its hash.
 */
export const tokenOfLink = (key: Uint8Array, { kind, id }: Link): string =>
  new Bun.CryptoHasher('sha256', key).update(`${kind}\0${id}`).digest('base64url')

/** What the database stores of a token: its SHA-256, as hex. */
export const hashOfToken = (token: string): string => new Bun.CryptoHasher('sha256').update(token).digest('hex')

/** A link with that token in the fragment, which browsers do not send to servers. */
export const linkOf = (publicUrl: string, kind: LinkKind, token: string): string =>
  `${publicUrl}${linkPaths[kind]}#token=${token}`

/** The link of a mail. */
export const linkUrl = (publicUrl: string, key: Uint8Array, link: Link): string =>
  linkOf(publicUrl, link.kind, tokenOfLink(key, link))

const signatureOf = (key: Uint8Array, userId: string): string =>
  new Bun.CryptoHasher('sha256', key).update(`unsubscribe\0${userId}`).digest('base64url')

/** The token that ends a user's digest. It allows nothing else, and never expires, because old mails contain it. */
const unsubscribeToken = (key: Uint8Array, userId: string): string => `${userId}.${signatureOf(key, userId)}`

/** The user whose digest a token ends; null for a token that is not ours. */
export function readUnsubscribeToken(key: Uint8Array, token: string): string | null {
  const [, userId, signature] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(token) ?? []
  if (userId === undefined || signature === undefined) return null
  return timingSafeEqual(Buffer.from(signatureOf(key, userId)), Buffer.from(signature)) ? userId : null
}

/** The link in a digest's text, and the address that mail programs post to. The token in its query can only end the digest. */
export const unsubscribeUrls = (publicUrl: string, key: Uint8Array, userId: string) => {
  const token = unsubscribeToken(key, userId)
  return {
    page: linkOf(publicUrl, 'unsubscribe', token),
    oneClick: `${publicUrl}${linkPaths.unsubscribe}?token=${token}`,
  }
}
