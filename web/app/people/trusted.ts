type Factory = { createPolicy(name: 'default', rules: { createScriptURL(url: string): string }): unknown }

let isTrusted = false

/**
 * Lets libraries start workers from this server's files, and from nothing else. Where the browser asks for Trusted Types it
 * takes no plain address, and libraries know no other kind. HTML from a text stays forbidden.
 */
export function trustOwnWorkers(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: Factory }
  if (isTrusted || !trustedTypes) return
  isTrusted = true
  trustedTypes.createPolicy('default', {
    createScriptURL(text) {
      const url = new URL(text, location.origin)
      if (url.origin === location.origin && url.pathname.startsWith('/assets/')) return text
      throw new TypeError('a script of another place')
    },
  })
}
