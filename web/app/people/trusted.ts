type Factory = { createPolicy(name: 'default', rules: { createScriptURL(url: string): string }): unknown }

let isTrusted = false

/**
 * Lets libraries start workers from this server's files only. A browser with Trusted Types rejects plain URLs, which are all
 * that libraries pass, unless a default policy accepts them. HTML from strings stays forbidden.
 */
export function trustOwnWorkers(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: Factory }
  if (isTrusted || !trustedTypes) return
  isTrusted = true
  trustedTypes.createPolicy('default', {
    createScriptURL(text) {
      const url = new URL(text, location.origin)
      if (url.origin === location.origin && url.pathname.startsWith('/assets/')) return text
      throw new TypeError('a script from outside of /assets/')
    },
  })
}
