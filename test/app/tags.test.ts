import { expect, test } from 'bun:test'
import { leastPeople, tagCounter } from '../../src/features/tags/rules.ts'
import { settingsShown } from '../../src/lib/settings.ts'
import { minutes } from '../../src/lib/time.ts'
import { settings } from '../../src/config.ts'
import { type Answer, testApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { granted } from '../rows.ts'

const outcome = ({ status, body }: Answer) => [status, body?.code]

test('a tag counts once for each person, in any case, and has a spelling that enough people use', () => {
  const counter = tagCounter()
  for (let i = 0; i < leastPeople; i++) counter.add(['Tea', 'tea', i % 2 ? 'MATE' : 'Mate'])
  for (let i = 0; i < leastPeople - 1; i++) counter.add(['Tea', 'Secret'])
  expect(counter.shared()).toEqual([
    { tag: 'tea', folded: 'tea', count: 2 * leastPeople - 1 },
    { tag: 'mate', folded: 'mate', count: leastPeople },
  ])
})

test('tags are those that at least five people share, most used first, by their beginning', async () => {
  const app = await testApp()
  const people = await Promise.all(Array.from({ length: 6 }, () => app.person()))
  const like = (i: number, drinks: string[]) => people[i]!.put('me/prefs', { drinks, activities: ['chess'] })
  for (let i = 0; i < 4; i++) await like(i, ['tea', 'Coffee', 'my own brew'])
  const [ada] = people as [(typeof people)[0]]
  const tags = async (query: string) => (await ada.get(`tags?${query}`)).body.items
  expect(await tags('kind=drinks')).toEqual([])
  for (let i = 4; i < 6; i++) await like(i, i === 4 ? ['tea', 'coffee'] : ['TEA', 'Coffee'])
  app.clock.now += 14 * minutes
  expect(await tags('kind=drinks')).toEqual([
    { tag: 'Coffee', count: 6 },
    { tag: 'tea', count: 6 },
  ])
  expect(await tags('kind=drinks&q=TE')).toEqual([{ tag: 'tea', count: 6 }])
  expect(await tags('kind=drinks&q=my')).toEqual([])
  expect(await tags('kind=activities')).toEqual([{ tag: 'chess', count: 6 }])
  expect(await tags('kind=purposes')).toEqual([])
  for (const query of ['', 'kind=food', `kind=drinks&q=${'x'.repeat(101)}`])
    expect(outcome(await ada.get(`tags?${query}`))).toEqual([422, 'validation_failed'])
})

oneNodeTest('each node counts for itself')('a count of tags is good for a while', async () => {
  const app = await testApp()
  const people = await Promise.all(Array.from({ length: 5 }, () => app.person()))
  const [ada] = people as [(typeof people)[0]]
  const drinks = async () => (await ada.get('tags?kind=drinks')).body.items
  expect(await drinks()).toEqual([])
  for (const person of people) await person.put('me/prefs', { drinks: ['tea'] })
  expect(await drinks()).toEqual([])
  app.clock.now += 14 * minutes
  expect(await drinks()).toEqual([{ tag: 'tea', count: 5 }])
})

test('admins see the settings in force, without any secret', async () => {
  const secrets = {
    METRICS_TOKEN: 'a-token-of-the-metrics',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://u:hunter2@127.0.0.1:4318',
  }
  const app = await testApp({ REPORT_TARGET_H: '12', METRICS_TOKEN: secrets.METRICS_TOKEN })
  const root = await app.person()
  await app.services.storage.users.setRole(root.id, 'admin', granted(root.id, app.clock.now))
  const answer = await root.get('admin/settings')
  const of = (name: string) => answer.body.items.find((item: { name: string }) => item.name === name)
  expect(of('REPORT_TARGET_H')).toEqual({
    ...{ name: 'REPORT_TARGET_H', value: '12', default: '24', source: 'environment', secret: false },
  })
  expect(of('PORT')).toMatchObject({ value: '3000', source: 'default' })
  expect(of('METRICS_TOKEN')).toMatchObject({ value: '***', default: null, source: 'environment', secret: true })
  expect(of('SMTP_URL')).toMatchObject({ value: null, source: 'default', secret: true })
  expect(of('S3_SECRET_ACCESS_KEY')).toMatchObject({ secret: true })
  expect(answer.body.items).toHaveLength(Object.keys(settings).length)
  for (const secret of [secrets.METRICS_TOKEN, 'a secret of the tests, long enough', '11'.repeat(32)])
    expect(answer.text).not.toContain(`${secret}`)
  // A URL with a password in it is masked in every setting.
  expect(JSON.stringify(settingsShown(settings, secrets))).not.toContain('hunter2')
})
