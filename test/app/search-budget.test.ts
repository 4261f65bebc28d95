import { expect, test } from 'bun:test'
import { searchBudget } from '../../src/features/location/search-budget.ts'
import { testApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { expectProblem } from '../problem.ts'

const day = 86_400_000
const page = (n: number, size = 50) => Array.from({ length: size }, (_, i) => `person ${size * n + i}`)
const tooMany = expect.objectContaining({ code: 'rate_limited' })

function budgetOf(options: { enabled?: boolean; remembers?: number } = {}) {
  const clock = { now: 1_000_000_000_000 }
  return { clock, ...searchBudget({ enabled: true, ...options, now: () => clock.now }) }
}

test('an account sees 3,000 different people in a day, and those it has seen at any time', () => {
  const { clock, show } = budgetOf()
  for (let n = 0; n < 60; n++) show('ada', page(n))
  clock.now += day - 5000
  expect(() => show('ada', ['somebody new'])).toThrow(tooMany)
  // A page with one stranger on it is refused as a whole, and counts nothing.
  expect(() => show('ada', [...page(1), 'somebody new'])).toThrow(
    expect.objectContaining({ headers: expect.objectContaining({ 'retry-after': '5' }) }),
  )
  for (let n = 0; n < 60; n++) show('ada', page(n))
  show('bob', ['somebody new'])
  clock.now += 5000
  show('ada', ['somebody new'])
  for (let n = 0; n < 59; n++) show('ada', page(n))
  show('ada', page(59, 50).slice(0, 49))
  expect(() => show('ada', ['another one'])).toThrow(tooMany)
})

test('the 3,000th is shown, whoever else is on the page', () => {
  const { show } = budgetOf()
  for (let n = 0; n < 59; n++) show('ada', page(n))
  expect(() =>
    show(
      'ada',
      page(0, 51).map((id) => `other ${id}`),
    ),
  ).toThrow(tooMany)
  show(
    'ada',
    page(0).map((id) => `other ${id}`),
  )
  expect(() => show('ada', ['one more'])).toThrow(tooMany)
})

test('places and people are counted separately', () => {
  const { spend, show } = budgetOf()
  for (let i = 0; i < 500; i++) spend('ada', { latitude: 10, longitude: i / 10 })
  expect(() => spend('ada', { latitude: 11, longitude: 0 })).toThrow(tooMany)
  show('ada', page(0))
})

test('a clock that was set back begins a new day', () => {
  const { clock, show } = budgetOf()
  for (let n = 0; n < 60; n++) show('ada', page(n))
  clock.now -= 1
  show('ada', ['somebody new'])
})

test('memory is bounded: the account whose day began first is evicted first', () => {
  const { show } = budgetOf({ remembers: 3 * 8192 })
  for (const account of ['ada', 'bob', 'cleo']) for (let n = 0; n < 60; n++) show(account, page(n))
  for (const account of ['ada', 'bob', 'cleo']) expect(() => show(account, ['new'])).toThrow(tooMany)
  for (let n = 0; n < 60; n++) show('dan', page(n))
  for (const account of ['bob', 'cleo', 'dan']) expect(() => show(account, ['new'])).toThrow(tooMany)
  show('ada', ['new'])
})

test('RATE_LIMIT=off disables it', async () => {
  const { show, oneAtATime } = budgetOf({ enabled: false })
  for (let n = 0; n < 61; n++) show('ada', page(n))
  const never = Array.from({ length: 20 }, () => oneAtATime('ada', () => new Promise<void>(() => {})))
  expect(await Promise.race([...never, Promise.resolve('all of them run')])).toBe('all of them run')
})

test('an account has one search at a time, a few wait in order, and others are not delayed', async () => {
  const { oneAtATime } = budgetOf()
  const began: string[] = []
  const finish: (() => void)[] = []
  const search = (account: string, name: string) =>
    oneAtATime(account, () => {
      began.push(name)
      return new Promise<void>((resolve) => finish.push(resolve))
    })
  const all = Array.from({ length: 10 }, (_, i) => search('ada', `ada ${i}`))
  const other = search('bob', 'bob')
  await expect(search('ada', 'one too many')).rejects.toMatchObject({ code: 'rate_limited' })
  expect(began).toEqual(['ada 0', 'bob'])
  for (let i = 0; i < 11; i++) {
    await Bun.sleep(0)
    finish.shift()!()
  }
  await Promise.all([...all, other])
  expect(began).toEqual(['ada 0', 'bob', ...Array.from({ length: 9 }, (_, i) => `ada ${i + 1}`)])
})

test('after a failed search, the next one runs', async () => {
  const { oneAtATime } = budgetOf()
  const failed = oneAtATime('ada', () => Promise.reject(new Error('no')))
  const next = oneAtATime('ada', async () => 'found')
  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('found')
})

oneNodeTest('Redis counts by its own clock, in shared-limits.test.ts')(
  'a search that would show too many answers 429, and shows nobody',
  async () => {
    const app = await testApp({ RATE_LIMIT: 'on' })
    const [ada, bob] = [await app.person(), await app.person()]
    await bob.put('me/location', { latitude: 52.5, longitude: 13.4 })
    const search = () => ada.get('search/nearby?lat=52.5&lng=13.4')
    for (let n = 0; n < 60; n++) app.services.budget.show(ada.id, page(n))
    const refused = await search()
    expectProblem(refused, 429, 'rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBe(86_400)
    expect(refused.text).not.toContain(bob.id)
    app.clock.now += day
    const again = await app.services.auth.begin(ada.id, { address: '', user_agent: null, language: null })
    const found = await app.as(again.access_token).get('search/nearby?lat=52.5&lng=13.4')
    expect(found.body.items.map((item: any) => item.user.id)).toEqual([bob.id])
  },
)
