import { timingSafeEqual } from 'node:crypto'
import { type Link, type LinkKind, linkPaths } from './mails.ts'

/** The key that the tokens of links are derived with. */
export const linkKeyOf = ({ jwt }: { jwt: Uint8Array }): Uint8Array =>
  new Bun.CryptoHasher('sha256', jwt).update('convene mail link v1').digest()

/**
 * The one-time token of a link: 256 bits, derived from the link's id with a secret of the installation. So the outbox holds
 * no token, and the database only its hash.
 */
export const tokenOfLink = (key: Uint8Array, { kind, id }: Link): string =>
  new Bun.CryptoHasher('sha256', key).update(`${kind}\0${id}`).digest('base64url')

/** What the database knows of a token: its SHA-256, as hex. */
export const hashOfToken = (token: string): string => new Bun.CryptoHasher('sha256').update(token).digest('hex')

/** A link with that token. The token stands in the fragment, which browsers send to no server. */
export const linkOf = (publicUrl: string, kind: LinkKind, token: string): string =>
  `${publicUrl}${linkPaths[kind]}#token=${token}`

/** The link of a mail. */
export const linkUrl = (publicUrl: string, key: Uint8Array, link: Link): string =>
  linkOf(publicUrl, link.kind, tokenOfLink(key, link))

const signatureOf = (key: Uint8Array, userId: string): string =>
  new Bun.CryptoHasher('sha256', key).update(`unsubscribe\0${userId}`).digest('base64url')

/** The token that ends somebody's digest. It is good for nothing else, and as long as there are mails with it. */
export const unsubscribeToken = (key: Uint8Array, userId: string): string => `${userId}.${signatureOf(key, userId)}`

/** The user whose digest a token ends; null for a token that is not ours. */
export function readUnsubscribeToken(key: Uint8Array, token: string): string | null {
  const [, userId, signature] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(token) ?? []
  if (userId === undefined || signature === undefined) return null
  return timingSafeEqual(Buffer.from(signatureOf(key, userId)), Buffer.from(signature)) ? userId : null
}

/** The link in a digest's text, and the address that mail programs post to: its token is no secret that opens anything. */
export const unsubscribeUrls = (publicUrl: string, key: Uint8Array, userId: string) => {
  const token = unsubscribeToken(key, userId)
  return {
    page: linkOf(publicUrl, 'unsubscribe', token),
    oneClick: `${publicUrl}${linkPaths.unsubscribe}?token=${token}`,
  }
}
