import { expect, test } from 'bun:test'
import { callers } from '../../src/features/auth/callers.ts'
import { openTokens } from '../../src/features/auth/tokens.ts'
import { type TestApp, testApp } from '../app.ts'

/** Callers of an app's sessions with a small cache; `lookUps` counts those that were not cached. */
function fewCallers({ services: { config, consents, now, storage } }: TestApp, most: number) {
  const { sessions } = storage
  const tokens = openTokens({ secret: config.jwtSecret!, now })
  const known = callers({ tokens, sessions, consents, nodes: null, mayMiss: false, most, now })
  return { ...known, lookUps: () => known.counts().misses }
}

test('the cache of callers is bounded, and keeps those who return', async () => {
  const app = await testApp()
  const known = fewCallers(app, 4)
  const people = await Promise.all(['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Flo'].map((name) => app.person(name)))
  const [ada] = people
  for (const { id, token } of people) {
    expect((await known.byToken(token)).id).toBe(id)
    await known.byToken(ada!.token)
  }
  expect(known.lookUps()).toBe(people.length)
  // Bo was evicted meanwhile.
  await known.byToken(people[1]!.token)
  expect(known.lookUps()).toBe(people.length + 1)
})

test('an invalidated caller is looked up again, whichever half of the cache has them', async () => {
  const app = await testApp()
  const known = fewCallers(app, 4)
  const [gus, hal, ida] = await Promise.all(['Gus', 'Hal', 'Ida'].map((name) => app.person(name)))
  const all = [gus!, hal!, ida!]
  for (const { token } of all) await known.byToken(token)
  // Gus is in the older half, and then in both.
  await known.byToken(gus!.token)
  for (const { id, token } of all) {
    await known.forget(id)
    const before = known.lookUps()
    await known.byToken(token)
    expect(known.lookUps()).toBe(before + 1)
  }
  await gus!.post('auth/logout')
  await known.forget(gus!.id)
  await expect(known.byToken(gus!.token)).rejects.toThrow()
  known.forgetAll()
  const before = known.lookUps()
  await known.byToken(hal!.token)
  expect(known.lookUps()).toBe(before + 1)
})
