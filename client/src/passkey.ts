/** Shows the options of a passkey request to the user and answers the credential as JSON. */
export type AskForPasskey = (options: unknown) => Promise<unknown>

/**
 * Signs in with a passkey: `signIn(passkey())`. In a browser it needs nothing; elsewhere pass a function that takes
 * `PublicKeyCredentialRequestOptionsJSON` and answers the credential in its JSON form.
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
