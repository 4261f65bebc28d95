import { createRemoteJWKSet, errors as joseErrors, importPKCS8, jwtVerify, SignJWT } from 'jose'
import type * as OpenidClient from 'openid-client'
import type { Logger } from 'pino'
import type { OidcProvider } from '../../lib/oidc-settings.ts'
import { Refusal } from '../../lib/refusal.ts'
import { days, seconds } from '../../lib/time.ts'
import { type Claims, claimsOf, invalidToken, nameInForm } from './claims.ts'
import { codeOf } from '../../lib/errors.ts'

/** Loaded at the first use, because many servers have no provider. */
const oidc = (): typeof OpenidClient => require('openid-client')

export type Providers = ReturnType<typeof openProviders>

/** The secrets of one redirect to a provider, which the browser has to bring back. */
type Errand = { state: string; nonce: string; verifier: string }

type Deps = {
  providers: readonly OidcProvider[]
  log: Pick<Logger, 'warn'>
  now: () => number
  /** The timeout of a request to a provider. */
  timeoutMs?: number
}

type Discovered = { metadata: OpenidClient.ServerMetadata; keys: ReturnType<typeof createRemoteJWKSet> }

// No symmetric algorithms: others may know the client secret, for example every copy of a native app.
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
// After a failure, waiting requests do not each ask the provider again.
const awayFor = 2 * seconds
const believedFor = days
// Keys are fetched again for an unknown key id, but limited, because tokens can be made up.
const keysAtMostEvery = seconds
const clockToleranceS = 60

/**
 * The configured OpenID Connect providers. They are contacted only when needed, so the server starts even if one is
 * unreachable.
 */
export function openProviders({ providers, log, now, timeoutMs = 3 * seconds }: Deps) {
  const byName = new Map(providers.map((provider) => [provider.name, provider]))
  const discovered = new Map<string, { at: number; asked: Promise<Discovered> }>()
  const awayUntil = new Map<string, number>()
  const timeout = timeoutMs / seconds

  /** Refuses with 503 `provider_not_configured`. */
  function providerOf(name: string): OidcProvider {
    const provider = byName.get(name)
    if (provider === undefined) throw new Refusal('provider_not_configured', 'This server knows no such provider.')
    return provider
  }

  async function discover({ issuer, clientIds: [clientId] }: OidcProvider): Promise<Discovered> {
    const isPlain = issuer.startsWith('http:')
    const execute = isPlain ? [oidc().allowInsecureRequests] : []
    const config = await oidc().discovery(new URL(issuer), clientId, undefined, oidc().None(), { execute, timeout })
    const metadata = config.serverMetadata()
    if (metadata.jwks_uri === undefined) throw new Error('the provider’s metadata has no jwks_uri')
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
      timeoutDuration: timeoutMs,
      cooldownDuration: keysAtMostEvery,
    })
    return { metadata, keys }
  }

  /**
   * The provider's metadata, fetched once a day. After a failure, the next request that needs it tries again, after a short
   * pause.
   */
  async function metadataOf(provider: OidcProvider): Promise<Discovered> {
    const { name } = provider
    if (now() < (awayUntil.get(name) ?? 0)) throw away()
    const known = discovered.get(name)
    if (known && now() - known.at < believedFor) return known.asked
    const asked = discover(provider).catch((error: unknown) => {
      discovered.delete(name)
      awayUntil.set(name, now() + awayFor)
      throw refusalOf(provider, error)
    })
    discovered.set(name, { at: now(), asked })
    return asked
  }

  async function clientAuthOf(
    { issuer, credentials }: OidcProvider,
    metadata: OpenidClient.ServerMetadata,
    clientId: string,
  ) {
    if ('secret' in credentials) {
      const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      const authenticate = methods.includes('client_secret_post') ? oidc().ClientSecretPost : oidc().ClientSecretBasic
      return authenticate(credentials.secret)
    }
    const { teamId, keyId, privateKey } = credentials
    const at = Math.floor(Date.now() / seconds)
    const secret = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setSubject(clientId)
      .setAudience(issuer)
      .setIssuedAt(at)
      .setExpirationTime(at + 300)
      .sign(await importPKCS8(privateKey, 'ES256'))
    return oidc().ClientSecretPost(secret)
  }

  async function clientOf(provider: OidcProvider, clientId: string) {
    const { metadata } = await metadataOf(provider)
    const auth = await clientAuthOf(provider, metadata, clientId)
    const { Configuration } = oidc()
    const config = new Configuration(metadata, clientId, undefined, auth)
    config.timeout = timeout
    if (provider.issuer.startsWith('http:')) oidc().allowInsecureRequests(config)
    return config
  }

  /** The refusal for an error of a provider. Logs only the error's code, never a token. */
  function refusalOf({ name }: OidcProvider, error: unknown): Refusal {
    if (error instanceof Refusal) return error
    if (isTokenFault(error)) return invalidToken()
    if (error instanceof oidc().AuthorizationResponseError && cancellations.includes(error.error))
      return new Refusal('forbidden', 'The sign-in was cancelled.')
    log.warn({ provider: name, reason: reasonOf(error) }, 'an OpenID Connect provider failed')
    return away()
  }

  /** Checks signature, issuer, audience, times and nonce. Refuses with 401 `id_token_invalid`, or 503 `busy`. */
  async function verify(
    provider: OidcProvider,
    idToken: string,
    { nonce }: { nonce: string | null },
    given: { name?: string } = {},
  ): Promise<Claims> {
    const { metadata, keys } = await metadataOf(provider)
    try {
      const { payload, protectedHeader } = await jwtVerify(idToken, keys, {
        issuer: metadata.issuer,
        audience: [...provider.clientIds],
        algorithms,
        requiredClaims: ['sub', 'exp', 'iat'],
        clockTolerance: clockToleranceS,
        currentDate: new Date(now()),
      })
      if (protectedHeader.typ !== undefined && protectedHeader.typ.toUpperCase() !== 'JWT') throw invalidToken()
      return claimsOf(provider, payload, nonce, given)
    } catch (error) {
      throw refusalOf(provider, error)
    }
  }

  return {
    list: () => providers.map(({ name, label }) => ({ name, label })),
    issuers: providers.map(keyOf),
    labelOf: (name: string) => byName.get(name)?.label ?? name,
    issuerOf: (name: string) => keyOf(providerOf(name)),
    /** Whether the provider sends the browser back by a form post, as Apple does if a name is asked for. */
    postsForms: (name: string) => 'teamId' in providerOf(name).credentials,
    verify: (name: string, idToken: string, nonce: string | null) => verify(providerOf(name), idToken, { nonce }),

    /** The address to redirect a browser to, and its secrets. */
    async begin(name: string, redirectUri: string): Promise<{ url: URL; errand: Errand }> {
      const provider = providerOf(name)
      const config = await clientOf(provider, provider.clientIds[0])
      const errand = {
        state: oidc().randomState(),
        nonce: oidc().randomNonce(),
        verifier: oidc().randomPKCECodeVerifier(),
      }
      const known = config.serverMetadata().scopes_supported
      const byKey = 'teamId' in provider.credentials
      const wanted = ['openid', 'email', byKey ? 'name' : 'profile']
      const url = oidc().buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: wanted.filter((scope) => known?.includes(scope) ?? true).join(' '),
        state: errand.state,
        nonce: errand.nonce,
        code_challenge: await oidc().calculatePKCECodeChallenge(errand.verifier),
        code_challenge_method: 'S256',
        ...(byKey && { response_mode: 'form_post' }),
      })
      return { url, errand }
    },

    /** Redeems the code that a browser brought back. `answer` are the parameters from the provider. */
    async finish(name: string, redirectUri: string, answer: URLSearchParams, { state, nonce, verifier }: Errand) {
      const provider = providerOf(name)
      const config = await clientOf(provider, provider.clientIds[0])
      const url = new URL(redirectUri)
      for (const key of ['code', 'state', 'iss', 'error', 'error_description']) {
        const value = answer.get(key)
        if (value !== null) url.searchParams.set(key, value)
      }
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true }
      const tokens = await oidc()
        .authorizationCodeGrant(config, url, checks)
        .catch((error: unknown) => {
          throw refusalOf(provider, error)
        })
      const claims = await verify(provider, tokens.id_token ?? '', { nonce }, { name: nameInForm(answer.get('user')) })
      return { claims, refresh_token: 'teamId' in provider.credentials ? (tokens.refresh_token ?? null) : null }
    },

    /** The refresh token that can revoke a grant, for a code that a native app got from Apple; null for other providers. */
    async redeem(name: string, code: string, { client_id, subject }: Claims): Promise<string | null> {
      const provider = providerOf(name)
      if (!('teamId' in provider.credentials)) return null
      try {
        const config = await clientOf(provider, client_id)
        const tokens = await oidc().genericGrantRequest(config, 'authorization_code', { code })
        const about = await verify(provider, String(tokens.id_token ?? ''), { nonce: null })
        if (about.subject !== subject) throw invalidToken()
        return tokens.refresh_token ?? null
      } catch (error) {
        throw refusalOf(provider, error)
      }
    },

    /** Revokes a grant. Throws if the provider fails; `false` if the provider is no longer configured. */
    async revoke(name: string, clientId: string, refreshToken: string): Promise<boolean> {
      const provider = byName.get(name)
      if (provider === undefined) return false
      const config = await clientOf(provider, clientId)
      if (config.serverMetadata().revocation_endpoint === undefined) return false
      try {
        await oidc().tokenRevocation(config, refreshToken, { token_type_hint: 'refresh_token' })
      } catch (error) {
        throw new Error(`the provider did not revoke it (${reasonOf(error)})`, { cause: null })
      }
      return true
    },
  }
}

/** The form in which issuers are stored: without a trailing slash. */
const keyOf = ({ issuer }: OidcProvider) => issuer.replace(/\/+$/, '')

// Faults of the token, not of the provider.
const tokenFaults = [
  joseErrors.JWTClaimValidationFailed,
  joseErrors.JWTExpired,
  joseErrors.JWTInvalid,
  joseErrors.JWSInvalid,
  joseErrors.JWSSignatureVerificationFailed,
  joseErrors.JWKSNoMatchingKey,
  joseErrors.JWKSMultipleMatchingKeys,
  joseErrors.JOSEAlgNotAllowed,
  joseErrors.JOSENotSupported,
]
// The second is Apple's word for the first.
const cancellations = ['access_denied', 'user_cancelled_authorize']
const brokenAnswers = [
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
]

function isTokenFault(error: unknown): boolean {
  if (tokenFaults.some((Fault) => error instanceof Fault)) return true
  if (error instanceof oidc().ResponseBodyError) return error.error === 'invalid_grant'
  if (error instanceof oidc().AuthorizationResponseError)
    return ![...cancellations, 'server_error', 'temporarily_unavailable'].includes(error.error)
  return error instanceof oidc().ClientError && brokenAnswers.includes(error.code ?? '')
}

/** The code of an error, without what the provider wrote. */
function reasonOf(error: unknown): string {
  if (error instanceof oidc().ResponseBodyError || error instanceof oidc().AuthorizationResponseError)
    return /^[a-z_]{1,40}$/.test(error.error) ? error.error : 'unknown'
  return codeOf(error) || (error instanceof Error ? error.name : 'unknown')
}

const away = () =>
  new Refusal('busy', 'The provider does not answer. Try again shortly.', undefined, { 'retry-after': '5' })
