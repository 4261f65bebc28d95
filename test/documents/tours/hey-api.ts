import { createClient } from './hey-api/client/index.ts'
import * as convene from './hey-api/index.ts'
import { assert, base, people, places } from './tour.ts'

async function join(body: convene.Registration) {
  const { data: session, error } = await convene.postAuthRegister({ client: createClient({ baseUrl: base }), body })
  if (error) throw new Error(error.code)
  assert(session)
  return { id: session.user.id, client: createClient({ baseUrl: base, auth: session.access_token }) }
}

const [ada, ben] = [await join(people[0]), await join(people[1])]
for (const [i, { client }] of [ada, ben].entries()) {
  const preferences = await convene.putMePrefs({ client, body: { drinks: ['tea'], language: 'en' } })
  assert(preferences.data?.drinks[0] === 'tea')
  assert((await convene.putMeLocation({ client, body: places[i]! })).data?.visible)
}
const query = { lat: places[0].latitude, lng: places[0].longitude, drinks: ['tea'] }
const { data: nearby } = await convene.getSearchNearby({ client: ada.client, query })
assert(nearby?.items.some(({ user }) => user.id === ben.id))

const chat: convene.Chat | undefined = (await convene.postChats({ client: ada.client, body: { user_id: ben.id } })).data
assert(chat)
const path = { id: chat.id }
const body = { text: 'Coffee?', client_id: 'a1' }
assert((await convene.postChatsByIdMessages({ client: ada.client, path, body })).data?.kind === 'text')
assert((await convene.putChatsByIdRead({ client: ben.client, path })).data?.read === 1)
assert((await convene.getChats({ client: ben.client })).data?.items[0]?.last_message?.text === 'Coffee?')

const { error } = await convene.getUsersById({ client: ada.client, path: { id: crypto.randomUUID() } })
const code: convene.ProblemCode | undefined = error?.code
assert(code === 'not_found')
