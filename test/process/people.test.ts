import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { consents, password, testApp } from '../app.ts'
import { convene, type Outcome } from '../convene.ts'
import { newPostgres, noPostgres } from '../engines.ts'
import { granted } from '../rows.ts'
import { smtpServer } from '../smtp.ts'
import { connect, ofType } from '../socket-client.ts'

const root = mkdtempSync(join(tmpdir(), 'convene-people-'))
afterAll(() => rmSync(root, { recursive: true }))

let made = 0
/** A server that runs beside the commands, and the settings that they share. */
async function serverOf(environment: Record<string, string> = {}) {
  const databasePath = join(root, String(made++), 'convene.db')
  const app = await testApp(environment, { databasePath })
  const settings = {
    DATA_DIR: app.dataDir,
    DATABASE_URL: `sqlite:${databasePath}`,
    JWT_SECRET: 'a secret of the tests, long enough',
    LOCATION_KEY: '11'.repeat(32),
    ...environment,
  }
  return { app, settings, admin: (...args: string[]) => convene(['admin', ...args], settings) }
}

function answerOf({ code, out, err }: Outcome) {
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out)
}

const expectRefusal = ({ code, out, err }: Outcome, expected: number, message: RegExp) => {
  expect([code, out]).toEqual([expected, ''])
  expect(err).toMatch(message)
  expect(err.trimEnd().split('\n')).toHaveLength(1)
}

test('an invite of the operator lets people register', async () => {
  const { app, admin } = await serverOf({ REGISTRATION: 'invite' })
  const register = (email: string, invite?: string) =>
    app.request('POST', 'auth/register', { body: { email, password, name: 'New', consents, invite } })
  const { code, err, out } = await admin('invite')
  expect([code, err]).toEqual([0, ''])
  expect((await register('ada@example.com', out.trim())).status).toBe(201)
  expect((await register('bob@example.com', out.trim())).status).toBe(403)
  const invite = answerOf(await admin('invite', '--uses', '30', '--expires', '30d', '--note', 'Meetup', '--json'))
  expect(invite).toMatchObject({ uses: 30, used: 0, note: 'Meetup', code: expect.any(String) })
  expect(Date.parse(invite.expires_at)).toBeGreaterThan(Date.now())
  const entries = await app.services.storage.audit.list({ action: 'invite_created' }, 10, null)
  expect(entries).toMatchObject([{ actor_id: null, subject_id: invite.id }, { actor_id: null }])
  expectRefusal(await admin('invite', '--uses', '1001'), 2, /--uses must be a whole number from 1 to 1000/)
  expectRefusal(await admin('invite', '--expires', 'soon'), 2, /--expires must be a time such as/)
  expectRefusal(await admin('invite', '--expires', '2020-01-01'), 2, /--expires must be in the future/)
  expectRefusal(await admin('invite', 'ada'), 2, /admin invite takes list or delete, not 'ada'/)
})

test('invites are listed with how often each was used, and deleted', async () => {
  const { app, admin } = await serverOf({ REGISTRATION: 'invite' })
  const invite = answerOf(await admin('invite', '--uses', '3', '--note', 'Meetup', '--json'))
  const register = (email: string) =>
    app.request('POST', 'auth/register', { body: { email, password, name: 'New', consents, invite: invite.code } })
  expect((await register('ada@example.com')).status).toBe(201)
  const { code: _, ...shown } = { ...invite, used: 1 }
  expect(answerOf(await admin('invite', 'list', '--json'))).toEqual({ items: [shown], next_cursor: null })
  const { out } = await admin('invite', 'list')
  expect(out).toBe(`${invite.id}  1 of 3 used  no end  Meetup\n`)
  expectRefusal(await admin('invite', 'list', '--uses', '3'), 2, /--uses does not go with admin invite list/)
  expectRefusal(await admin('invite', 'delete'), 2, /which one/)
  expectRefusal(await admin('invite', 'delete', 'x', 'y'), 2, /unexpected argument 'y'/)
  expectRefusal(await admin('invite', 'delete', crypto.randomUUID()), 1, /There is no such invite/)
  expect(answerOf(await admin('invite', 'delete', invite.id, '--json'))).toEqual({ id: invite.id })
  expect((await register('bob@example.com')).body.code).toBe('invite_required')
  expect(answerOf(await admin('invite', 'list', '--json')).items).toEqual([])
  const [entry] = await app.services.storage.audit.list({ action: 'invite_deleted' }, 10, null)
  expect(entry).toMatchObject({ actor_id: null, subject_id: invite.id })
})

test('list and show find people, for the eye and for programs, and are recorded', async () => {
  const { app, admin } = await serverOf()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  await app.services.storage.users.setRole(bob.id, 'moderator', granted(bob.id, app.clock.now))
  const { items, next_cursor } = answerOf(await admin('list', '--limit', '1', '--json'))
  expect(items).toMatchObject([{ id: bob.id, role: 'moderator', email: bob.email }])
  expect(answerOf(await admin('list', '--cursor', next_cursor, '--json')).items).toMatchObject([{ id: ada.id }])
  // A cursor may begin with a hyphen.
  expectRefusal(await admin('list', '--cursor', '-abc'), 1, /Expected the next_cursor of the page before/)
  expect((await admin('list', '--q', 'ad')).out).toBe(`${ada.id}  2026-11-21  user  active  ${ada.email}  Ada\n`)
  expect(answerOf(await admin('list', '--role', 'moderator', '--json')).items).toMatchObject([{ id: bob.id }])
  expect((await admin('list', '--standing', 'suspended')).out).toBe('nobody\n')
  expect(answerOf(await admin('show', ada.email, '--json'))).toMatchObject({
    id: ada.id,
    email: ada.email,
    counts: { reports: 0 },
    sessions: [{ user_agent: 'test' }],
  })
  expect((await admin('show', ada.id)).out).toContain('standing: active\n')
  const entries = await app.services.storage.audit.list({ action: 'person_read' }, 10, null)
  expect(entries).toMatchObject([
    { actor_id: null, subject_id: ada.id },
    { actor_id: null, subject_id: ada.id },
  ])
  expectRefusal(await admin('list', '--standing', 'sitting'), 2, /--standing must be active or suspended/)
  expectRefusal(await admin('list', '--limit', '0'), 2, /--limit must be a whole number from 1 to 100/)
  expectRefusal(await admin('show'), 2, /whose account\?/)
  expectRefusal(await admin('show', 'nobody@example.org'), 1, /there is no account with the e-mail address/)
  expectRefusal(await admin('show', ada.id, '--limit', '1'), 2, /unknown option '--limit'/i)
})

test('a running server takes over a suspension, its end, and the end of sessions', async () => {
  const { app, admin } = await serverOf()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const base = await app.listen()
  const [adas, bobs] = [connect(base, ada.token), connect(base, bob.token)]
  for (const socket of [adas, bobs]) await socket.until(ofType('hello'))
  // What the server does within the minute.
  const { applyOperatorCommands } = app.services.people

  const until = new Date(Date.now() + 86_400_000).toISOString()
  const given = ['--reason', 'Insults.', '--note', 'Third time', '--until', until]
  expect(answerOf(await admin('suspend', ada.email, ...given, '--json'))).toEqual({
    user_id: ada.id,
    suspended: true,
    reason: 'Insults.',
    until,
  })
  expect(await applyOperatorCommands()).toBe(1)
  expect(await adas.closed).toBe(4403)
  const refused = await ada.get('me')
  expect([refused.status, refused.body.code, refused.body.reason]).toEqual([403, 'suspended', 'Insults.'])
  expect((await ada.get('me/notices')).body.items).toMatchObject([{ action: 'suspend', reason: 'Insults.', until }])

  expect((await admin('unsuspend', ada.id)).out).toBe(`${ada.id} is not suspended\n`)
  expect(await applyOperatorCommands()).toBe(1)
  expect((await ada.get('me')).status).toBe(200)

  const ended = answerOf(await admin('end-sessions', bob.email, '--json'))
  expect(ended).toEqual({ user_id: bob.id, ended: 1 })
  expect(await applyOperatorCommands()).toBe(1)
  expect(await bobs.closed).toBe(4401)
  expect((await bob.get('me')).status).toBe(401)
  expect((await ada.get('me')).status).toBe(200)
  expect(await applyOperatorCommands()).toBe(0)

  const entries = await app.services.storage.audit.list({ actor_id: null }, 10, null)
  expect(entries.map(({ action, subject_id }) => [action, subject_id])).toEqual([
    ['sessions_ended', bob.id],
    ['unsuspend', ada.id],
    ['suspend', ada.id],
  ])
  expectRefusal(await admin('suspend', ada.id), 2, /--reason is missing/)
  expectRefusal(await admin('suspend', ada.id, '--reason', 'x'.repeat(1001)), 2, /--reason: /)
})

test('neither an admin is suspended, nor the last one revoked', async () => {
  const { app, admin } = await serverOf()
  const ada = await app.person('Ada')
  await app.services.storage.users.setRole(ada.id, 'admin', granted(ada.id, app.clock.now))
  expectRefusal(await admin('suspend', ada.id, '--reason', 'No.'), 1, /An admin cannot be suspended/)
  expectRefusal(await admin('revoke', ada.id, 'admin'), 1, /is the only admin/)
})

test.skipIf(noPostgres !== null)('the same beside nodes on PostgreSQL', async () => {
  const database = await newPostgres()
  const settings = {
    DATA_DIR: join(root, String(made++)),
    DATABASE_URL: database.url,
    JWT_SECRET: 'a secret of the tests, long enough',
    LOCATION_KEY: '11'.repeat(32),
  }
  expect((await convene(['migrate', 'up'], settings)).code).toBe(0)
  const admin = (...args: string[]) => convene(['admin', ...args, '--json'], settings)
  expect(answerOf(await admin('list'))).toEqual({ items: [], next_cursor: null })
  const { out, err } = await admin('invite')
  expect(JSON.parse(out)).toMatchObject({ uses: 1 })
  expect(err).toBe('REGISTRATION is open: nobody needs an invite\n')
  await database.drop()
})

describe('check', () => {
  test('tells whether the mail server can be reached and accepts the login, and sends nothing', async () => {
    const smtp = await smtpServer({ user: 'convene', password: 'open sesame' })
    const { settings } = await serverOf()
    const url = new URL(smtp.url)
    const check = (credentials: string, { host } = url) =>
      convene(['check'], {
        ...settings,
        SMTP_URL: `smtp://${credentials}${host}`,
        MAIL_FROM: 'Convene <hello@example.org>',
        PUBLIC_URL: 'https://meet.example.org',
      })
    try {
      expect((await check('convene:open%20sesame@')).out).toContain(
        `ok     the mail server ${url.host} can be reached and accepts the login`,
      )
      const refused = await check('convene:hunter2@')
      expect(refused.out).toContain(`WRONG  the mail server ${url.host} does not work: SMTP 535`)
      expect(refused.out).not.toContain('hunter2')
      expect(smtp.mails).toEqual([])
    } finally {
      await smtp.close()
    }
    expect((await check('')).out).toMatch(/WRONG {2}the mail server .* does not work: no connection/)
  })
})
