type Policy = { createScriptURL(url: string): unknown }
type Factory = { createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy }

declare global {
  var trustedTypes: Factory | undefined
}

let policy: Policy | undefined

/**
 * The address of a script of this server for `new Worker`, which takes no plain text where the page asks for Trusted Types.
 * Libraries pass it on as it is, though they call it a string.
 */
export function trustedScriptUrl(path: string): string {
  const url = new URL(path, location.origin)
  if (url.origin !== location.origin || !url.pathname.startsWith('/assets/'))
    throw new Error('not a script of this app')
  policy ??= globalThis.trustedTypes?.createPolicy('convene-worker', { createScriptURL: (text) => text })
  return (policy?.createScriptURL(url.href) ?? url.href) as string
}
