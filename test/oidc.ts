import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'

// It tells all the defaults that it uses, which are right for a test.
for (const level of ['info', 'warn'] as const) {
  const write = console[level]
  console[level] = (...words: unknown[]) => (String(words[0]).includes('oidc-provider') ? undefined : write(...words))
}

export const clientId = 'convene-web'
export const nativeClientId = 'convene-ios'
const clientSecret = 'a-secret-of-the-tests'

/** Somebody who has an account at the provider. */
export type Persona = {
  sub: string
  email?: string
  email_verified?: boolean | string
  given_name?: string
  name?: string
}

/**
 * A certified OpenID Connect provider on loopback. Whoever comes is signed in as `signedIn.as` without being asked.
 *
 * `apple` makes it as Apple is: it wants a client secret that is signed for each request, and gives a refresh token.
 */
export async function oidcServer({
  redirectUri,
  apple,
}: {
  redirectUri: string
  apple?: { verify(secret: string, clientId: string): boolean }
}) {
  const signedIn: { as: Persona } = { as: { sub: 'ada' } }
  const state: { behaviour: 'ok' | 'hang' | 'fail'; requests: string[]; revoked: string[] } = {
    behaviour: 'ok',
    requests: [],
    revoked: [],
  }
  let handler: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end()
  const server: Server = createServer((request, response) => {
    state.requests.push(`${request.method} ${request.url!.split('?')[0]}`)
    if (state.behaviour === 'hang') return
    if (state.behaviour === 'fail') return void response.writeHead(500).end('{}')
    handler(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  let keys: { kid: string; sign: CryptoKey; jwk: JWK }[] = []
  async function addKey(kid: string) {
    const { privateKey: sign } = await generateKeyPair('RS256', { extractable: true })
    keys = [{ kid, sign, jwk: { ...(await exportJWK(sign)), kid, alg: 'RS256', use: 'sig' } }, ...keys]
  }

  /** The provider itself with the newest key alone, as after a rotation. */
  function open() {
    const claims = ['email', 'email_verified', 'given_name', 'name']
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [redirectUri],
          grant_types: ['authorization_code', 'refresh_token'],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      jwks: { keys: keys.slice(0, 1).map(({ jwk }) => jwk) },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'name'] },
      conformIdTokenClaims: false,
      cookies: { keys: ['a key of the tests'] },
      features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
      pkce: { required: () => true },
      interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
      issueRefreshToken: async () => apple !== undefined,
      findAccount: async (_, sub) => ({
        accountId: sub,
        claims: async () => {
          const all: Record<string, unknown> = { ...signedIn.as }
          return { sub, ...Object.fromEntries(claims.map((name) => [name, all[name]])) }
        },
      }),
      loadExistingGrant: async (ctx) => {
        const { client, session } = ctx.oidc
        const grant = new ctx.oidc.provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
    })
    const app = provider.callback()
    handler = (request, response) => {
      if (apple && request.method === 'POST') return void asApple(app, request, response)
      if (!request.url!.startsWith('/interaction/')) return void app(request, response)
      provider
        .interactionFinished(
          request,
          response,
          { login: { accountId: signedIn.as.sub } },
          { mergeWithLastSubmission: false },
        )
        .catch(() => response.writeHead(500).end())
    }
  }
  await addKey('first')
  open()

  let isNativeCodeUsed = false
  /** Takes only secrets that are signed, notes what is revoked, and takes a code that a native app got once. */
  async function asApple(app: typeof handler, request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
    const answer = (status: number, json: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    if (!apple!.verify(body.client_secret ?? '', body.client_id ?? '')) return answer(400, { error: 'invalid_client' })
    if (request.url!.startsWith('/token/revocation')) state.revoked.push(body.token!)
    if (body.client_id === nativeClientId) {
      if (request.url !== '/token') return answer(200, {})
      if (body.code !== 'native-code' || isNativeCodeUsed) return answer(400, { error: 'invalid_grant' })
      isNativeCodeUsed = true
      const token = { access_token: 'a', token_type: 'Bearer', expires_in: 3600, refresh_token: 'native-refresh' }
      return answer(200, { ...token, id_token: await idToken({ aud: nativeClientId }) })
    }
    app(Object.assign(request, { body: { ...body, client_secret: clientSecret } }), response)
  }

  async function idToken(
    claims: Record<string, unknown> = {},
    { header = {}, key = 0, signWith }: { header?: object; key?: number; signWith?: CryptoKey } = {},
  ) {
    const at = Math.floor(Date.now() / 1000)
    const { kid, sign } = keys[key]!
    const all = { iss: issuer, aud: clientId, iat: at, exp: at + 600, ...signedIn.as, ...claims }
    return new SignJWT(all).setProtectedHeader({ alg: 'RS256', kid, ...header }).sign(signWith ?? sign)
  }

  return {
    issuer,
    signedIn,
    state,
    /** Signs with a new key from now on, and no longer knows the old one. */
    async rotateKeys(kid: string) {
      await addKey(kid)
      open()
    },
    /** An id token as the provider would sign it, with other claims, another header or an older key where they are given. */
    idToken,
    /** Goes through the provider's pages as a browser does, up to its answer for the redirect URI. */
    async authorize(location: string, jar = new Map<string, string>()) {
      for (let url = new URL(location); ;) {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
        const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
        for (const line of answer.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
          jar.set(name!, value!)
        }
        const next = answer.headers.get('location')
        if (next === null) {
          const inputs = (await answer.text()).matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)
          return new URLSearchParams(
            [...inputs].map(([, name, value]): [string, string] => [name!, value!.replaceAll('&amp;', '&')]),
          )
        }
        url = new URL(next, url)
        if (url.origin !== issuer) return url.searchParams
      }
    },
    settings: (name: string) => ({
      [`OIDC_${name}_ISSUER`]: issuer,
      [`OIDC_${name}_CLIENT_ID`]: `${clientId},${nativeClientId}`,
      [`OIDC_${name}_CLIENT_SECRET`]: clientSecret,
    }),
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
