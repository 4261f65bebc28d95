import { sign } from '@tma.js/init-data-node'
import { describe, expect, test } from 'bun:test'
import { consents, password, type TestApp, testApp } from '../app.ts'
import { expectProblem } from '../problem.ts'

const botToken = '7000000000:a-token-of-the-tests'
const place = { latitude: 52.5, longitude: 13.4 }

/** Logs in from the messenger, as its user with that id. */
async function fromMessenger(app: TestApp, id: number, user: object = { first_name: 'Eve', last_name: 'Lastname' }) {
  const init_data = sign({ user: { id, ...user }, query_id: 'AAA' } as never, botToken, new Date(app.clock.now))
  const answer = await app.request('POST', 'auth/messenger', { body: { init_data } })
  return { ...answer.body.user, ...app.as(answer.body.access_token) } as Record<string, any>
}

/** The people whom somebody else finds, with a filter and without one. */
async function open(environment: Record<string, string> = {}) {
  const app = await testApp({ MESSENGER_BOT_TOKEN: botToken, ...environment })
  const searcher = await app.person('Searcher')
  const found = async () => {
    const lists = await Promise.all(
      ['', '&language=en'].map((filter) => searcher.get(`search/nearby?lat=52.5&lng=13.4${filter}`)),
    )
    const [everyone, filtered] = lists.map(({ body }) => body.items.map(({ user }: any) => user.name).sort())
    expect(filtered).toEqual(everyone)
    return everyone
  }
  return { app, found }
}

describe('a messenger account', () => {
  test.each(['off', 'on'])('is hidden until it has consented, with CONSENT_GATE=%s', async (CONSENT_GATE) => {
    const { app, found } = await open({ CONSENT_GATE })
    const eve = await fromMessenger(app, 42)
    const published = await eve.put('me/location', place)
    if (CONSENT_GATE === 'on') {
      expectProblem(published, 403, 'consents_required')
      expectProblem(await eve.put('me/visibility', { visible: true }), 403, 'consents_required')
    } else {
      expect([published.status, published.body.visible]).toEqual([200, true])
      expect((await eve.put('me/visibility', { visible: true })).body).toEqual({ visible: true })
    }
    expect(await found()).toEqual([])
    await eve.post('auth/consents', { consents: { terms: true, privacy: true } })
    expect(await found()).toEqual([])
    await eve.post('auth/consents', { consents: { disclaimer: true } })
    if (CONSENT_GATE === 'on') await eve.put('me/location', place)
    expect(await found()).toEqual(['Eve'])
  })

  test('that chose to hide stays hidden when it consents', async () => {
    const { app, found } = await open()
    const eve = await fromMessenger(app, 42)
    await eve.put('me/location', place)
    await eve.put('me/visibility', { visible: false })
    await eve.post('auth/consents', { consents })
    expect(await found()).toEqual([])
    expect((await eve.get('me')).body.visible).toBe(false)
    await eve.put('me/visibility', { visible: true })
    expect(await found()).toEqual(['Eve'])
  })

  test('is shown under its first name, and its last name is nowhere', async () => {
    const { app } = await open()
    const eve = await fromMessenger(app, 42)
    expect(eve.name).toBe('Eve')
    expect(JSON.stringify((await eve.get('me/export')).body)).not.toContain('Lastname')
    expect(await app.rows("SELECT id FROM users WHERE name LIKE '%Lastname%'")).toEqual([])
  })
})

describe('a user who withdraws a mandatory consent', () => {
  test.each(['terms', 'privacy', 'disclaimer'])('%s, is hidden at once until it is given again', async (kind) => {
    const { app, found } = await open()
    const ada = await app.person('Ada')
    await ada.put('me/location', place)
    expect(await found()).toEqual(['Ada'])
    await ada.post('auth/consents', { consents: { [kind]: false } })
    expect(await found()).toEqual([])
    // The choice is stored apart from the permission to be seen.
    expect((await ada.get('me')).body).toMatchObject({ visible: true, consents_missing: [kind] })
    // Nothing else makes them visible: not moving, not showing themselves, not changing preferences.
    await ada.put('me/location', { latitude: 52.52, longitude: 13.42 })
    await ada.put('me/location', { latitude: 52.52, longitude: 13.42 })
    await ada.put('me/visibility', { visible: false })
    expect((await ada.get('me')).body.visible).toBe(false)
    await ada.put('me/visibility', { visible: true })
    await ada.put('me/prefs', { drinks: ['tea'] })
    await ada.put('me', { gender: 'female' })
    expect(await found()).toEqual([])
    await ada.post('auth/consents', { consents: { [kind]: true } })
    expect(await found()).toEqual(['Ada'])
  })

  test('marketing, stays visible, and so does who has not accepted a newer text yet', async () => {
    const { app, found } = await open()
    const ada = await app.person('Ada')
    await ada.put('me/location', place)
    await ada.post('auth/consents', { consents: { marketing: false } })
    await app.rows("UPDATE consent_log SET version = 'older' WHERE user_id = ?", ada.id)
    app.forget(ada.id)
    expect((await ada.get('me')).body.consents_missing).toEqual(['terms', 'privacy', 'disclaimer'])
    expect(await found()).toEqual(['Ada'])
  })

  test('while a position is published and shown, is hidden in whatever order they are stored', async () => {
    const { app, found } = await open()
    const people = await Promise.all(['A', 'B', 'C'].map((name) => app.person(name)))
    await Promise.all(
      people.flatMap((person) => [
        person.put('me/location', place),
        person.post('auth/consents', { consents: { terms: false } }),
        person.put('me/visibility', { visible: true }),
      ]),
    )
    expect(await found()).toEqual([])
    await Promise.all(people.map((person) => person.post('auth/consents', { consents: { terms: true } })))
    expect(await found()).toEqual(['A', 'B', 'C'])
  })
})

test('the export has the choice, and an erasure removes the hidden position', async () => {
  const { app } = await open()
  const ada = await app.person('Ada')
  await ada.put('me/location', place)
  await ada.post('auth/consents', { consents: { terms: false } })
  expect((await ada.get('me/export')).body.location.visible).toBe(true)
  expect((await ada.delete('me', { password })).status).toBe(204)
  expect(await app.rows('SELECT user_id FROM locations WHERE user_id = ?', ada.id)).toEqual([])
})
