import { oidcProvidersIn } from '../lib/oidc-settings.ts'
import { type Context, oneOf, setting, textOf } from '../lib/settings.ts'
import { registrationModes } from '../features/registration/rules.ts'
import { key } from './readers.ts'

/** Login. */
export const loginSettings = {
  /** Whether registration asks people to verify their address, and whether that is required before anything else. */
  emailVerification: setting({
    name: 'EMAIL_VERIFICATION',
    type: 'off, on, required',
    default: '',
    shownDefault: '`on` with `SMTP_URL`',
    help: '`on`: registration sends a mail to verify the address. `required`: [little else is allowed](docs/accounts.md#verification) until that is done. `off`: neither.',
    read: emailVerification,
  }),
  /** The OpenID Connect providers, each read from several settings. */
  oidc: setting({
    name: 'OIDC_<NAME>_ISSUER',
    type: 'URL',
    default: '',
    help: 'Issuer of an [OpenID Connect provider](docs/accounts.md#openid-connect), such as `OIDC_GOOGLE_ISSUER=https://accounts.google.com`. Choose a `<NAME>` for each provider, and use it in the other `OIDC_` settings.',
    read: (_, { env }) => oidcProvidersIn(env),
  }),
}

/** Who may create an account. */
export const registrationSettings = {
  registration: setting({
    name: 'REGISTRATION',
    default: 'open',
    help: 'Who may make an account: everybody (`open`), people with [an invite](docs/accounts.md#who-may-register) (`invite`), or nobody (`closed`).',
    ...oneOf(...registrationModes),
  }),
}

/** The other settings of an OpenID Connect provider, one of each per name. `oidc` reads them. */
export const oidcParts = {
  oidcClientId: key(
    'OIDC_<NAME>_CLIENT_ID',
    'Client id at the provider, for browsers. Add the ids of native apps after it, separated by commas.',
    false,
  ),
  oidcClientSecret: key(
    'OIDC_<NAME>_CLIENT_SECRET',
    'Client secret at the provider. Apple has the next three instead.',
  ),
  oidcTeamId: key('OIDC_<NAME>_TEAM_ID', 'Team id at Apple.', false),
  oidcKeyId: key('OIDC_<NAME>_KEY_ID', 'Id of the private key at Apple.', false),
  oidcPrivateKey: key('OIDC_<NAME>_PRIVATE_KEY', 'Private key of Apple, in PEM form or as the path of the `.p8` file.'),
  oidcLabel: key('OIDC_<NAME>_LABEL', 'What people read on the button. The default is the name.', false),
}

function emailVerification(value: string, { env }: Context): 'off' | 'on' | 'required' {
  const sendsMail = textOf(env, 'SMTP_URL') !== null
  if (value === '') return sendsMail ? 'on' : 'off'
  const chosen = oneOf('off', 'on', 'required').read(value)
  if (chosen !== 'off' && !sendsMail) throw new Error(`must be off without a mail server: set SMTP_URL for ${chosen}`)
  return chosen
}
