/**
 * The token of a link in a mail; empty if there is none. It is in the fragment, except in the `List-Unsubscribe` header, which some
 * mail programs open as a page.
 */
export const linkToken = ({ hash, search }: Pick<Location, 'hash' | 'search'>): string =>
  new URLSearchParams(hash.slice(1)).get('token') ?? new URLSearchParams(search).get('token') ?? ''
