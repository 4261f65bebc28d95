import type { paths } from './openapi.ts'
import type { AskForPasskey } from './passkey.ts'
import { isTemporary, problemOf, Refused } from './problem.ts'
import type { Kept } from './storage.ts'
import { createStore, isSame } from './store.ts'
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
  | { initData: string; invite?: string; birthDate?: string }
  /** An id token of an OpenID provider that the server knows. `consents` are needed for a new account. */
  | {
      provider: string
      idToken: string
      nonce?: string
      consents?: Record<string, boolean>
      invite?: string
      birthDate?: string
    }
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
  globalThis.crypto?.randomUUID?.() ?? `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`

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
  const accessToken = createStore<string | null>(null)

  function adopt(stored: Stored) {
    held = stored
    const { user, tokens, reason } = stored
    const next = {
      state: reason ? 'ended' : user && tokens ? 'signed-in' : 'signed-out',
      user: reason || tokens ? user : null,
      reason,
    } as SessionState
    if (!isSame(next, store.get())) store.set(next)
    if (tokens) accessToken.set(tokens.access_token)
  }

  const parse = (text: string | null): Stored => (text ? JSON.parse(text) : nobody)
  const read = async () => parse(await storage.get('session'))

  // From a synchronous storage the session is there at once, and no page has to wait for it.
  const first = storage.get('session')
  const early = copy ? copy.get('session') : first
  if (typeof early === 'string') adopt(parse(early))
  const ready: Promise<void> = Promise.resolve(first).then((text) => adopt(parse(text)))

  async function write(stored: Stored) {
    const text = stored === nobody ? null : JSON.stringify(stored)
    await storage.set('session', text)
    await copy?.set('session', text)
    adopt(stored)
    changed()
  }

  const post = (path: string, body: object, token?: string, withCookies = cookies) =>
    fetch(`${url}/api/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(withCookies ? body : { ...body, cookies: false }),
      credentials: withCookies ? 'include' : 'omit',
    })

  async function answerOf<T>(request: Promise<Response>): Promise<T> {
    const response = await request
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

  async function enter(path: string, body: object, withCookies?: boolean): Promise<SignedIn> {
    const answer = await answerOf<Answer>(post(path, body, undefined, withCookies))
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
  async function askForTokens(refresh_token: string): Promise<Answer> {
    const until = Date.now() + askAgainMs
    const attempts: Promise<Answer | Refused>[] = []
    for (let wait = 250; ; wait *= 2) {
      const attempt = answerOf<Answer>(post('refresh', cookies ? {} : { refresh_token }))
      // What the server has decided is an answer too.
      attempts.push(
        attempt.catch((error) => {
          if (error instanceof Refused && !isTemporary(error.problem)) return error
          throw error
        }),
      )
      const answered = Promise.any(attempts).catch(({ errors }) => {
        throw errors[0]
      })
      let first = await Promise.race([answered.catch(() => undefined), sleep(2500)])
      const isLast = Date.now() + wait > until
      if (isLast) first ??= await Promise.race([answered, sleep(20_000)])
      if (first instanceof Refused) throw first
      if (first) return first
      if (isLast) throw new TypeError('The server does not answer.')
      await sleep(wait)
    }
  }

  const refresh = (refused: string | null) =>
    lock('session', async () => {
      // Read inside the lock: another tab may have refreshed while this one waited.
      const stored = await read()
      const { tokens, reason } = stored
      if (!tokens || reason || isGood(tokens, refused)) {
        adopt(stored)
        return tokens && tokens.access_token
      }
      try {
        const answer = await askForTokens(tokens.refresh_token)
        // Who signed out while the answer was on its way stays signed out.
        if ((await read()).id !== stored.id) return null
        await begin(answer, stored.id)
        return answer.access_token
      } catch (error) {
        if (!(error instanceof Refused) || (error.problem.status !== 401 && error.code !== 'suspended')) throw error
        await write({ ...stored, tokens: null, reason: error.code })
        return null
      }
    })

  const isGood = ({ access_token, good_until }: Tokens, refused: string | null) =>
    access_token !== refused && Date.now() < good_until - margin

  /** An access token that is good for a minute and is not the refused one; null where nobody is signed in. */
  async function token(refused: string | null = null): Promise<string | null> {
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
    store: store as Store<SessionState>,
    accessToken: accessToken as Store<string | null>,
    token,
    authorized,
    end,
    /** Another tab has changed the stored session. */
    reread: async () => adopt(await read()),
    register: (registration: Registration) => enter('register', registration),
    async signIn(how: SignInWith): Promise<SignedIn> {
      if ('initData' in how)
        return enter('messenger', { init_data: how.initData, invite: how.invite, birth_date: how.birthDate })
      if ('idToken' in how) {
        const { provider, idToken, birthDate, ...rest } = how
        return enter(`oidc/${encodeURIComponent(provider)}`, { id_token: idToken, birth_date: birthDate, ...rest })
      }
      if ('passkey' in how) {
        const { options } = await answerOf<{ options: unknown }>(post('passkey/options', {}))
        return enter('passkey', { credential: await how.passkey(options) })
      }
      return 'cookies' in how ? enter('refresh', {}, true) : enter('login', how)
    },
    /** Always signs out here, and tells the server where it can be reached. */
    async signOut() {
      await ready
      const { access_token } = held.tokens ?? {}
      await lock('session', () => write(nobody))
      if (access_token) await post('logout', {}, access_token).catch(() => {})
    },
  }
}
