import { expect, spyOn, test } from 'bun:test'
import { accessTokenS } from '../../src/features/auth/tokens.ts'
import type { Chat, Message, Session } from '../answers.ts'
import { password, type Person, testApp, type TestApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { granted } from '../rows.ts'
import { type Client, connect, ofType } from '../socket-client.ts'

const minutes = 60_000
const nobody = { address: '', user_agent: null, language: null }

async function pair(environment: Record<string, string> = {}) {
  const app = await testApp(environment)
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = (await ada.post<Chat>('chats', { user_id: bob.id })).body
  return { app, base, ada, bob, chat }
}

async function join(base: URL, token: string): Promise<Client> {
  const client = connect(base, token)
  await client.until(ofType('hello'))
  return client
}

let cids = 0
/** Sends a token, and waits for the answer. */
async function renew(client: Client, token: unknown) {
  const cid = `auth ${++cids}`
  client.send({ type: 'auth', cid, data: { token } })
  const { type, data } = await client.until((frame) => frame.cid === cid, 'an answer')
  return { type, data }
}

const refused = (code: string) => ({ type: 'error', data: { code, detail: expect.any(String) } })

const refresh = async (app: TestApp, { refresh }: Person) =>
  (await app.request<Session>('POST', 'auth/refresh', { body: { refresh_token: refresh } })).body.access_token as string

const login = async (app: TestApp, { email }: Person) =>
  (await app.request<Session>('POST', 'auth/login', { body: { email, password } })).body.access_token as string

function endExpired({ nodes }: TestApp) {
  for (const { services } of nodes) services.hub.endExpired()
}

/** Whether the server still answers a socket. */
const isOpen = ({ closed, pong }: Client) => Promise.race([pong().then(() => true), closed.then(() => false)])

test('an expired access token does not end the session, but without a new one the socket closes as token_expired', async () => {
  const { app, base, ada } = await pair()
  const client = await join(base, ada.token)
  app.clock.now += accessTokenS * 1000
  endExpired(app)
  expect([await client.closed, await client.closeReason]).toEqual([4401, 'token_expired'])
  expect(client.frames.filter(ofType('session_ended'))).toEqual([])
})

test('a socket continues with a new token, with every event once and in order', async () => {
  const { app, base, ada, bob, chat } = await pair()
  const client = await join(base, bob.token)
  let asAda = ada
  for (let round = 0; round < 3; round++) {
    app.clock.now += 14 * minutes
    const token = await refresh(app, bob)
    asAda = { ...ada, ...app.as(await login(app, ada)) }
    const sends = Promise.all(
      Array.from({ length: 20 }, (_, i) => asAda.post<Message>(`chats/${chat.id}/messages`, { text: `${round} ${i}` })),
    )
    expect(await renew(client, token)).toEqual({ type: 'auth', data: { expires_in: accessTokenS } })
    await sends
    // The refresh token of the next round is the successor of this one.
    bob.refresh = (
      await app.request<Session>('POST', 'auth/refresh', { body: { refresh_token: bob.refresh } })
    ).body.refresh_token
    endExpired(app)
  }
  await client.until(({ type, seq }) => type === 'message' && seq === 61)
  expect(client.seqs()).toEqual(Array.from({ length: 60 }, (_, i) => i + 2))
  expect(await isOpen(client)).toBe(true)
  app.clock.now += 15 * minutes
  endExpired(app)
  expect(await client.closeReason).toBe('token_expired')
})

test('a token of another session of the same user moves the socket there', async () => {
  const { app, base, ada } = await pair()
  const [moved, stays] = [await join(base, ada.token), await join(base, ada.token)]
  const other = await login(app, ada)
  expect((await renew(moved, other)).type).toBe('auth')
  await ada.post('auth/logout')
  expect([await stays.closed, stays.frames.at(-1).data]).toEqual([4401, { reason: 'logout' }])
  expect(await isOpen(moved)).toBe(true)
  await app.as(other).post('auth/logout')
  expect([await moved.closed, moved.frames.at(-1).data]).toEqual([4401, { reason: 'logout' }])
})

test('an invalid token is refused, and the socket stays open until its own one expires', async () => {
  const { app, base, ada, bob } = await pair()
  const ended = await login(app, ada)
  await app.as(ended).post('auth/logout')
  const old = await login(app, ada)
  app.clock.now += 10 * minutes
  const fresh = await refresh(app, ada)
  const client = await join(base, fresh)
  app.clock.now += 6 * minutes
  for (const token of ['', 'nonsense', ended, old, ada.refresh, `${fresh}x`])
    expect(await renew(client, token)).toEqual(refused('unauthenticated'))
  for (const data of [undefined, null, {}, { token: 7 }, { token: null }, 'text', []]) {
    client.send({ type: 'auth', cid: 'malformed', data })
    expect(await client.until((frame) => frame.cid === 'malformed')).toMatchObject(refused('validation_failed'))
    client.frames.length = 0
  }
  expect(await isOpen(client)).toBe(true)
  app.clock.now += 9 * minutes
  endExpired(app)
  expect([await client.closed, await client.closeReason]).toEqual([4401, 'token_expired'])
  expect(await isOpen(await join(base, await login(app, bob)))).toBe(true)
})

test('a token of another user closes the socket, and reveals nothing of either', async () => {
  const { base, ada, bob, chat } = await pair()
  const client = await join(base, ada.token)
  client.send({ type: 'auth', cid: 1, data: { token: bob.token } })
  expect([await client.closed, await client.closeReason]).toEqual([4401, 'another user'])
  expect(client.frames.at(-1)).toMatchObject({ type: 'error', cid: 1, data: { code: 'forbidden' } })
  expect(client.frames.filter(ofType('session_ended'))).toEqual([])
  await bob.post<Message>(`chats/${chat.id}/messages`, { text: 'for Ada' })
  expect(client.seqs()).toEqual([])
})

oneNodeTest('it holds one node back')('one token of a socket is checked at a time', async () => {
  const { app, base, ada } = await pair()
  const client = await join(base, ada.token)
  const { callers } = app.services
  const released = Promise.withResolvers<void>()
  const byToken = spyOn(callers, 'byToken').mockImplementation(async () => {
    await released.promise
    throw new Error('not a refusal')
  })
  for (let cid = 1; cid <= 5; cid++) client.send({ type: 'auth', cid, data: { token: 'one' } })
  await client.until(({ cid }) => cid === 5)
  expect(client.frames.filter(ofType('error')).map(({ cid, data }) => [cid, data.code])).toEqual(
    [2, 3, 4, 5].map((cid) => [cid, 'busy']),
  )
  expect(byToken.mock.calls).toHaveLength(1)
  released.resolve()
  expect((await client.until(({ cid }) => cid === 1)).data).toEqual({
    code: 'internal_error',
    detail: 'Something went wrong.',
  })
  byToken.mockRestore()
  expect((await renew(client, ada.token)).type).toBe('auth')
})

oneNodeTest('it ends the session between two steps of one')(
  'a session that ends while a socket moves to it takes the socket with it',
  async () => {
    const { app, base, ada } = await pair()
    const client = await join(base, ada.token)
    const other = await login(app, ada)
    const { callers } = app.services
    const { byToken } = callers
    callers.byToken = async (...parameters) => {
      callers.byToken = byToken
      const caller = await byToken(...parameters)
      await app.as(other).post('auth/logout')
      return caller
    }
    client.send({ type: 'auth', data: { token: other } })
    expect([await client.closed, client.frames.at(-1)]).toEqual([
      4401,
      expect.objectContaining({ type: 'session_ended', data: { reason: 'ended' } }),
    ])
    expect(client.frames.filter(ofType('auth'))).toEqual([])
  },
)

test('with the consent gate, a token of a user without the consents renews nothing', async () => {
  const { app, base, ada } = await pair({ CONSENT_GATE: 'on' })
  const client = await join(base, ada.token)
  await app.services.consents.record(ada.id, { terms: false }, nobody)
  app.forget(ada.id)
  expect(await renew(client, ada.token)).toEqual(refused('consents_required'))
  expect(await isOpen(client)).toBe(true)
})

test('session_ended has the reason: ended elsewhere, or by a stolen token', async () => {
  const { app, base, ada } = await pair()
  const other = await login(app, ada)
  const one = await join(base, other)
  await ada.delete('me/sessions')
  expect([await one.closed, one.frames.at(-1).data]).toEqual([4401, { reason: 'ended' }])
  const two = await join(base, ada.token)
  await refresh(app, ada)
  app.clock.now += 11_000
  await app.request<Session>('POST', 'auth/refresh', { body: { refresh_token: ada.refresh } })
  expect([await two.closed, two.frames.at(-1).data]).toEqual([4401, { reason: 'ended' }])
})

test('a refused upgrade tells an expired token from an invalid one', async () => {
  const { app, base, ada } = await pair()
  const mod = await app.person('Mod')
  await app.services.storage.users.setRole(mod.id, 'admin', granted(mod.id, 0))
  const headers = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  const answer = async (token: string) => {
    const response = await fetch(new URL(`/ws?token=${token}`, base), { headers })
    return [response.status, ((await response.json()) as { code: string }).code]
  }
  expect(await answer('nonsense')).toEqual([401, 'unauthenticated'])
  app.clock.now += accessTokenS * 1000
  expect(await answer(ada.token)).toEqual([401, 'token_expired'])
})
