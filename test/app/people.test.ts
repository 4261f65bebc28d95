import { describe, expect, test } from 'bun:test'
import { rangesOf, refusesLook, refusesRole } from '../../src/features/people/rules.ts'
import { minutes } from '../../src/lib/time.ts'
import { type Answer, password, type Person, type TestApp, testApp } from '../app.ts'
import { expectProblem } from '../problem.ts'
import { granted } from '../rows.ts'
import { smtpServer } from '../smtp.ts'
import { connect, ofType } from '../socket-client.ts'

const rank = ({ services, clock }: TestApp, { id }: Person, role: 'moderator' | 'admin') =>
  services.storage.users.setRole(id, role, granted(id, clock.now))

async function withAdmin(environment: Record<string, string> = {}) {
  const app = await testApp(environment)
  const root = await app.person('Root')
  await rank(app, root, 'admin')
  return { app, root }
}

const idsOf = ({ body }: Answer): string[] => body.items.map(({ id }: { id: string }) => id)
const find = (who: Person, q: string, more = '') => who.get(`admin/users?q=${encodeURIComponent(q)}${more}`)

describe('search', () => {
  test('finds people by id, and by the beginning of e-mail, phone and name, in any case', async () => {
    const { app, root } = await withAdmin()
    const names = ['Ada Lovelace', 'adam', 'Bob', 'Ада', 'McDonald', 'Élodie', 'Anna_%']
    const [ada, adam, bob, russian, mac, elodie, wild] = await Promise.all(names.map((name) => app.person(name)))
    await app.rows("UPDATE users SET phone = '+4930123456' WHERE id = ?", bob!.id)
    await app.rows("UPDATE users SET email = 'zoe@example.org' WHERE id = ?", bob!.id)
    await app.rows("UPDATE users SET email = 'ada@example.org' WHERE id = ?", adam!.id)
    const found = async (q: string) => idsOf(await find(root, q)).sort()
    const people = (...of: (Person | undefined)[]) => of.map((one) => one!.id).sort()
    expect(await found('ADA')).toEqual(people(ada, adam))
    // A match by both e-mail and name is listed once.
    expect(await found('ada@')).toEqual(people(adam))
    expect(await found('Zoe@EXAMPLE.org')).toEqual(people(bob))
    expect(await found('+49 30 12')).toEqual(people(bob))
    expect(await found('4930')).toEqual(people(bob))
    expect(await found(bob!.id.toUpperCase())).toEqual(people(bob))
    expect(await found('ада')).toEqual(people(russian))
    expect(await found('mcd')).toEqual(people(mac))
    expect(await found('éLODIE')).toEqual(people(elodie))
    // Wildcards have no meaning.
    expect(await found('anna_%')).toEqual(people(wild))
    for (const q of ['%', '_', "'", 'lovelace', 'x'.repeat(254), '\u{10ffff}', '\0']) expect(await found(q)).toEqual([])
    expectProblem(await find(root, 'x'.repeat(255)), 422, 'validation_failed')
  })

  test('pages through all accounts, newest first, and through matches, without repeats or gaps', async () => {
    const { app, root } = await withAdmin()
    const made: string[] = []
    for (let i = 0; i < 7; i++) made.unshift((await app.person(i % 2 ? 'Kim' : 'kim')).id)
    await app.rows("UPDATE users SET email = 'kimberly@example.org' WHERE id = ?", made[3]!)
    async function pages(query: string) {
      const found: string[] = []
      let cursor = ''
      do {
        const answer = await root.get(`admin/users?limit=2${query}${cursor}`)
        expect(answer.status).toBe(200)
        found.push(...idsOf(answer))
        cursor = answer.body.next_cursor === null ? '' : `&cursor=${answer.body.next_cursor}`
      } while (cursor !== '')
      return found
    }
    expect(await pages('')).toEqual([...made, root.id])
    expect((await pages('&q=kim')).sort()).toEqual([...made].sort())
    expect((await pages('&q=kim'))[0]).toBe(made[3]!)
    expect((await pages('&q=kim&standing=active')).sort()).toEqual([...made].sort())
    expectProblem(await root.get('admin/users?cursor=abc'), 422, 'validation_failed')
  })

  test('filters by standing and role', async () => {
    const { app, root } = await withAdmin()
    const [ada, bob, cleo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Cleo')]
    await rank(app, cleo, 'moderator')
    await root.post(`admin/users/${ada.id}/suspend`, { reason: 'Insults.' })
    const until = new Date(app.clock.now + 5 * minutes).toISOString()
    await root.post(`admin/users/${bob.id}/suspend`, { reason: 'Insults.', until })
    const suspended = await root.get('admin/users?standing=suspended')
    expect(suspended.body.items).toMatchObject([
      { id: bob.id, standing: 'suspended', suspended_until: until },
      { id: ada.id, standing: 'suspended', suspended_until: null },
    ])
    expect(idsOf(await find(root, 'bo', '&standing=suspended'))).toEqual([bob.id])
    expect(idsOf(await find(root, 'bo', '&standing=active'))).toEqual([])
    expect(idsOf(await root.get('admin/users?standing=active'))).toEqual([cleo.id, root.id])
    expect(idsOf(await root.get('admin/users?role=moderator'))).toEqual([cleo.id])
    expect(idsOf(await root.get('admin/users?role=user'))).toEqual([bob.id, ada.id])
    app.clock.now += 5 * minutes
    expect(idsOf(await root.get('admin/users?standing=suspended'))).toEqual([ada.id])
    expect(idsOf(await find(root, 'bo', '&standing=active'))).toEqual([bob.id])
  })

  test('shows neither erased users nor secrets, and records in the audit log whom it has shown', async () => {
    const { app, root } = await withAdmin()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    await bob.delete('me', { password })
    const answer = await root.get('admin/users')
    expect(idsOf(answer)).toEqual([ada.id, root.id])
    expect(answer.body.items[0]).toEqual({
      id: ada.id,
      name: 'Ada',
      role: 'user',
      standing: 'active',
      suspended_until: null,
      created_at: expect.any(String),
      email: ada.email,
      phone: null,
    })
    expect(idsOf(await find(root, bob.id))).toEqual([])
    expect((await find(root, ada.email)).status).toBe(200)
    const entries = (await root.get('admin/audit?action=people_searched')).body.items
    expect(entries).toMatchObject([
      { actor_id: root.id, subject_id: null, metadata: { user_ids: [ada.id] } },
      { metadata: { user_ids: [] } },
      { metadata: { user_ids: [ada.id, root.id] } },
    ])
    expect(JSON.stringify(entries)).not.toContain('@')
  })
})

describe('a record', () => {
  async function reported() {
    const { app, root } = await withAdmin()
    const [mo, ada, bob, cleo] = [
      await app.person('Mo'),
      await app.person('Ada'),
      await app.person('Bob'),
      await app.person('Cleo'),
    ]
    await rank(app, mo, 'moderator')
    const chat = (await bob.post('chats', { user_id: ada.id })).body
    await bob.post(`chats/${chat.id}/messages`, { text: 'Hello' })
    for (const text of ['Go away', 'Now']) await ada.post(`chats/${chat.id}/messages`, { text })
    await bob.post('reports', { user_id: ada.id, reason: 'harassment' })
    await cleo.post('blocks', { user_id: ada.id })
    await root.post(`admin/users/${ada.id}/suspend`, { reason: 'Insults.', note: 'Third time' })
    return { app, root, mo, ada, bob, cleo }
  }

  test('shows moderators standing, decisions and counts, but neither reporters nor contact data', async () => {
    const { mo, root, ada, bob, cleo } = await reported()
    const answer = await mo.get(`admin/users/${ada.id}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      id: ada.id,
      name: 'Ada',
      role: 'user',
      standing: 'suspended',
      suspended_until: null,
      suspended_reason: 'Insults.',
      created_at: expect.any(String),
      hidden: null,
      strikes: 0,
      proposal: null,
      language: 'en',
      counts: { reports: 1, open_reports: 1, review_reports: 0, open_review_reports: 0, blocks: 1, messages: 2 },
      decisions: [
        {
          id: expect.any(String),
          action: 'suspend',
          ground: null,
          reason: 'Insults.',
          note: 'Third time',
          until: null,
          created_at: expect.any(String),
          decided_by: root.id,
          strikes: 0,
          report_id: null,
          appeal: null,
        },
      ],
    })
    for (const secret of [bob.id, cleo.id, ada.email]) expect(answer.text).not.toContain(secret)
    expect((await root.get('admin/audit?action=person_read')).body.items).toMatchObject([
      { actor_id: mo.id, subject_id: ada.id },
    ])
  })

  test('shows admins also contact data and ways to sign in', async () => {
    const { root, ada, bob, cleo } = await reported()
    const answer = await root.get(`admin/users/${ada.id}`)
    expect(answer.body).toMatchObject({
      email: ada.email,
      email_verified: false,
      phone: null,
      identities: [{ kind: 'password', provider: null, label: 'Password' }],
      sessions: [{ id: expect.any(String), user_agent: 'test' }],
    })
    for (const secret of [bob.id, cleo.id, ada.token, ada.refresh]) expect(answer.text).not.toContain(secret)
  })

  test('is refused for one’s own account, and for accounts with a role to all but admins', async () => {
    const { app, root, mo, ada } = await reported()
    expectProblem(await mo.get(`admin/users/${mo.id}`), 403, 'forbidden')
    expectProblem(await mo.get(`admin/users/${root.id}`), 403, 'forbidden')
    expectProblem(await root.get(`admin/users/${root.id}`), 403, 'forbidden')
    expect((await root.get(`admin/users/${mo.id}`)).status).toBe(200)
    await app.rows('UPDATE users SET suspended_until = NULL WHERE id = ?', ada.id)
    app.forget(ada.id)
    expect((await ada.delete('me', { password })).status).toBe(204)
    expectProblem(await mo.get(`admin/users/${ada.id}`), 404, 'not_found')
  })

  test('does not reveal whose review was removed, least of all to the reviewed user', async () => {
    const { app, root } = await withAdmin()
    const [mo, nora] = [await app.person('Mo'), await app.person('Nora')]
    await rank(app, mo, 'moderator')
    const chat = await app.met(nora, mo)
    const review = (await nora.post('reviews', { chat_id: chat, rating: 1, anonymous: true })).body.id
    // Otherwise somebody who reports a review of themselves could check whose count has risen.
    const countsFor = async (reader: Person) => (await reader.get(`admin/users/${nora.id}`)).body.counts
    const before = await countsFor(mo)
    const report = (await mo.post('reports', { review_id: review, reason: 'spam' })).body.id
    expect(await countsFor(mo)).toEqual(before)
    const none = { reports: 0, open_reports: 0, review_reports: 0, open_review_reports: 0 }
    expect(before).toMatchObject(none)
    expect(await countsFor(root)).toMatchObject({
      ...{ reports: 1, open_reports: 1, review_reports: 1, open_review_reports: 1 },
    })
    await root.post(`admin/reports/${report}/resolve`, { action: 'remove_content', note: 'Made up.' })
    expect((await mo.get(`admin/users/${nora.id}`)).body.decisions).toEqual([])
    expect(await countsFor(mo)).toMatchObject(none)
    const seen = await root.get(`admin/users/${nora.id}`)
    expect(seen.body.decisions).toMatchObject([{ action: 'remove_content', report_id: null }])
    for (const secret of [review, report, mo.id]) expect(seen.text).not.toContain(secret)
  })
})

test('ending the sessions of a user stops tokens and sockets at once', async () => {
  const { app, root } = await withAdmin()
  const ada = await app.person('Ada')
  const base = await app.listen()
  const socket = connect(base, ada.token)
  await socket.until(ofType('hello'))
  expect((await root.post(`admin/users/${ada.id}/sessions/end`)).status).toBe(204)
  expect(await socket.closed).toBe(4401)
  expectProblem(await ada.get('me'), 401, 'unauthenticated')
  const refreshed = await app.request('POST', 'auth/refresh', { body: { refresh_token: ada.refresh } })
  expectProblem(refreshed, 401, 'unauthenticated')
  expect((await root.get('me')).status).toBe(200)
  expect((await root.get('admin/audit?action=sessions_ended')).body.items).toMatchObject([
    { actor_id: root.id, subject_id: ada.id, metadata: { count: 1 } },
  ])
  expectProblem(await root.post(`admin/users/${Bun.randomUUIDv7()}/sessions/end`), 404, 'not_found')
})

test('a link for a new password is mailed if mail is on, and otherwise the admin is told', async () => {
  const off = await withAdmin()
  const eve = await off.app.person('Eve')
  expectProblem(await off.root.post(`admin/users/${eve.id}/password-reset`), 503, 'mail_not_configured')

  const smtp = await smtpServer()
  try {
    const { app, root } = await withAdmin({
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Convene <hello@example.org>',
      PUBLIC_URL: 'https://meet.example.org',
      RATE_LIMIT: 'on',
    })
    const ada = await app.person('Ada')
    const asked = await root.post(`admin/users/${ada.id}/password-reset`)
    expect([asked.status, asked.text]).toEqual([202, ''])
    const mail = await smtp.received(1)
    expect(mail.recipients).toEqual([ada.email])
    expect(mail.text).toContain('https://meet.example.org/reset#token=')
    expect((await root.get('admin/audit?action=password_link_sent')).body.items).toMatchObject([
      { actor_id: root.id, subject_id: ada.id },
    ])
    for (let i = 0; i < 2; i++) expect((await root.post(`admin/users/${ada.id}/password-reset`)).status).toBe(202)
    expectProblem(await root.post(`admin/users/${ada.id}/password-reset`), 429, 'rate_limited')
    await app.rows("UPDATE users SET email = NULL, phone = '+4930123456' WHERE id = ?", ada.id)
    expectProblem(await root.post(`admin/users/${ada.id}/password-reset`), 409, 'conflict')
    expectProblem(await root.post(`admin/users/${Bun.randomUUIDv7()}/password-reset`), 404, 'not_found')
  } finally {
    await smtp.close()
  }
})

describe('roles', () => {
  test('are given and withdrawn by admins, with effect from the next request', async () => {
    const { app, root } = await withAdmin()
    const ada = await app.person('Ada')
    expect((await ada.get('admin/reports')).status).toBe(403)
    const answer = await root.post(`admin/users/${ada.id}/role`, { role: 'moderator' })
    expect([answer.status, answer.body]).toEqual([200, { user_id: ada.id, role: 'moderator' }])
    expect((await ada.get('admin/reports')).status).toBe(200)
    expectProblem(await ada.get('admin/users'), 403, 'forbidden')
    expect((await ada.get('me')).body.role).toBe('moderator')
    await root.post(`admin/users/${ada.id}/role`, { role: 'moderator' })
    expect((await root.post(`admin/users/${ada.id}/role`, { role: 'user' })).status).toBe(200)
    expect((await ada.get('admin/reports')).status).toBe(403)
    const entries = (await root.get(`admin/audit?subject_id=${ada.id}`)).body.items
    expect(entries.filter(({ action }: { action: string }) => action.startsWith('role_'))).toMatchObject([
      { action: 'role_revoked', actor_id: root.id, metadata: { role: 'moderator', before: 'moderator' } },
      { action: 'role_granted', actor_id: root.id, metadata: { role: 'moderator', before: 'user' } },
    ])
    expectProblem(await root.post(`admin/users/${ada.id}/role`, { role: 'owner' }), 422, 'validation_failed')
    expectProblem(await root.post(`admin/users/${Bun.randomUUIDv7()}/role`, { role: 'admin' }), 404, 'not_found')
    await ada.delete('me', { password })
    expectProblem(await root.post(`admin/users/${ada.id}/role`, { role: 'admin' }), 404, 'not_found')
  })

  test('the last admin keeps the role', async () => {
    const { app, root } = await withAdmin()
    const ada = await app.person('Ada')
    for (const role of ['user', 'moderator'])
      expectProblem(await root.post(`admin/users/${root.id}/role`, { role }), 409, 'conflict')
    expect((await root.post(`admin/users/${ada.id}/role`, { role: 'admin' })).status).toBe(200)
    expect((await root.post(`admin/users/${root.id}/role`, { role: 'user' })).status).toBe(200)
    expectProblem(await root.get('admin/users'), 403, 'forbidden')
    expectProblem(await ada.post(`admin/users/${ada.id}/role`, { role: 'user' }), 409, 'conflict')
  })

  test('the last admin can be erased, and the operator appoints another one', async () => {
    const app = await testApp()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    await rank(app, ada, 'admin')
    expect((await ada.delete('me', { password })).status).toBe(204)
    expect(await rank(app, bob, 'admin')).toBe('changed')
    expect((await bob.get('admin/users')).status).toBe(200)
  })

  test('of admins who withdraw each other’s role at once, one is left', async () => {
    const { app, root } = await withAdmin()
    const others = await Promise.all(['Ada', 'Bob', 'Cleo'].map((name) => app.person(name)))
    for (const other of others) await rank(app, other, 'admin')
    const admins = [root, ...others]
    const answers = await Promise.all(
      admins.flatMap((one) =>
        admins
          .filter((other) => other !== one)
          .map((other) => one.post(`admin/users/${other.id}/role`, { role: 'user' })),
      ),
    )
    for (const { status } of answers) expect([200, 403, 409]).toContain(status)
    expect(await app.rows("SELECT id FROM users WHERE role = 'admin'")).not.toEqual([])
  })
})

test('the rules', () => {
  const of = (q: string) => rangesOf(q).map(({ by, from }) => [by, from])
  expect(of('')).toEqual([])
  expect(of(' +49 (30) 1-2 ')).toContainEqual(['phone', '+493012'])
  expect(of('Ада')).toEqual([
    ['email', 'ада'],
    ['name', 'Ада'],
    ['name', 'ада'],
    ['name', 'АДА'],
  ])
  expect(of('McD')).toEqual([
    ['email', 'mcd'],
    ['name', 'mcd'],
  ])
  const mo = { id: 'mo', role: 'moderator' as const }
  expect(refusesLook(mo, { id: 'ada', role: 'user' })).toBeNull()
  expect(refusesLook(mo, { id: 'root', role: 'admin' })).toBe('for_admins')
  expect(refusesLook({ id: 'root', role: 'admin' }, mo)).toBeNull()
  expect(refusesLook({ id: 'root', role: 'admin' }, { id: 'root', role: 'admin' })).toBe('own_record')
  expect(refusesLook({ id: null, role: 'admin' }, { id: 'root', role: 'admin' })).toBeNull()
  const admin = (id: string, suspended_until: number | null = null) => ({ id, role: 'admin' as const, suspended_until })
  const asked = { actor_id: 'root', subject_id: 'root', role: 'user' as const }
  expect(refusesRole(asked, [admin('root')], 5)).toBe('last_admin')
  expect(refusesRole(asked, [admin('root'), admin('ada')], 5)).toBeNull()
  // A suspended user could not act.
  expect(refusesRole(asked, [admin('root'), admin('ada', 9)], 5)).toBe('last_admin')
  expect(refusesRole({ ...asked, actor_id: 'mo' }, [admin('root'), admin('ada')], 5)).toBe('no_admin')
  expect(refusesRole({ ...asked, actor_id: null }, [admin('root')], 5)).toBe('last_admin')
  expect(refusesRole({ actor_id: null, subject_id: 'ada', role: 'admin' }, [], 5)).toBeNull()
})
