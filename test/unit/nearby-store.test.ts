import { expect, test } from 'bun:test'
import type { Convene } from '../../client/src/index.ts'
import { nearbyOf } from '../../web/app/people/nearby-store.ts'

/** A client whose user can change, and whose requests are answered by hand. */
function openClient() {
  let user = { id: 'ada', visible: true }
  let changed = () => {}
  const requests: { request: string; isAnswered: boolean; resolve(answer: object): void }[] = []
  const ask = (method: string) => (path: string) =>
    new Promise<object>((resolve) => void requests.push({ request: `${method} ${path}`, isAnswered: false, resolve }))
  const client = {
    api: { GET: ask('GET'), PUT: ask('PUT') },
    session: {
      get: () => ({ state: 'signed-in', user }),
      subscribe(listener: () => void) {
        changed = listener
        return () => {}
      },
    },
  } as unknown as Convene
  return {
    store: nearbyOf(client),
    /** Answers the first such request that waits. */
    async answer(request: string, answer: object) {
      const waiting = requests.find((one) => one.request === request && !one.isAnswered)!
      waiting.isAnswered = true
      waiting.resolve({ response: new Response(), ...answer })
      await Bun.sleep(0)
    },
    /** How often a request was made. */
    asked: (request: string) => requests.filter((one) => one.request === request).length,
    signIn(id: string) {
      user = { id, visible: true }
      changed()
    },
  }
}

const place = { latitude: 52.5, longitude: 13.4 }

test('the next user of a page never gets the place or the preferences of the one before', async () => {
  const { store, signIn, answer, asked } = openClient()
  const published = store.publish(place)
  void store.readLikes()
  signIn('bob')
  const first = store.get()
  await answer('PUT /api/v1/me/location', { data: { ...place, visible: true } })
  await answer('GET /api/v1/me/prefs', { data: { drinks: ['tea'], activities: [], purposes: [] } })
  expect(store.get()).toEqual(first)
  expect(await published).toBe(null)
  // The search would be made around the place of the one before.
  expect(asked('GET /api/v1/search/nearby')).toBe(0)
})

test('an answer for the user before does not end the choice of the next one', async () => {
  const { store, signIn, answer, asked } = openClient()
  void store.show(false)
  await Bun.sleep(0)
  signIn('bob')
  void store.show(false)
  await answer('PUT /api/v1/me/visibility', { error: { code: 'busy', status: 503 } })
  expect(store.get().visible).toBe(false)
  expect(asked('PUT /api/v1/me/visibility')).toBe(2)
})

test('two choices about visibility are sent one after the other, and the last one stays', async () => {
  const { store, answer, asked } = openClient()
  void store.show(false)
  void store.show(true)
  await Bun.sleep(0)
  expect(asked('PUT /api/v1/me/visibility')).toBe(1)
  await answer('PUT /api/v1/me/visibility', { data: { visible: false } })
  expect(asked('PUT /api/v1/me/visibility')).toBe(2)
  await answer('GET /api/v1/me', { data: {} })
  expect(store.get().visible).toBe(true)
  await answer('PUT /api/v1/me/visibility', { data: { visible: true } })
  await answer('GET /api/v1/me', { data: {} })
  expect(store.get().visible).toBe(null)
})

test('an answer for the same user is shown', async () => {
  const { store, answer } = openClient()
  void store.publish(place)
  void store.readLikes()
  await answer('PUT /api/v1/me/location', { data: { ...place, visible: true } })
  await answer('GET /api/v1/me/prefs', { data: { drinks: ['tea'], activities: [], purposes: [] } })
  expect(store.get()).toMatchObject({ place, likes: { drinks: ['tea'] } })
})
