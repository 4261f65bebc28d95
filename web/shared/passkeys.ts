import { type components, type Convene, passkey } from 'convene-client'

type Options = components['schemas']['PublicKeyCredentialCreationOptionsJSON']
type Credential = components['schemas']['RegistrationResponseJSON']

export const canUsePasskeys = () =>
  'PublicKeyCredential' in window &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential

/** Shows the browser's dialog. Null if the user cancels it. */
export async function makePasskey(options: Options): Promise<Credential | null> {
  try {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    const made = await navigator.credentials.create({ publicKey })
    // A credential from `create` always has this JSON form.
    return made instanceof PublicKeyCredential ? (made.toJSON() as Credential) : null
  } catch (error) {
    if (error instanceof DOMException) return null
    throw error
  }
}

/** Signs in with a passkey, or does nothing if the user cancels the browser's dialog. Throws like `signIn`. */
export async function signInWithPasskey(client: Convene): Promise<void> {
  try {
    await client.signIn(passkey())
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
  }
}
