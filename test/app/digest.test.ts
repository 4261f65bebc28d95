import { afterEach, expect, test } from 'bun:test'
import { operator } from '../../src/features/moderation/moderators.ts'
import { days, hours, minutes } from '../../src/lib/time.ts'
import { type Person, testApp, type TestApp } from '../app.ts'
import { granted } from '../rows.ts'
import { smtpServer } from '../smtp.ts'

const servers: Awaited<ReturnType<typeof smtpServer>>[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function open() {
  const smtp = await smtpServer()
  servers.push(smtp)
  const app = await testApp({
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Convene <hello@example.org>',
    PUBLIC_URL: 'https://meet.example.org',
  })
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  await app.rows('UPDATE users SET email_verified_at = 1 WHERE id = ?', bob.id)
  await bob.put('me/notifications', { digest: 'daily' })
  return { app, smtp, ada, bob, chat: await app.met(ada, bob) }
}

/** Signs everybody in again, because access tokens last a quarter of an hour. */
async function later({ app }: { app: TestApp }, ms: number, ...people: Person[]) {
  app.clock.now += ms
  return Promise.all(
    people.map(async (person) => ({
      ...person,
      ...app.as(
        (await app.services.auth.begin(person.id, { address: '', user_agent: null, language: null })).access_token,
      ),
    })),
  )
}

async function run({ nodes }: TestApp): Promise<number> {
  const sent = await Promise.all(nodes.map(({ services }) => services.digest.send()))
  for (const { services } of nodes) await services.delivery.idle()
  return sent.reduce((sum, one) => sum + one, 0)
}

const say = (from: Person, chat: string) => from.post(`chats/${chat}/messages`, { text: 'the secret of the message' })

test('messages unread for twelve hours are mailed once a day, without names and texts', async () => {
  const world = await open()
  const { app, smtp, ada, bob, chat } = world
  await say(ada, chat)
  await say(ada, chat)
  expect(await run(app)).toBe(0)
  app.clock.now += 12 * hours - minutes
  expect(await run(app)).toBe(0)
  app.clock.now += minutes
  expect(await run(app)).toBe(1)
  const mail = await smtp.received(1)
  expect(mail.recipients).toEqual([bob.email])
  expect(mail.subject).toBe('2 unread messages on Convene')
  expect(mail.text).toContain('2 messages in one chat')
  expect(mail.text).toContain('https://meet.example.org/')
  for (const word of ['Ada', 'secret']) expect(mail.text! + mail.html).not.toContain(word)
  expect(await run(app)).toBe(0)
  // A day later, nothing new has come.
  await later(world, days)
  expect(await run(app)).toBe(0)
  const [adaAgain] = await later(world, 0, ada)
  await say(adaAgain!, chat)
  await later(world, 12 * hours)
  expect(await run(app)).toBe(1)
  expect((await smtp.received(2)).subject).toBe('3 unread messages on Convene')
})

test('a message that was held is unread since its release, and causes a digest of its own', async () => {
  const world = await open()
  const { app, smtp, ada, bob, chat } = world
  const mo = await app.person('Mo')
  await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
  await app.services.filter.replaceAll(operator, [
    { name: 'Hold', on: true, applies_to: ['message'], match: { type: 'words', words: ['holdme'] }, action: 'hold' },
  ])
  const hold = (from: Person) => from.post(`chats/${chat}/messages`, { text: 'holdme' })
  const release = async () => {
    const [moderator] = await later(world, 0, mo)
    const [report] = (await moderator!.get('admin/reports?status=open')).body.items
    const body = { action: 'release', note: 'Fine.' }
    expect((await moderator!.post(`admin/reports/${report.id}/resolve`, body)).status).toBe(200)
  }
  await hold(ada)
  await say(ada, chat)
  await later(world, 12 * hours)
  await release()
  // The other message alone is long unread.
  expect(await run(app)).toBe(1)
  expect((await smtp.received(1)).subject).toBe('An unread message on Convene')
  // The next digest is about the one that arrived since, though it was sent before.
  await later(world, days)
  expect(await run(app)).toBe(1)
  expect((await smtp.received(2)).subject).toBe('2 unread messages on Convene')

  const [bobAgain, adaAgain] = await later(world, 2 * days, bob, ada)
  await bobAgain!.put(`chats/${chat}/read`)
  await hold(adaAgain!)
  await later(world, 20 * hours)
  await release()
  expect(await run(app)).toBe(0)
  app.clock.now += 12 * hours - minutes
  expect(await run(app)).toBe(0)
  app.clock.now += minutes
  expect(await run(app)).toBe(1)
})

test('users who have read, muted or blocked, have not chosen it, or have no verified address get none', async () => {
  const { app, ada, bob, chat } = await open()
  await say(ada, chat)
  app.clock.now += 10 * minutes
  const { restore, changed } = await app.remember()
  const ways: (() => Promise<unknown>)[] = [
    () => bob.put(`chats/${chat}/read`),
    () => bob.put(`chats/${chat}/mute`, { until: 'forever' }),
    () => bob.post('blocks', { user_id: ada.id }),
    () => ada.post('blocks', { user_id: bob.id }),
    () => bob.put('me/notifications', { digest: 'off' }),
    () => app.rows('UPDATE users SET email_verified_at = NULL WHERE id = ?', bob.id),
    () => app.rows('UPDATE users SET suspended_until = ? WHERE id = ?', app.clock.now + days, bob.id),
    () => app.rows('UPDATE users SET suspended_until = ? WHERE id = ?', app.clock.now + days, ada.id),
  ]
  for (const way of ways) {
    await way()
    app.clock.now += 12 * hours
    expect([String(way), await run(app)]).toEqual([String(way), 0])
    app.clock.now -= 12 * hours
    await restore(await changed())
  }
  app.clock.now += 12 * hours
  expect(await run(app)).toBe(1)
})

test('two nodes send it once', async () => {
  const { app, ada, bob, chat } = await open()
  const another = await testApp({}, { beside: app })
  await say(ada, chat)
  app.clock.now += 13 * hours
  expect((await Promise.all([run(app), run(another)])).toSorted()).toEqual([0, 1])
  expect(
    (await app.rows("SELECT id FROM outbox WHERE user_id = ? AND kind = 'mail'", bob.id)).length,
  ).toBeLessThanOrEqual(1)
})

test('one click on the page or in the mail program ends it, and opening the page changes nothing', async () => {
  const { app, smtp, ada, bob, chat } = await open()
  await say(ada, chat)
  app.clock.now += 13 * hours
  await run(app)
  const mail = await smtp.received(1)
  const digest = async () =>
    (await app.rows<{ digest: string }>('SELECT digest FROM notification_preferences'))[0]!.digest
  const list = mail.headers.get('list') as { unsubscribe?: { url: string }; 'unsubscribe-post'?: unknown } | undefined
  const oneClick = new URL(list!.unsubscribe!.url)
  expect(oneClick.origin + oneClick.pathname).toBe('https://meet.example.org/unsubscribe')
  expect(JSON.stringify(list)).toContain('One-Click')
  const page = await app.request('GET', oneClick.pathname + oneClick.search)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(await digest()).toBe('daily')
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const press = (path: string) => app.request('POST', path, { body: 'List-Unsubscribe=One-Click', headers: form })
  const { search } = oneClick
  for (const bad of [
    '',
    '?token=',
    '?token=x',
    `${search.slice(0, -1)}${search.endsWith('A') ? 'B' : 'A'}`,
    search.replace(bob.id, ada.id),
  ])
    expect([bad, (await press(`/unsubscribe${bad}`)).status]).toEqual([bad, 401])
  expect(await digest()).toBe('daily')
  expect((await press(`/unsubscribe${search}`)).status).toBe(204)
  expect(await digest()).toBe('off')
  expect((await press(`/unsubscribe${search}`)).status).toBe(204)

  await app.rows("UPDATE notification_preferences SET digest = 'daily'")
  const [, token] = /https:\/\/meet\.example\.org\/unsubscribe#token=(\S+)/.exec(mail.text!)!
  expect((await app.request('POST', 'notifications/unsubscribe', { body: { token } })).status).toBe(204)
  expect(await digest()).toBe('off')
})

test('a waiting digest is removed with the choice', async () => {
  const { app, ada, bob, chat } = await open()
  await say(ada, chat)
  app.clock.now += 13 * hours
  for (const { services } of app.nodes) await services.delivery.stop(0)
  await app.services.digest.send()
  expect((await app.rows("SELECT id FROM outbox WHERE kind = 'mail'")).length).toBe(1)
  const session = await app.services.auth.begin(bob.id, { address: '', user_agent: null, language: null })
  await app.as(session.access_token).put('me/notifications', { digest: 'off' })
  expect(await app.rows("SELECT id FROM outbox WHERE kind = 'mail' AND user_id = ?", bob.id)).toEqual([])
})
