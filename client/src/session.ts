import type { paths } from './openapi.ts'
import type { AskForPasskey } from './passkey.ts'
import { isTemporary, problemOf, Refused } from './problem.ts'
import type { Kept } from './storage.ts'
import { createStore } from './store.ts'
import type { Lock } from './locks.ts'
import type { ClientFetch, EndReason, Me, SessionState, Store } from './types.ts'

type Body<Path extends keyof paths> = paths[Path] extends {
  post: { requestBody: { content: { 'application/json': infer Body } } }
}
  ? Omit<Body, 'cookies'>
  : never

/** E-mail or phone, the password, a name and the consents. */
export type Registration = Body<'/api/v1/auth/register'>

export type SignInWith =
  | Body<'/api/v1/auth/login'>
  /** The init data of a messenger, as it came. */
  | { initData: string; invite?: string }
  /** An id token of an OpenID provider that the server knows. `consents` are needed for a new account. */
  | { provider: string; idToken: string; nonce?: string; consents?: Record<string, boolean>; invite?: string }
  /** Made by `passkey()`. */
  | { passkey: AskForPasskey }
  /** Takes over the session of the browser's cookies, as after a provider has sent the user back. */
  | { cookies: true }

export type SignedIn = {
  user: Me
  /** Whether the account is new. */
  created: boolean
  /** What the link carried that opened the messenger's app. */
  startParam: string | null
}

type Tokens = { access_token: string; refresh_token: string; good_until: number }
type Stored = {
  /** Of the signing in, so that what belongs to an earlier one ends nothing. */
  id: string
  user: Me | null
  tokens: Tokens | null
  reason: EndReason | null
}
type Answer = Omit<Tokens, 'good_until'> & {
  user: Me
  expires_in: number
  created?: boolean
  start_param?: string | null
}

const nobody: Stored = { id: '', user: null, tokens: null, reason: null }
/** Good enough where there is no `crypto`, as in React Native. */
export const randomId = (): string =>
  globalThis.crypto?.randomUUID?.() ??
  Array.from({ length: 4 }, () => Math.random().toString(36).slice(2, 10).padEnd(8, '0')).join('-')

const sleep = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms))

// A token that is about to run out may do so before the request arrives.
const margin = 60_000
// The server answers a repeated refresh in the same way for ten seconds.
const askAgainMs = 8000

type Deps = {
  url: string
  fetch: ClientFetch
  storage: Kept
  /** Has the session at once, though maybe an older one. */
  copy?: Kept
  lock: Lock
  /** Whether the browser keeps the refresh token in its cookies. */
  cookies: boolean
  /** Tells the other tabs to read the stored session again. */
  changed(): void
}

export type Session = ReturnType<typeof openSession>

export function openSession({ url, fetch, storage, copy, lock, cookies, changed }: Deps) {
  const store = createStore<SessionState>({ state: 'signed-out', user: null, reason: null })
  let held = nobody
  let refreshing: Promise<string | null> | null = null
  const tokenListeners = new Set<(token: string) => void>()

  function adopt(stored: Stored) {
    const { access_token } = held.tokens ?? {}
    held = stored
    const { user, tokens, reason } = stored
    const next: SessionState = reason
      ? { state: 'ended', user, reason }
      : user && tokens
        ? { state: 'signed-in', user, reason: null }
        : { state: 'signed-out', user: null, reason: null }
    if (JSON.stringify(next) !== JSON.stringify(store.get())) store.set(next)
    if (tokens && tokens.access_token !== access_token)
      for (const listener of [...tokenListeners]) listener(tokens.access_token)
  }

  const parse = (text: string | null): Stored => (text ? JSON.parse(text) : nobody)
  const read = async () => parse(await storage.get('session'))

  // From a synchronous storage the session is there at once, and no page has to wait for it.
  const first = storage.get('session')
  const early = copy ? copy.get('session') : first
  if (typeof early === 'string') adopt(parse(early))
  const ready: Promise<void> = Promise.resolve(first).then((text) => adopt(parse(text)))

  async function write(stored: Stored) {
    for (const each of [storage, copy])
      await (stored === nobody ? each?.remove('session') : each?.set('session', JSON.stringify(stored)))
    adopt(stored)
    changed()
  }

  const post = (path: string, body: object, token?: string, withCookies = cookies) =>
    fetch(`${url}/api/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
      credentials: withCookies ? 'include' : 'omit',
    })

  async function ask<T>(path: string, body: object): Promise<T> {
    const response = await post(path, cookies ? body : { ...body, cookies: false })
    if (!response.ok) throw new Refused(await problemOf(response))
    return (await response.json()) as T
  }

  const begin = ({ user, access_token, refresh_token, expires_in }: Answer, id = randomId()) =>
    write({
      id,
      user,
      tokens: {
        access_token,
        refresh_token: cookies ? '' : refresh_token,
        good_until: Date.now() + expires_in * 1000,
      },
      reason: null,
    })

  async function enter(path: string, body: object): Promise<SignedIn> {
    const answer = await ask<Answer>(`auth/${path}`, body)
    await lock('session', () => begin(answer))
    return { user: answer.user, created: answer.created ?? false, startParam: answer.start_param ?? null }
  }

  /** Ends the session here, unless another tab has signed in or out meanwhile. */
  const end = (reason: EndReason, { id } = held) =>
    lock('session', async () => {
      const stored = await read()
      if (stored.reason || stored.id !== id) return adopt(stored)
      // With their token suspended users read their notices and appeal.
      await write({ ...stored, tokens: reason === 'suspended' ? stored.tokens : null, reason })
    })

  /** Refreshes. Asks again where no answer comes, as the first one may only be lost; an attempt is never given up. */
  async function askForTokens(body: object): Promise<Response> {
    const until = Date.now() + askAgainMs
    const attempts: Promise<Response>[] = []
    for (let wait = 250; ; wait *= 2) {
      attempts.push(
        post('auth/refresh', body).then(async (response) => {
          if (response.ok) return response
          const problem = await problemOf(response)
          if (isTemporary(problem)) throw new Refused(problem)
          return response
        }),
      )
      const answered = Promise.any(attempts).catch(({ errors }) => {
        throw errors[0]
      })
      const first = await Promise.race([answered.catch(() => undefined), sleep(2500)])
      if (first) return first
      if (Date.now() + wait > until)
        return Promise.race([
          answered,
          sleep(20_000).then(() => {
            throw new TypeError('The server does not answer.')
          }),
        ])
      await sleep(wait)
    }
  }

  const refresh = (refused?: string) =>
    lock('session', async () => {
      // Read inside the lock: another tab may have refreshed while this one waited.
      const stored = await read()
      const { tokens, reason } = stored
      if (!tokens || reason || isGood(tokens, refused)) {
        adopt(stored)
        return tokens && tokens.access_token
      }
      const { refresh_token } = tokens
      const response = await askForTokens(cookies ? {} : { refresh_token, cookies: false })
      if (response.ok) {
        const answer = (await response.json()) as Answer
        // Who signed out while the answer was on its way stays signed out.
        if ((await read()).id !== stored.id) return null
        await begin(answer, stored.id)
        return answer.access_token
      }
      const problem = await problemOf(response)
      if (response.status !== 401 && problem.code !== 'suspended') throw new Refused(problem)
      await write({ ...stored, tokens: null, reason: problem.code })
      return null
    })

  const isGood = ({ access_token, good_until }: Tokens, refused?: string) =>
    access_token !== refused && Date.now() < good_until - margin

  /** An access token that is good for a minute and is not the refused one; null where nobody is signed in. */
  async function token(refused?: string): Promise<string | null> {
    await ready
    const { tokens, reason } = held
    if (!tokens) return null
    if (reason || isGood(tokens, refused)) return tokens.access_token
    return (refreshing ??= refresh(refused).finally(() => (refreshing = null)))
  }

  /** `fetch` with the token of the session, once more with a new one where it was refused. */
  async function authorized(path: string, init: RequestInit): Promise<Response> {
    const send = (with_: string | null) =>
      fetch(path, { ...init, headers: { ...(with_ && { authorization: `Bearer ${with_}` }), ...init.headers } })
    const used = await token()
    let response = await send(used)
    if (used && (response.status === 401 || response.status === 403)) {
      const { code } = await problemOf(response)
      if (code === 'suspended') await end(code)
      if (code !== 'token_expired' && code !== 'unauthenticated') return response
      const fresh = await token(used)
      if (fresh) response = await send(fresh)
    }
    // The user of the session is what the server last said of them.
    if (response.ok && path === `${url}/api/v1/me` && init.method !== 'DELETE') {
      const user = (await response.clone().json()) as Me
      await lock('session', async () => {
        const stored = await read()
        if (stored.user?.id === user.id) await write({ ...stored, user })
      })
    }
    return response
  }

  return {
    /** Resolves once the stored session is read. */
    ready,
    store: { get: store.get, subscribe: store.subscribe } as Store<SessionState>,
    token,
    authorized,
    end,
    /** Another tab has changed the stored session. */
    reread: async () => adopt(await read()),
    onToken(listener: (token: string) => void) {
      tokenListeners.add(listener)
      return () => void tokenListeners.delete(listener)
    },
    register: (registration: Registration) => enter('register', registration),
    async signIn(how: SignInWith): Promise<SignedIn> {
      if ('initData' in how) return enter('messenger', { init_data: how.initData, invite: how.invite })
      if ('idToken' in how) {
        const { provider, idToken, ...rest } = how
        return enter(`oidc/${encodeURIComponent(provider)}`, { id_token: idToken, ...rest })
      }
      if ('passkey' in how) {
        const { options } = await ask<{ options: unknown }>('auth/passkey/options', {})
        return enter('passkey', { credential: await how.passkey(options) })
      }
      if (!('cookies' in how)) return enter('login', how)
      const response = await post('auth/refresh', {}, undefined, true)
      if (!response.ok) throw new Refused(await problemOf(response))
      const answer = (await response.json()) as Answer
      await lock('session', () => begin(answer))
      return { user: answer.user, created: false, startParam: null }
    },
    /** Always signs out here, and tells the server where it can be reached. */
    async signOut() {
      await ready
      const { access_token } = held.tokens ?? {}
      await lock('session', () => write(nobody))
      if (access_token) await post('auth/logout', {}, access_token).catch(() => {})
    },
  }
}
