import createClient from 'openapi-fetch'
import type { components, paths } from './openapi-typescript/schema.ts'
import { assert, base, people, places } from './tour.ts'

type Schemas = components['schemas']

async function join(body: Schemas['Registration']) {
  const visitor = createClient<paths>({ baseUrl: base })
  const { data: session, error } = await visitor.POST('/api/v1/auth/register', { body })
  if (error) throw new Error(error.code)
  return {
    id: session.user.id,
    api: createClient<paths>({ baseUrl: base, headers: { authorization: `Bearer ${session.access_token}` } }),
  }
}

const [ada, ben] = [await join(people[0]), await join(people[1])]
for (const [i, { api }] of [ada, ben].entries()) {
  const preferences = await api.PUT('/api/v1/me/prefs', { body: { drinks: ['tea'], language: 'en' } })
  assert(preferences.data?.drinks[0] === 'tea')
  assert((await api.PUT('/api/v1/me/location', { body: places[i]! })).data?.visible)
}
const query = { lat: places[0].latitude, lng: places[0].longitude, drinks: ['tea'] }
const { data: nearby } = await ada.api.GET('/api/v1/search/nearby', { params: { query } })
assert(nearby?.items.some(({ user }) => user.id === ben.id))

const chat: Schemas['Chat'] | undefined = (await ada.api.POST('/api/v1/chats', { body: { user_id: ben.id } })).data
assert(chat)
const params = { path: { id: chat.id } }
const body = { text: 'Coffee?', client_id: 'a1' }
assert((await ada.api.POST('/api/v1/chats/{id}/messages', { params, body })).data?.kind === 'text')
assert((await ben.api.PUT('/api/v1/chats/{id}/read', { params })).data?.read === 1)
assert((await ben.api.GET('/api/v1/chats')).data?.items[0]?.last_message?.text === 'Coffee?')

const { data: missed } = await ben.api.GET('/api/v1/sync')
const messages = missed?.items.flatMap((event) =>
  event.type === 'message' && 'text' in event.data ? event.data.text : [],
)
assert(messages?.[0] === 'Coffee?')

const { error } = await ada.api.GET('/api/v1/users/{id}', { params: { path: { id: crypto.randomUUID() } } })
const code: Schemas['ProblemCode'] | undefined = error?.code
assert(code === 'not_found')
