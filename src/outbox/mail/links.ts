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
