/** Asks the user for a passkey with these options, and returns the credential as JSON. */
export type AskForPasskey = (options: unknown) => Promise<unknown>

/**
 * Signs in with a passkey: `signIn(passkey())`. Outside of browsers, pass a function that takes
 * `PublicKeyCredentialRequestOptionsJSON` and returns the credential in its JSON form.
 */
export const passkey = (ask: AskForPasskey = askBrowser) => ({ passkey: ask })

type Credentials = { get(request: object): Promise<{ toJSON(): unknown } | null> }
type Parser = { parseRequestOptionsFromJSON(options: unknown): object }

async function askBrowser(options: unknown) {
  const { navigator, PublicKeyCredential } = globalThis as unknown as {
    navigator: { credentials: Credentials }
    PublicKeyCredential: Parser
  }
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return (await navigator.credentials.get({ publicKey }))?.toJSON()
}
