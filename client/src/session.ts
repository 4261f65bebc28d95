import { answerWithinMs, withDeadline } from './deadline.ts'
import { signedOut } from './initial.ts'
import type { paths } from './openapi.ts'
import type { AskForPasskey } from './passkey.ts'
import { isTemporary, problemOf, Refused } from './problem.ts'
import type { ScopedStorage } from './storage.ts'
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
  /** The init data of a messenger, unchanged. */
  | { initData: string; invite?: string; birthDate?: string }
  /** An id token of an OpenID provider that the server knows. `consents` are needed for a new account. */
  | {
      provider: string
      idToken: string
      nonce?: string
      code?: string
      consents?: Record<string, boolean>
      invite?: string
      birthDate?: string
    }
  /** Made by `passkey()`. */
  | { passkey: AskForPasskey }
  /** Uses the session in the browser's cookies, as after a provider has sent the user back. */
  | { cookies: true }

export type SignedIn = {
  user: Me
  /** Whether the account is new. */
  created: boolean
  /** The parameter of the link that opened the messenger's app. */
  startParam: string | null
}

type Tokens = { access_token: string; refresh_token: string; good_until: number }
type Stored = {
  /** Identifies the sign-in, so that a late answer for an earlier one does not end this session. */
  id: string
  user: Me | null
  tokens: Tokens | null
  reason: EndReason | null
  /** When it was written, in milliseconds, and always later than the one before: the newest of several copies counts. */
  at?: number
}
type Answer = Omit<Tokens, 'good_until'> & {
  user: Me
  expires_in: number
  created?: boolean
  start_param?: string | null
}

const nobody: Stored = { id: '', user: null, tokens: null, reason: null }
/** Without `crypto`, as in React Native, a weaker id is good enough: it only has to be unique. */
export const randomId = (): string =>
  globalThis.crypto?.randomUUID?.() ?? `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`

const sleep = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms))

// A token that expires soon may expire before the request arrives.
const expiryMarginMs = 60_000
// For ten seconds, the server gives the same answer to a repeated refresh.
const repeatWithinMs = 8000
const logOutWithinMs = 10_000

type Deps = {
  url: string
  fetch: ClientFetch
  storage: ScopedStorage
  /** A synchronous copy of the session. It may be older, and is newer where the storage has refused the session. */
  copy?: ScopedStorage
  lock: Lock
  /** Whether the browser keeps the refresh token in its cookies. */
  cookies: boolean
  /** Tells the other tabs to read the stored session again. */
  changed(): void
}

export type Session = ReturnType<typeof openSession>

export function openSession({ url, fetch, storage, copy, lock, cookies, changed }: Deps) {
  const store = createStore(signedOut)
  let current = nobody
  let refreshing: Promise<string | null> | null = null
  const accessToken = createStore<string | null>(null)

  function adopt(stored: Stored) {
    current = stored
    const { user, tokens, reason } = stored
    const next = {
      state: reason ? 'ended' : user && tokens ? 'signed-in' : 'signed-out',
      user: reason || tokens ? user : null,
      reason,
    } as SessionState
    if (!isSame(next, store.get())) store.set(next)
    if (tokens) accessToken.set(tokens.access_token)
  }

  /** What is damaged is no session. */
  function parse(text: string | null | undefined): Stored {
    try {
      return text ? JSON.parse(text) : nobody
    } catch {
      return nobody
    }
  }
  function orNewerCopy(stored: Stored): Stored {
    const copied = parse(copy?.get('session') as string | null | undefined)
    // A tab with an earlier version of this package stores no time, and may not write the copy.
    const at = stored.at ?? (stored.id ? Infinity : 0)
    return (copied.at ?? 0) > at ? copied : stored
  }
  /** A storage that cannot be read for a moment signs nobody out. */
  const read = async () => orNewerCopy(await storage.read('session').then(parse, () => current))

  // With a synchronous storage, the session is known at once, and no page has to wait for it.
  const early = (copy ?? storage).get('session')
  if (typeof early === 'string') adopt(parse(early))
  const ready = start()

  /** Reads the stored session. If the storage cannot be read, the copy is enough, and without one it tries again. */
  async function start(): Promise<boolean> {
    for (const waitMs of [50, 400, 0]) {
      const stored = await storage.read('session').then(parse, () => null)
      if (stored) {
        adopt(orNewerCopy(stored))
        return true
      }
      if (current.at) break
      await sleep(waitMs)
    }
    return false
  }

  async function write(next: Stored) {
    const stored = { ...next, at: Math.max(Date.now(), (current.at ?? 0) + 1) }
    // With a copy, signing out is stored too, so that it is newer than a session that could not be removed.
    const text = stored.id || copy ? JSON.stringify(stored) : null
    await storage.set('session', text)
    await copy?.set('session', text)
    adopt(stored)
    changed()
  }

  const post = (path: string, body: object, token?: string, withCookies = cookies, signal?: AbortSignal) =>
    fetch(`${url}/api/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(withCookies ? body : { ...body, cookies: false }),
      credentials: withCookies ? 'include' : 'omit',
      signal,
    })

  async function answerOf<T>(request: Promise<Response>): Promise<T> {
    const response = await request
    if (!response.ok) throw new Refused(await problemOf(response))
    return (await response.json()) as T
  }

  const ask = <T>(path: string, body: object, withCookies?: boolean) =>
    withDeadline(answerWithinMs, (signal) => answerOf<T>(post(path, body, undefined, withCookies, signal)))

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

  /** The logout that is under way. */
  let leaving: Promise<unknown> = Promise.resolve()

  async function enter(path: string, body: object, withCookies = cookies): Promise<SignedIn> {
    // The answer to a logout clears the cookies, also those of whoever has signed in before it arrives.
    if (withCookies) await Promise.race([leaving, sleep(logOutWithinMs)])
    const answer = await ask<Answer>(path, body, withCookies)
    await lock('session', () => begin(answer))
    return { user: answer.user, created: answer.created ?? false, startParam: answer.start_param ?? null }
  }

  /** Ends the session here, unless another tab has signed in or out meanwhile. */
  const end = (reason: EndReason, { id } = current) =>
    lock('session', async () => {
      const stored = await read()
      if (stored.reason || stored.id !== id) return adopt(stored)
      // Suspended users keep their token: it still lets them read notices and appeal.
      await write({ ...stored, tokens: reason === 'suspended' ? stored.tokens : null, reason })
    })

  /** Refreshes. Without an answer it asks again, in case the answer was lost, and takes the first answer to any attempt. */
  async function requestTokens(refresh_token: string): Promise<Answer> {
    const rest = new AbortController()
    try {
      return await firstAnswer(refresh_token, rest.signal)
    } finally {
      // An attempt that still waits for a connection would use the old token later, which the server takes for theft.
      rest.abort()
    }
  }

  async function firstAnswer(refresh_token: string, signal: AbortSignal): Promise<Answer> {
    const until = Date.now() + repeatWithinMs
    const attempts: Promise<Answer | Refused>[] = []
    for (let wait = 250; ; wait *= 2) {
      const attempt = answerOf<Answer>(post('refresh', cookies ? {} : { refresh_token }, undefined, cookies, signal))
      // A final refusal is an answer too.
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
        const answer = await requestTokens(tokens.refresh_token)
        // If the user has signed out meanwhile, they stay signed out.
        const now = await read()
        if (now.id !== stored.id) {
          adopt(now)
          return null
        }
        await begin(answer, stored.id)
        return answer.access_token
      } catch (error) {
        if (!(error instanceof Refused) || isTemporary(error.problem)) throw error
        if (error.problem.status !== 401 && error.code !== 'suspended') throw error
        const now = await read()
        if (now.id !== stored.id) {
          adopt(now)
          return null
        }
        await write({ ...stored, tokens: null, reason: error.code })
        return null
      }
    })

  const isGood = ({ access_token, good_until }: Tokens, refused: string | null) =>
    access_token !== refused && Date.now() < good_until - expiryMarginMs

  /** An access token that is valid for at least a minute and is not the refused one; null if nobody is signed in. */
  async function token(refused: string | null = null): Promise<string | null> {
    await ready
    const { tokens, reason } = current
    if (!tokens) return null
    if (reason || isGood(tokens, refused)) return tokens.access_token
    return (refreshing ??= refresh(refused).finally(() => (refreshing = null)))
  }

  /** `fetch` with the token of the session. If the token is refused, it repeats the request once with a new one. */
  async function authorized(path: string, init: RequestInit): Promise<Response> {
    const early = current
    await ready
    const session = early.id ? early : current
    /** Whether somebody else has signed in since. A request of one user must not be sent for another. */
    const isOver = () => current.id !== session.id
    const send = (with_: string | null) =>
      fetch(path, { ...init, headers: { ...(with_ && { authorization: `Bearer ${with_}` }), ...init.headers } })
    const used = await token()
    if (used && isOver()) throw new Error('Somebody else has signed in.')
    let response = await send(used)
    if (used && (response.status === 401 || response.status === 403)) {
      const { code } = await problemOf(response)
      if (code === 'suspended') await end(code, session)
      if (code !== 'token_expired' && code !== 'unauthenticated') return response
      const fresh = await token(used)
      if (fresh && !isOver()) response = await send(fresh)
    }
    // Store the user as the server has just shown it.
    if (response.ok && path === `${url}/api/v1/me` && init.method !== 'DELETE') {
      const user = (await response.clone().json()) as Me
      await lock('session', async () => {
        const stored = await read()
        if (stored.user?.id === user.id) await write({ ...stored, user })
      })
    }
    return response
  }

  /** Ends the session on the server. Without it, the session and its notifications would live on. */
  const logOut = ({ access_token, refresh_token }: Tokens) =>
    withDeadline(logOutWithinMs, async (signal) => {
      const { status } = await post('logout', {}, access_token, cookies, signal)
      // The cookies are those of whoever has signed in meanwhile.
      if (status !== 401 || (cookies && current.id)) return
      const fresh = await requestTokens(refresh_token)
      await post('logout', {}, fresh.access_token, cookies, signal)
    })

  return {
    /** Resolves once the stored session is read: with false if it cannot be read. */
    ready,
    store: store as Store<SessionState>,
    accessToken: accessToken as Store<string | null>,
    token,
    authorized,
    end,
    /** Removes the user of an erased account, once their data is removed: until then, it is found by their id. */
    dropErased: () =>
      lock('session', async () => {
        const stored = await read()
        if (stored.reason === 'erased') await write({ ...stored, user: null })
      }),
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
        const { options } = await ask<{ options: unknown }>('passkey/options', {})
        return enter('passkey', { credential: await how.passkey(options) })
      }
      return 'cookies' in how ? enter('refresh', {}, true) : enter('login', how)
    },
    /** Signs out on this device. Answers what signs out on the server, if that can be reached. */
    async signOut(): Promise<() => Promise<unknown>> {
      await ready
      const { tokens } = current
      await lock('session', () => write(nobody))
      return () => (leaving = tokens ? logOut(tokens).catch(() => {}) : leaving)
    },
  }
}
