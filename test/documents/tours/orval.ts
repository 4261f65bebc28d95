import * as convene from './orval/client.ts'
import { assert, people, places } from './tour.ts'

async function join(body: convene.Registration) {
  const { status, data } = await convene.postAuthRegister(body)
  if (status !== 201) throw new Error(data.code)
  return { id: data.user.id, options: { headers: { authorization: `Bearer ${data.access_token}` } } }
}

/** What a call answered, where that was as hoped. */
function answered<Answer extends { status: number; data: unknown }, Status extends Answer['status']>(
  answer: Answer,
  ...hoped: Status[]
): Extract<Answer, { status: Status }>['data'] {
  assert(hoped.some((status) => status === answer.status))
  return answer.data
}

const [ada, ben] = [await join(people[0]), await join(people[1])]
for (const [i, { options }] of [ada, ben].entries()) {
  const preferences = answered(await convene.putMePrefs({ drinks: ['tea'], language: 'en' }, options), 200)
  assert(preferences.drinks[0] === 'tea')
  assert(answered(await convene.putMeLocation(places[i]!, options), 200).visible)
}
const query = { lat: places[0].latitude, lng: places[0].longitude, drinks: ['tea'] }
const nearby = answered(await convene.getSearchNearby(query, ada.options), 200)
assert(nearby.items.some(({ user }) => user.id === ben.id))

const chat: convene.Chat = answered(await convene.postChats({ user_id: ben.id }, ada.options), 200, 201)
const body = { text: 'Coffee?', client_id: 'a1' }
assert(answered(await convene.postChatsByIdMessages(chat.id, body, ada.options), 201).kind === 'text')
assert(answered(await convene.putChatsByIdRead(chat.id, undefined, ben.options), 200).read === 1)
assert(answered(await convene.getChats({}, ben.options), 200).items[0]?.last_message?.text === 'Coffee?')

const problem = answered(await convene.getUsersById(crypto.randomUUID(), ada.options), 404)
const code: convene.ProblemCode = problem.code
assert(code === 'not_found')
