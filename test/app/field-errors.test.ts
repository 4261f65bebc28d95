import { describe, expect, test } from 'bun:test'
import { fieldErrorCodes } from '../../src/lib/refusal.ts'
import { type Answer, consents, password, type Person, type TestApp, testApp } from '../app.ts'
import { expectProblem } from '../problem.ts'
import { granted } from '../rows.ts'

const nobody = '01a1fdfa-4600-7000-8000-000000000000'
const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

const codesOf = (answer: Answer) =>
  Object.fromEntries((answer.body?.errors ?? []).map(({ path, code }: any) => [path, code]))

type World = { app: TestApp; ada: Person; bob: Person; chat: string; photo: string; message: string }

async function open(): Promise<World> {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = (await ada.post('chats', { user_id: bob.id })).body.id
  const message = (await ada.post(`chats/${chat}/messages`, { text: 'Hello' })).body.id
  const form = new FormData()
  form.append('file', new Blob([pixel]))
  const photo = (await bob.post('media', form)).body.id
  // A profile photo, so that everybody may see it.
  await bob.put('me', { photo })
  return { app, ada, bob, chat, photo, message }
}

const entries = (n: number) => Array.from({ length: n }, (_, i) => `entry ${i}`)
const account = { email: 'x@example.org', password, name: 'X', consents }

type Case = [
  path: string,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  body: (world: World) => unknown,
  errors: Record<string, string>,
]

// The request body, and the invalid fields with their codes.
const refused: Case[] = [
  ['auth/register', 'POST', () => ({}), { '/password': 'required', '/name': 'required' }],
  ['auth/register', 'POST', () => ({ ...account, email: undefined }), { '/email': 'required' }],
  ['auth/register', 'POST', () => ({ ...account, email: 'no address' }), { '/email': 'format' }],
  ['auth/register', 'POST', () => ({ ...account, email: `${'x'.repeat(255)}@example.org` }), { '/email': 'too_long' }],
  ['auth/register', 'POST', () => ({ ...account, email: 7 }), { '/email': 'type' }],
  ['auth/register', 'POST', () => ({ ...account, phone: '123' }), { '/phone': 'format' }],
  ['auth/register', 'POST', () => ({ ...account, password: 'short' }), { '/password': 'too_short' }],
  ['auth/register', 'POST', () => ({ ...account, password: 'x'.repeat(201) }), { '/password': 'too_long' }],
  ['auth/register', 'POST', () => ({ ...account, password: 'half a \ud83d pair' }), { '/password': 'not_allowed' }],
  ['auth/register', 'POST', () => ({ ...account, password: 'password1234' }), { '/password': 'too_common' }],
  ['auth/register', 'POST', () => ({ ...account, password: null }), { '/password': 'type' }],
  ['auth/register', 'POST', () => ({ ...account, name: '' }), { '/name': 'too_short' }],
  ['auth/register', 'POST', () => ({ ...account, name: ' \t' }), { '/name': 'too_short' }],
  ['auth/register', 'POST', () => ({ ...account, name: '\u3164' }), { '/name': 'too_short' }],
  ['auth/register', 'POST', () => ({ ...account, name: 'x'.repeat(81) }), { '/name': 'too_long' }],
  ['auth/register', 'POST', () => ({ ...account, name: 'x'.repeat(60_000) }), { '/name': 'too_long' }],
  ['auth/register', 'POST', () => ({ ...account, name: 'A\u0000da' }), { '/name': 'not_allowed' }],
  ['auth/register', 'POST', () => ({ ...account, name: 'A\u202eda' }), { '/name': 'not_allowed' }],
  ['auth/register', 'POST', () => ({ ...account, name: `A${'\u0316'.repeat(31)}` }), { '/name': 'not_allowed' }],
  ['auth/register', 'POST', () => ({ ...account, name: null }), { '/name': 'type' }],
  ['auth/register', 'POST', () => ({ ...account, gender: 'x' }), { '/gender': 'not_allowed' }],
  ['auth/register', 'POST', () => ({ ...account, gender: 7 }), { '/gender': 'type' }],
  ['auth/register', 'POST', () => ({ ...account, bio: 'x'.repeat(501) }), { '/bio': 'too_long' }],
  ['auth/register', 'POST', () => ({ ...account, cookies: 'no' }), { '/cookies': 'type' }],
  [
    'auth/register',
    'POST',
    () => ({ ...account, consents: { terms: true, privacy: false } }),
    { '/consents/privacy': 'required', '/consents/disclaimer': 'required' },
  ],
  [
    'auth/register',
    'POST',
    () => ({ ...account, consents: { ...consents, marketing: 1 } }),
    { '/consents/marketing': 'type' },
  ],
  ['auth/register', 'POST', () => '[]', { '/': 'type' }],
  ['auth/register', 'POST', () => `{"a":${'['.repeat(40)}${']'.repeat(40)}}`, { '/': 'not_allowed' }],
  ['auth/login', 'POST', () => ({ password }), { '/email': 'required' }],
  [
    'auth/login',
    'POST',
    () => ({ email: 'x@example.org', phone: '+14155550100', password }),
    { '/email': 'not_allowed' },
  ],
  ['auth/login', 'POST', () => ({ email: 'x@example.org', password: '' }), { '/password': 'too_short' }],
  ['auth/refresh', 'POST', () => ({ refresh_token: 7 }), { '/refresh_token': 'type' }],
  ['auth/consents', 'POST', () => ({ consents: {} }), { '/consents': 'required' }],
  ['auth/consents', 'POST', () => ({}), { '/consents': 'required' }],
  ['auth/consents', 'POST', () => ({ consents: { terms: 'yes' } }), { '/consents/terms': 'type' }],
  ['auth/appeals', 'POST', () => ({ email: 'a@b.example', text: 'x' }), { '/password': 'required' }],
  [
    'me/password',
    'PUT',
    () => ({ current_password: password, new_password: 'short' }),
    { '/new_password': 'too_short' },
  ],
  [
    'me/password',
    'PUT',
    () => ({ current_password: password, new_password: 'password1234' }),
    { '/new_password': 'too_common' },
  ],
  ['me', 'PUT', () => ({ city: 'x'.repeat(81) }), { '/city': 'too_long' }],
  ['me', 'PUT', () => ({ bio: 'a\u0001b' }), { '/bio': 'not_allowed' }],
  ['me', 'PUT', () => ({ photo: nobody }), { '/photo': 'unknown' }],
  ['me', 'PUT', ({ photo }) => ({ photo }), { '/photo': 'not_yours' }],
  ['me', 'PUT', () => ({ photo: 'http://example.org/a.png' }), { '/photo': 'not_yours' }],
  ['me', 'PUT', () => ({ photo: 7 }), { '/photo': 'type' }],
  ['me/prefs', 'PUT', () => ({ drinks: entries(21) }), { '/drinks': 'too_long' }],
  ['me/prefs', 'PUT', () => ({ drinks: ['tea', 'tea'] }), { '/drinks/1': 'duplicate' }],
  ['me/prefs', 'PUT', () => ({ drinks: ['', 'x'.repeat(41)] }), { '/drinks/0': 'too_short', '/drinks/1': 'too_long' }],
  ['me/prefs', 'PUT', () => ({ drinks: 'tea' }), { '/drinks': 'type' }],
  ['me/prefs', 'PUT', () => ({ language: 'no language' }), { '/language': 'format' }],
  ['me/location', 'PUT', () => ({ latitude: 91, longitude: 0 }), { '/latitude': 'out_of_range' }],
  ['me/location', 'PUT', () => ({ latitude: '52', longitude: 0 }), { '/latitude': 'type' }],
  ['me/location', 'PUT', () => ({ latitude: 52 }), { '/longitude': 'required' }],
  ['me/visibility', 'PUT', () => ({}), { '/visible': 'required' }],
  ['search/nearby?lat=91&lng=x', 'GET', () => undefined, { '/lat': 'out_of_range', '/lng': 'type' }],
  ['search/nearby?lat=1', 'GET', () => undefined, { '/lng': 'required' }],
  ['search/nearby?lat=1&lng=1&radius=99', 'GET', () => undefined, { '/radius': 'out_of_range' }],
  ['search/nearby?lat=1&lng=1&gender=x', 'GET', () => undefined, { '/gender': 'not_allowed' }],
  ['search/nearby?lat=1&lng=1&language=x_', 'GET', () => undefined, { '/language': 'format' }],
  [`search/nearby?lat=1&lng=1${'&drinks=x'.repeat(21)}`, 'GET', () => undefined, { '/drinks': 'too_long' }],
  ['me/sessions?limit=0', 'GET', () => undefined, { '/limit': 'out_of_range' }],
  ['me/sessions?limit=101', 'GET', () => undefined, { '/limit': 'out_of_range' }],
  ['me/sessions?limit=x', 'GET', () => undefined, { '/limit': 'type' }],
  ['me/sessions?cursor=x', 'GET', () => undefined, { '/cursor': 'format' }],
  [`me/sessions?cursor=${'x'.repeat(1001)}`, 'GET', () => undefined, { '/cursor': 'too_long' }],
  ['sync?since=x', 'GET', () => undefined, { '/since': 'type' }],
  ['chats', 'POST', () => ({}), { '/user_id': 'required' }],
  ['chats', 'POST', () => ({ user_id: 'x' }), { '/user_id': 'format' }],
  ['chats', 'POST', () => ({ user_id: nobody }), { '/user_id': 'unknown' }],
  ['chats/:chat/messages', 'POST', () => ({}), { '/text': 'required' }],
  ['chats/:chat/messages', 'POST', () => ({ text: '' }), { '/text': 'too_short' }],
  ['chats/:chat/messages', 'POST', () => ({ text: ' \n' }), { '/text': 'too_short' }],
  ['chats/:chat/messages', 'POST', () => ({ text: 'x'.repeat(4001) }), { '/text': 'too_long' }],
  ['chats/:chat/messages', 'POST', () => ({ text: 'a\u0007' }), { '/text': 'not_allowed' }],
  ['chats/:chat/messages', 'POST', () => ({ text: 7 }), { '/text': 'type' }],
  ['chats/:chat/messages', 'POST', () => ({ kind: 'video', text: 'x' }), { '/kind': 'not_allowed' }],
  ['chats/:chat/messages', 'POST', () => ({ text: 'x', photo: nobody }), { '/photo': 'not_allowed' }],
  ['chats/:chat/messages', 'POST', () => ({ kind: 'photo' }), { '/photo': 'required' }],
  ['chats/:chat/messages', 'POST', () => ({ kind: 'photo', photo: nobody }), { '/photo': 'unknown' }],
  ['chats/:chat/messages', 'POST', ({ photo }) => ({ kind: 'photo', photo }), { '/photo': 'not_yours' }],
  [
    'chats/:chat/messages',
    'POST',
    () => ({ kind: 'photo', photo: 'https://example.org/a.png' }),
    { '/photo': 'not_yours' },
  ],
  ['chats/:chat/messages', 'POST', () => ({ kind: 'photo', photo: 'x' }), { '/photo': 'format' }],
  ['chats/:chat/messages', 'POST', () => ({ text: 'x', client_id: 'x'.repeat(65) }), { '/client_id': 'too_long' }],
  ['messages/:message', 'PUT', () => ({ text: '' }), { '/text': 'too_short' }],
  ['blocks', 'POST', () => ({ user_id: nobody }), { '/user_id': 'unknown' }],
  ['reports', 'POST', () => ({ reason: 'spam' }), { '/user_id': 'required' }],
  ['reports', 'POST', ({ bob }) => ({ user_id: bob.id, reason: 'x' }), { '/reason': 'not_allowed' }],
  [
    'reports',
    'POST',
    ({ bob }) => ({ user_id: bob.id, reason: 'spam', details: 'x'.repeat(2001) }),
    { '/details': 'too_long' },
  ],
  ['reports', 'POST', () => ({ user_id: nobody, reason: 'spam' }), { '/user_id': 'unknown' }],
  ['reports', 'POST', () => ({ message_id: nobody, reason: 'spam' }), { '/message_id': 'unknown' }],
  ['reports', 'POST', () => ({ review_id: nobody, reason: 'spam' }), { '/review_id': 'unknown' }],
  [
    'reports',
    'POST',
    ({ bob, message }) => ({ user_id: bob.id, message_id: message, reason: 'spam' }),
    { '/user_id': 'not_allowed', '/message_id': 'not_allowed' },
  ],
  ['reviews', 'POST', ({ chat }) => ({ chat_id: chat, rating: 6 }), { '/rating': 'out_of_range' }],
  ['reviews', 'POST', ({ chat }) => ({ chat_id: chat, rating: 4.5 }), { '/rating': 'type' }],
  ['reviews', 'POST', () => ({ chat_id: nobody, rating: 5 }), { '/chat_id': 'unknown' }],
  ['appeals', 'POST', () => ({ notice_id: nobody, text: 'Why?' }), { '/notice_id': 'unknown' }],
  // Unions are refused by the fields of the variant that was meant.
  ['me/channels', 'POST', () => ({}), { '/kind': 'required' }],
  ['me/channels', 'POST', () => ({ kind: 'pigeon' }), { '/kind': 'not_allowed' }],
  ['me/channels', 'POST', () => ({ kind: 'fcm' }), { '/token': 'required' }],
  ['me/channels', 'POST', () => ({ kind: 'fcm', token: 7 }), { '/token': 'type' }],
  [
    'me/channels',
    'POST',
    () => ({ kind: 'webpush', subscription: { endpoint: 'https://push.example/1' } }),
    { '/subscription/keys': 'required' },
  ],
  ['me/channels', 'POST', () => [], { '/': 'type' }],
  [
    'me/notifications',
    'PUT',
    () => ({ quiet: { from: '22:00' } }),
    { '/quiet/to': 'required', '/quiet/time_zone': 'required' },
  ],
  ['me/notifications', 'PUT', () => ({ quiet: 'always' }), { '/quiet': 'type' }],
]

/** Messages that speak of schemas instead of what the field takes. */
const ofValidator = expect.stringMatching(/union|property/)

describe('every refused field is named with a code', () => {
  test('from the closed list of codes', async () => {
    const world = await open()
    const { app, ada, chat, message } = world
    const seen = new Set<string>()
    for (const [path, method, body, errors] of refused) {
      const to = path.replace(':chat', chat).replace(':message', message)
      const authorization = `Bearer ${ada.token}`
      const given = body(world)
      const answer = await app.request(method, to, {
        body: given,
        headers: { authorization, ...(typeof given === 'string' && { 'content-type': 'application/json' }) },
      })
      const what = `${method} ${path} ${JSON.stringify(given)?.slice(0, 80)}`
      expect([what, codesOf(answer)]).toEqual([what, errors])
      expect([what, answer.status]).toEqual([
        what,
        Object.values(errors).includes('unknown') && !errors['/photo'] ? 404 : 422,
      ])
      expectProblem(answer, answer.status, answer.body.code)
      for (const code of Object.values(errors)) seen.add(code)
      for (const { message } of answer.body.errors) expect([what, message]).not.toEqual([what, ofValidator])
    }
    expect([...seen].sort()).toEqual([...fieldErrorCodes].sort())
  })

  test('for uploads and decisions too', async () => {
    const { app, ada, bob } = await open()
    const upload = async (...files: (Uint8Array<ArrayBuffer> | string)[]) => {
      const form = new FormData()
      for (const file of files) form.append('file', typeof file === 'string' ? file : new Blob([file]))
      form.append('other', 'x')
      return codesOf(await ada.post('media', form))
    }
    expect(await upload()).toEqual({ '/file': 'required' })
    expect(await upload('text')).toEqual({ '/file': 'type' })
    expect(await upload(pixel, pixel)).toEqual({ '/file': 'too_long' })
    expect(await upload(new Uint8Array())).toEqual({ '/file': 'too_short' })
    expect(await upload(pixel.subarray(0, 20))).toEqual({ '/file': 'format' })

    const mo = await app.person('Mo')
    await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
    const suspend = async (body: object) => codesOf(await mo.post(`admin/users/${bob.id}/suspend`, body))
    expect(await suspend({ reason: 'x', until: '2020-01-01T00:00:00Z' })).toEqual({ '/until': 'out_of_range' })
    expect(await suspend({ reason: 'x', until: 'soon' })).toEqual({ '/until': 'format' })
    const { id } = (await ada.post('reports', { user_id: bob.id, reason: 'spam' })).body
    const resolve = async (body: object) => codesOf(await mo.post(`admin/reports/${id}/resolve`, body))
    expect(await resolve({ action: 'warn', note: 'x', until: '2030-01-01T00:00:00Z' })).toEqual({
      '/until': 'not_allowed',
    })
    expect(await resolve({ action: 'hang', note: '' })).toEqual({ '/action': 'not_allowed', '/note': 'too_short' })
  })

  test('for rules, by the kind of what they match', async () => {
    const { app, ada } = await open()
    await app.services.storage.users.setRole(ada.id, 'admin', granted(ada.id, app.clock.now))
    app.forget(ada.id)
    const rule = { name: 'x', on: true, applies_to: ['message'], action: 'refuse' }
    const add = async (body: object) => codesOf(await ada.post('admin/rules', { ...rule, ...body }))
    const match = (match: unknown) => add({ match })
    expect(await match({ type: 'words', words: [] })).toEqual({ '/match/words': 'too_short' })
    expect(await match({ type: 'spells' })).toEqual({ '/match/type': 'not_allowed' })
    expect(await match({ words: ['x'] })).toEqual({ '/match/type': 'required' })
    expect(await match({ type: 'image', distance: 500 })).toEqual({ '/match/distance': 'out_of_range' })
    expect(await match({ type: 'link', domains: [7] })).toEqual({ '/match/domains/0': 'type' })
    expect(await match('words')).toEqual({ '/match': 'type' })
    expect(await add({ match: { type: 'link' }, scope: { account_younger_than_h: 'x' } })).toEqual({
      '/scope/account_younger_than_h': 'type',
    })
  })
})

test('a user who is hidden by a block gets the same code as one who never existed', async () => {
  const { ada, bob, app } = await open()
  const eve = await app.person('Eve')
  await eve.post('blocks', { user_id: ada.id })
  const known = (await ada.post('chats', { user_id: eve.id })).body
  const never = (await ada.post('chats', { user_id: nobody })).body
  expect({ ...known, request_id: '' }).toEqual({ ...never, request_id: '' })
  expect(bob.id).not.toBe(eve.id)
})

test('one’s own photo that is kept only as evidence gets the same code as one that is gone', async () => {
  const { ada, bob, chat } = await open()
  const form = new FormData()
  form.append('file', new Blob([pixel]))
  const photo = (await ada.post('media', form)).body.id
  const { id } = (await ada.post(`chats/${chat}/messages`, { kind: 'photo', photo })).body
  await bob.post('reports', { message_id: id, reason: 'nudity' })
  await ada.delete(`messages/${id}`)
  for (const person of [ada, bob])
    for (const answer of [
      await person.put('me', { photo }),
      await person.post(`chats/${chat}/messages`, { kind: 'photo', photo }),
    ])
      expect(codesOf(answer)).toEqual({ '/photo': 'unknown' })
})

test('a field that may be null says what it takes', async () => {
  const { ada } = await open()
  const { body } = await ada.put('me/notifications', { chats: 'x', quiet: { from: '22:00', to: '07:00' } })
  expect(body.errors).toEqual([
    { path: '/chats', code: 'type', message: 'Expected boolean or null' },
    { path: '/quiet/time_zone', code: 'required', message: 'This field is required' },
  ])
  const login = await ada.post('auth/login', { email: 'x'.repeat(255), password: 'x' })
  expect(login.body.errors).toMatchObject([{ path: '/email', message: 'Expected string length less or equal to 254' }])
})
