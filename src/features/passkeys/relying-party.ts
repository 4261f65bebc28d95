export type RelyingParty = ReturnType<typeof relyingParty>

type Settings = { publicUrl: string | null; corsOrigins: readonly string[]; mailFrom: { name: string } | null }

/**
 * The relying party of passkeys: the host of PUBLIC_URL, or `localhost` without it. Browsers show a passkey only to pages of
 * that host and its subdomains, so other listed origins cannot use it.
 */
export function relyingParty({ publicUrl, corsOrigins, mailFrom }: Settings) {
  const id = publicUrl === null ? 'localhost' : new URL(publicUrl).hostname
  const isOfHost = (origin: string) => {
    const { hostname, protocol } = new URL(origin)
    const isSecure = protocol === 'https:' || /(^|\.)localhost$/.test(hostname)
    return isSecure && (hostname === id || hostname.endsWith(`.${id}`))
  }
  const listed = new Set(corsOrigins.filter(isOfHost))
  return {
    id,
    name: mailFrom?.name ?? id,
    /** Whether a page of that origin may show or create a passkey. */
    hasOrigin: (origin: string): boolean =>
      listed.has(origin) ||
      (publicUrl === null ? /^https?:\/\/localhost(:\d{1,5})?$/.test(origin) : origin === publicUrl),
  }
}
