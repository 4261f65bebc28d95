import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ConfigError, type Environment, textOf } from './settings.ts'

/** An OpenID Connect provider, from the settings `OIDC_<NAME>_…`. */
export type OidcProvider = {
  /** NAME in lower case, as paths contain it. */
  name: string
  /** What people read on its button. */
  label: string
  issuer: string
  /** The first one is for browsers. Id tokens for any of them are accepted. */
  clientIds: readonly [string, ...string[]]
  /** Apple has no fixed secret, but a key in PEM form that signs one for each request. */
  credentials: { secret: string } | { teamId: string; keyId: string; privateKey: string }
}

const parts = ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET', 'TEAM_ID', 'KEY_ID', 'PRIVATE_KEY', 'LABEL'] as const
type Part = (typeof parts)[number]
const form = new RegExp(`^OIDC_([A-Z0-9]+(?:_[A-Z0-9]+)*?)_(?:${parts.join('|')})$`)

/** The providers of an environment. Throws ConfigError for one whose settings are incomplete or invalid. */
export function oidcProvidersIn(env: Environment): OidcProvider[] {
  const names = Object.keys(env).flatMap((variable) => {
    const name = form.exec(variable)?.[1]
    return name !== undefined && textOf(env, variable) !== null ? [name] : []
  })
  return [...new Set(names)].sort().map((name) => providerOf(name, (part) => textOf(env, `OIDC_${name}_${part}`)))
}

function providerOf(name: string, given: (part: Part) => string | null): OidcProvider {
  const fail = (part: Part, message: string) => new ConfigError(`OIDC_${name}_${part} ${message}`)
  const required = (part: Part, besides: string) => {
    const value = given(part)
    if (value === null) throw fail(part, `must come with ${besides}, and is not set`)
    return value
  }
  const issuer = required('ISSUER', `the other settings of OIDC_${name}`)
  if (!isIssuer(issuer))
    throw fail('ISSUER', 'must be an https URL such as https://accounts.google.com; http on this machine only')
  const [first, ...more] = required('CLIENT_ID', `OIDC_${name}_ISSUER`)
    .split(',')
    .map((id) => id.trim())
  if (first === undefined || [first, ...more].some((id) => !/^[\x21-\x7e]{1,255}$/.test(id)))
    throw fail('CLIENT_ID', 'must be a client id, or several between commas, the first for browsers')
  const label = given('LABEL') ?? name.charAt(0) + name.slice(1).toLowerCase().replaceAll('_', ' ')
  if ([...label].length > 80) throw fail('LABEL', 'must have 80 characters at most')
  return { name: name.toLowerCase(), label, issuer, clientIds: [first, ...more], credentials: credentials() }

  function credentials(): OidcProvider['credentials'] {
    const secret = given('CLIENT_SECRET')
    const ofKey = ['TEAM_ID', 'KEY_ID', 'PRIVATE_KEY'] as const
    const isByKey = ofKey.some((part) => given(part) !== null)
    if (secret !== null && isByKey)
      throw fail(
        'CLIENT_SECRET',
        `must not come with OIDC_${name}_TEAM_ID, _KEY_ID or _PRIVATE_KEY: set one or the other`,
      )
    if (!isByKey)
      return {
        secret: required('CLIENT_SECRET', `OIDC_${name}_ISSUER, or for Apple _TEAM_ID, _KEY_ID and _PRIVATE_KEY,`),
      }
    const requiredPart = (part: (typeof ofKey)[number]) =>
      required(part, `OIDC_${name}_TEAM_ID, _KEY_ID and _PRIVATE_KEY`)
    return {
      teamId: requiredPart('TEAM_ID'),
      keyId: requiredPart('KEY_ID'),
      privateKey: privateKeyIn(requiredPart('PRIVATE_KEY')),
    }
  }

  function privateKeyIn(value: string): string {
    const isPem = value.includes('-----BEGIN')
    try {
      const pem = isPem ? value.replaceAll('\\n', '\n') : readFileSync(value, 'utf8')
      const key = createPrivateKey(pem)
      if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1')
        return key.export({ type: 'pkcs8', format: 'pem' }).toString()
    } catch {
      // Dropped, because errors of the parser and the file system may quote the key.
    }
    throw fail('PRIVATE_KEY', 'must be a P-256 private key in PEM form, or the path of a file that holds one')
  }
}

function isIssuer(value: string): boolean {
  const url = URL.parse(value)
  if (url === null || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return false
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  return url.protocol === 'https:' || (isLocal && url.protocol === 'http:')
}
