import { afterEach, describe, expect, test } from 'bun:test'
import { sign } from '@tma.js/init-data-node'
import { anybody } from '../../src/features/registration/rules.ts'
import { days, hours, iso, minutes } from '../../src/lib/time.ts'
import { passkeyOf } from '../authenticator.ts'
import { consents, password, type Person, type TestApp, testApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { type Received, smtpServer } from '../smtp.ts'
import { botToken } from '../telegram.ts'
import { connect } from '../socket-client.ts'

const servers: Awaited<ReturnType<typeof smtpServer>>[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

/** `random` is the fraction of the longest pause before the look-up of a forgotten password's account. */
async function open(environment: Record<string, string> = {}, random = 0) {
  const smtp = await smtpServer()
  servers.push(smtp)
  const settings = {
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Convene <hello@example.org>',
    PUBLIC_URL: 'https://meet.example.org',
    ...environment,
  }
  const app = await testApp(settings, { random: () => random })
  return { app, smtp }
}

/** The token of a mail's link, and the path that it opens. */
function linkOf({ text = '' }: Received) {
  const [, path, token] = /https:\/\/meet\.example\.org(\/[\w-]+)#token=([\w-]{43})$/m.exec(text)!
  return { path, token: token! }
}

/** The token of the newest mail to an address whose link opens that path, once there are that many mails. */
const linksTo =
  (smtp: Awaited<ReturnType<typeof smtpServer>>) => async (address: string, path: string, count: number) => {
    await smtp.received(count)
    const mail = smtp.mails.findLast((mail) => mail.recipients[0] === address && mail.text!.includes(path))
    return linkOf(mail!).token
  }

const newPassword = 'thirteen green bottles'
const registration = (email: string) => ({ email, password, name: 'Ada', consents })
const agent = { 'user-agent': 'Firefox on Linux' }

/** Waits until no node has a mail left to send. */
async function delivered({ nodes }: TestApp) {
  for (const { services } of nodes) await services.emails.settled()
  for (const { services } of nodes) await services.delivery.idle()
}

async function register({ request, as }: TestApp, email: string, headers: Record<string, string> = agent) {
  const { status, body } = await request('POST', 'auth/register', { body: registration(email), headers })
  expect(status).toBe(201)
  return { id: body.user.id as string, email, token: body.access_token as string, ...as(body.access_token) }
}

const post = ({ request }: TestApp, path: string, body: unknown) => request('POST', path, { body })

test('register, verify, forget, reset, change the address and undo it', async () => {
  const { app, smtp } = await open()
  const ada = await register(app, 'ada@example.org')
  const [welcome] = [await smtp.received(1)]
  expect(welcome.recipients).toEqual(['ada@example.org'])
  expect((await ada.get('me')).body.email_verified).toBe(false)

  const verify = linkOf(welcome)
  expect(verify.path).toBe('/verify')
  expect(await post(app, 'auth/email/verify', { token: verify.token })).toMatchObject({
    status: 200,
    body: { email: 'ada@example.org', email_verified: true },
  })
  expect((await ada.get('me')).body.email_verified).toBe(true)

  expect((await post(app, 'auth/password/forgot', { email: 'ADA@example.org' })).status).toBe(202)
  const reset = linkOf(await smtp.received(2))
  expect(reset.path).toBe('/reset')
  expect(await post(app, 'auth/password/reset', { token: reset.token, password: 'password1' })).toMatchObject({
    status: 422,
    body: { errors: [{ path: '/password', code: 'too_common' }] },
  })
  expect((await post(app, 'auth/password/reset', { token: reset.token, password: newPassword })).status).toBe(204)
  expect((await smtp.received(3)).subject).toContain('password was changed')
  expect((await ada.get('me')).status).toBe(401)
  expect((await post(app, 'auth/login', { email: ada.email, password })).status).toBe(401)
  const login = await app.request('POST', 'auth/login', {
    body: { email: ada.email, password: newPassword },
    headers: agent,
  })
  const again = app.as(login.body.access_token)

  expect((await again.put('me/email', { email: 'new@example.org', password: 'wrong one' })).body.code).toBe(
    'wrong_password',
  )
  expect((await again.put('me/email', { email: 'New@example.org', password: newPassword })).status).toBe(202)
  await smtp.received(5)
  const [change, notice] = ['new@example.org', 'ada@example.org'].map((address) =>
    smtp.mails.slice(3).find(({ recipients }) => recipients[0] === address),
  )
  expect(notice!.text).toContain('n…@example.org')
  expect((await again.get('me')).body.email).toBe('ada@example.org')
  expect((await post(app, 'auth/email/verify', { token: linkOf(change!).token })).body.email).toBe('new@example.org')
  expect((await again.get('me')).body).toMatchObject({ email: 'new@example.org', email_verified: true })

  const undo = linkOf(notice!)
  expect(undo.path).toBe('/email-undo')
  expect(await post(app, 'auth/email/undo', { token: undo.token })).toMatchObject({
    status: 200,
    body: { email: 'ada@example.org' },
  })
  expect((await again.get('me')).status).toBe(401)
  expect((await post(app, 'auth/login', { email: ada.email, password: newPassword })).status).toBe(200)
  for (const [path, token] of [
    ['auth/email/verify', verify.token],
    ['auth/password/reset', reset.token],
    ['auth/email/verify', linkOf(change!).token],
    ['auth/email/undo', undo.token],
  ])
    expect((await post(app, path!, { token, password: newPassword })).body.code).toBe('link_invalid')
})

describe('a link', () => {
  test('works once, even if 100 use it at once', async () => {
    const { app, smtp } = await open()
    await register(app, 'ada@example.org')
    const { token } = linkOf(await smtp.received(1))
    const used = await Promise.all(Array.from({ length: 100 }, () => post(app, 'auth/email/verify', { token })))
    expect(used.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(used.filter(({ body }) => body.code === 'link_invalid')).toHaveLength(99)

    await post(app, 'auth/password/forgot', { email: 'ada@example.org' })
    const reset = linkOf(await smtp.received(2)).token
    const resets = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        post(app, 'auth/password/reset', { token: reset, password: `${newPassword} ${i}` }),
      ),
    )
    expect(resets.filter(({ status }) => status === 204)).toHaveLength(1)
    const winner = resets.findIndex(({ status }) => status === 204)
    const body = { email: 'ada@example.org', password: `${newPassword} ${winner}` }
    expect((await post(app, 'auth/login', body)).status).toBe(200)
  })

  test('ends with its lifetime or a newer one of its kind, and does not work as another kind', async () => {
    const { app, smtp } = await open()
    const ada = await register(app, 'ada@example.org')
    const first = linkOf(await smtp.received(1)).token
    expect((await post(app, 'auth/password/reset', { token: first, password: newPassword })).body.code).toBe(
      'link_invalid',
    )
    expect((await post(app, 'auth/email/undo', { token: first })).body.code).toBe('link_invalid')
    expect((await ada.post('me/email/verify')).status).toBe(202)
    const second = linkOf(await smtp.received(2)).token
    expect((await post(app, 'auth/email/verify', { token: first })).body.code).toBe('link_invalid')
    app.clock.now += 48 * hours
    expect((await post(app, 'auth/email/verify', { token: second })).body.code).toBe('link_invalid')
    await post(app, 'auth/password/forgot', { email: ada.email })
    const reset = linkOf(await smtp.received(3)).token
    app.clock.now += hours
    expect((await post(app, 'auth/password/reset', { token: reset, password: newPassword })).body.code).toBe(
      'link_invalid',
    )
    expect(await app.services.retention.emailLinks()).toBe(2)
    expect(await app.rows('SELECT hash FROM email_links')).toEqual([])
  })

  test('is nowhere in clear text: neither in the database, nor the log, nor the query of a URL', async () => {
    const { app, smtp } = await open()
    const ada = await register(app, 'ada@example.org')
    await post(app, 'auth/password/forgot', { email: ada.email })
    await ada.put('me/email', { email: 'new@example.org', password })
    await smtp.received(4)
    const tokens = smtp.mails.map((mail) => linkOf(mail).token)
    expect(new Set(tokens).size).toBe(4)
    const stored = JSON.stringify([
      await app.rows('SELECT * FROM email_links'),
      await app.rows('SELECT * FROM outbox'),
      await app.rows('SELECT * FROM audit_log'),
    ])
    for (const token of tokens) {
      expect(stored).not.toContain(token)
      expect(app.logged()).not.toContain(token)
    }
    for (const { text, html } of smtp.mails) expect(`${text}${html}`).not.toMatch(/\?[^\s"]*token=/)
  })

  test('that undoes a change outlives later changes, and ends the links of those', async () => {
    const { app, smtp } = await open()
    const ada = await register(app, 'ada@example.org')
    await post(app, 'auth/email/verify', { token: linkOf(await smtp.received(1)).token })
    const linkTo = linksTo(smtp)
    // Somebody who knows her password takes over the account in two steps.
    await ada.put('me/email', { email: 'thief@example.org', password })
    const hers = await linkTo('ada@example.org', '/email-undo', 3)
    await post(app, 'auth/email/verify', { token: await linkTo('thief@example.org', '/verify', 3) })
    app.clock.now += minutes
    await ada.put('me/email', { email: 'thief2@example.org', password })
    const theirs = await linkTo('thief@example.org', '/email-undo', 5)
    await post(app, 'auth/email/verify', { token: await linkTo('thief2@example.org', '/verify', 5) })
    expect((await ada.get('me')).body.email).toBe('thief2@example.org')
    expect((await post(app, 'auth/email/undo', { token: hers })).body).toEqual({ email: 'ada@example.org' })
    expect((await post(app, 'auth/email/undo', { token: theirs })).body.code).toBe('link_invalid')
  })

  test('that undoes a change takes the address from who registered it since, not from who verified it', async () => {
    const { app, smtp } = await open()
    const linkTo = linksTo(smtp)
    /** Somebody who knows Ada's password takes over her account, and then registers her address. */
    async function taken(name: string, received: number) {
      const [address, thief] = [`${name}@example.org`, `thief-of-${name}@example.org`]
      const ada = await register(app, address)
      await post(app, 'auth/email/verify', { token: await linkTo(address, '/verify', received + 1) })
      await ada.put('me/email', { email: thief, password })
      const undo = await linkTo(address, '/email-undo', received + 3)
      await post(app, 'auth/email/verify', { token: await linkTo(thief, '/verify', received + 3) })
      const second = await register(app, address)
      return { address, undo, second, verify: await linkTo(address, '/verify', received + 4) }
    }
    const ada = await taken('ada', 0)
    expect(await post(app, 'auth/email/undo', { token: ada.undo })).toMatchObject({
      status: 200,
      body: { email: ada.address },
    })
    expect((await ada.second.get('me')).body.email).toBeNull()
    expect((await post(app, 'auth/email/verify', { token: ada.verify })).body.code).toBe('link_invalid')

    // Whoever has verified the address owns it by now.
    const eve = await taken('eve', smtp.mails.length)
    expect((await post(app, 'auth/email/verify', { token: eve.verify })).status).toBe(200)
    for (let i = 0; i < 2; i++)
      expect(await post(app, 'auth/email/undo', { token: eve.undo })).toMatchObject({
        status: 409,
        body: { code: 'email_taken' },
      })
  })

  test('that undoes the change of an address that nobody had verified leaves nothing to sign in with', async () => {
    const { app, smtp } = await open()
    const linkTo = linksTo(smtp)
    for (const [isUsed, own] of [
      [false, 'ada@example.org'],
      [true, 'bob@example.org'],
    ] as const) {
      const before = smtp.mails.length
      const mallory = await register(app, own)
      const address = `mallory-${isUsed}@example.org`
      await mallory.put('me/email', { email: address, password })
      const undo = await linkTo(own, '/email-undo', before + 3)
      if (isUsed) await post(app, 'auth/email/verify', { token: await linkTo(address, '/verify', before + 3) })
      expect(await post(app, 'auth/email/undo', { token: undo })).toMatchObject({ status: 200, body: { email: own } })
      expect((await post(app, 'auth/login', { email: own, password })).body.code).toBe('invalid_credentials')
      expect((await mallory.get('me')).status).toBe(401)
      expect(await app.rows('SELECT * FROM identities WHERE user_id = ?', mallory.id)).toEqual([])
      await delivered(app)
      await post(app, 'auth/password/forgot', { email: own })
      await delivered(app)
      const { token } = linkOf(smtp.mails.findLast(({ text = '' }) => text.includes('/reset#'))!)
      expect((await post(app, 'auth/password/reset', { token, password: newPassword })).status).toBe(204)
      const { body } = await post(app, 'auth/login', { email: own, password: newPassword })
      expect([body.user.id, body.user.email_verified]).toEqual([mallory.id, true])
      await delivered(app)
    }
  })

  test('that undoes such a change takes the address from nobody who has registered it since', async () => {
    const { app, smtp } = await open()
    const linkTo = linksTo(smtp)
    const mallory = await register(app, 'ada@example.org')
    await mallory.put('me/email', { email: 'mallory@example.org', password })
    const undo = await linkTo('ada@example.org', '/email-undo', 3)
    await post(app, 'auth/email/verify', { token: await linkTo('mallory@example.org', '/verify', 3) })
    const ada = await register(app, 'ada@example.org')
    expect((await post(app, 'auth/email/undo', { token: undo })).body.code).toBe('email_taken')
    expect((await ada.get('me')).body.email).toBe('ada@example.org')
    expect((await mallory.get('me')).body.email).toBe('mallory@example.org')
  })

  test('for a new password outlives the verification of the address, and ends when the address changes', async () => {
    const { app, smtp } = await open()
    const ada = await register(app, 'ada@example.org')
    const forget = async (count: number) => {
      await post(app, 'auth/password/forgot', { email: ada.email })
      return linkOf(await smtp.received(count)).token
    }
    const first = await forget(2)
    await post(app, 'auth/email/verify', { token: linkOf(smtp.mails[0]!).token })
    const body = { token: first, password: newPassword }
    expect((await post(app, 'auth/password/reset', body)).status).toBe(204)
    await smtp.received(3)
    const login = await post(app, 'auth/login', { email: ada.email, password: newPassword })
    await smtp.received(4)
    const second = await forget(5)
    await app.as(login.body.access_token).put('me/email', { email: 'new@example.org', password: newPassword })
    await smtp.received(7)
    const change = linkOf(smtp.mails.find(({ recipients }) => recipients[0] === 'new@example.org')!).token
    expect((await post(app, 'auth/email/verify', { token: change })).status).toBe(200)
    const late = await post(app, 'auth/password/reset', { token: second, password: newPassword })
    expect(late.body.code).toBe('link_invalid')
  })

  test('for a new password that is stored only after the address has changed does not work', async () => {
    const { app, smtp } = await open()
    const linkTo = linksTo(smtp)
    const ada = await register(app, 'ada@example.org')
    await ada.put('me/email', { email: 'new@example.org', password })
    await post(app, 'auth/email/verify', { token: await linkTo('new@example.org', '/verify', 3) })
    // Its account was looked up before the change.
    const { token, stored } = app.services.emailLinks.forOperator(ada.id)
    expect(await app.services.storage.emails.issue(ada.id, [{ ...stored, email: ada.email }], [])).toBe(true)
    expect(await post(app, 'auth/password/reset', { token, password: newPassword })).toMatchObject({
      status: 401,
      body: { code: 'link_invalid' },
    })
    expect((await post(app, 'auth/login', { email: 'new@example.org', password })).status).toBe(200)
  })

  test('that has ended while the mail server was away is not sent any more, and the newest of several is', async () => {
    const { app, smtp } = await open()
    const ada = await register(app, 'ada@example.org')
    await smtp.received(1)
    const retry = async () => {
      app.clock.now += 10 * minutes
      for (const { services } of app.nodes) {
        services.delivery.wake('mail')
        await services.delivery.idle()
      }
    }
    smtp.behave('refuse temporarily')
    for (let i = 0; i < 2; i++) {
      await post(app, 'auth/password/forgot', { email: 'ada@example.org' })
      await delivered(app)
    }
    expect((await ada.put('me/email', { email: 'wrong@example.org', password })).status).toBe(202)
    await delivered(app)
    expect((await ada.put('me/email', { email: 'ada@example.org', password })).status).toBe(202)
    smtp.behave('accept')
    await retry()
    const said = () => smtp.mails.slice(1).map(({ recipients, subject }) => `${recipients[0]} ${subject}`)
    expect(said().toSorted()).toEqual([
      'ada@example.org Set a new password for Convene',
      'ada@example.org The e-mail address of your Convene account is about to change',
    ])
    const { token } = linkOf(smtp.mails.find(({ text }) => text!.includes('/reset'))!)
    expect((await post(app, 'auth/password/reset', { token, password: newPassword })).status).toBe(204)
    await delivered(app)

    smtp.mails.length = 0
    smtp.behave('refuse temporarily')
    await post(app, 'auth/password/forgot', { email: 'ada@example.org' })
    await delivered(app)
    app.clock.now += hours
    smtp.behave('accept')
    await retry()
    expect(smtp.mails).toEqual([])
    expect(await app.rows("SELECT id FROM outbox WHERE kind = 'mail'")).toEqual([])
  })

  test('for a new address ends with the wish to keep the present one', async () => {
    const { app, smtp } = await open()
    const ada = await register(app, 'ada@example.org')
    await smtp.received(1)
    expect((await ada.put('me/email', { email: 'wrong@example.org', password })).status).toBe(202)
    await delivered(app)
    const { token } = linkOf(smtp.mails.find(({ recipients }) => recipients[0] === 'wrong@example.org')!)
    expect((await ada.put('me/email', { email: 'Ada@example.org', password })).status).toBe(202)
    expect((await post(app, 'auth/email/verify', { token })).body.code).toBe('link_invalid')
    expect((await ada.get('me')).body.email).toBe('ada@example.org')
  })

  test('for a new password ends with a new password', async () => {
    const { app, smtp } = await open()
    const ada = await register(app, 'ada@example.org')
    await post(app, 'auth/password/forgot', { email: ada.email })
    const reset = await linksTo(smtp)(ada.email, '/reset', 2)
    const change = { current_password: password, new_password: newPassword }
    expect((await ada.put('me/password', change)).status).toBe(204)
    expect((await post(app, 'auth/password/reset', { token: reset, password })).status).toBe(401)
    expect((await ada.get('me')).status).toBe(200)
  })

  test('for a new address ends with a new password', async () => {
    const { app, smtp } = await open()
    const ada = await register(app, 'ada@example.org')
    await ada.put('me/email', { email: 'thief@example.org', password })
    await smtp.received(3)
    const change = linkOf(smtp.mails.find(({ recipients }) => recipients[0] === 'thief@example.org')!).token
    await ada.put('me/password', { current_password: password, new_password: newPassword })
    expect((await post(app, 'auth/email/verify', { token: change })).body.code).toBe('link_invalid')
  })
})

describe('a forgotten password', () => {
  oneNodeTest('it looks into one node')(
    'is answered alike for an account and for none, some time before anything is looked up',
    async () => {
      // Longer than any test takes, so that only ending the pause continues.
      const { app, smtp } = await open({}, 1e6)
      const ada = await register(app, 'ada@example.org')
      await smtp.received(1)
      const asked: string[] = []
      const { emails: store } = app.services.storage
      const { byEmail } = store
      store.byEmail = (email) => {
        asked.push(email)
        return byEmail(email)
      }
      const [known, unknown] = await Promise.all(
        [ada.email, 'nobody@example.org'].map(async (email) => {
          const answer = app.services.emails.forgot({ email })
          expect(await answer).toBeUndefined()
          expect(asked).toEqual([])
          return post(app, 'auth/password/forgot', { email })
        }),
      )
      expect([known!.status, known!.text]).toEqual([202, ''])
      expect([unknown!.status, unknown!.text]).toEqual([known!.status, known!.text])
      expect((await app.request('GET', 'auth/providers')).status).toBe(200)
      expect(asked).toEqual([])
      await delivered(app)
      expect(asked.toSorted()).toEqual([ada.email, ada.email, 'nobody@example.org', 'nobody@example.org'])
      await smtp.received(3)
      expect(smtp.mails.map(({ recipients }) => recipients[0])).toEqual([ada.email, ada.email, ada.email])
    },
  )

  test('can be requested three times an hour for one address, by anybody', async () => {
    const { app } = await open({ RATE_LIMIT: 'on', TRUST_PROXY: '1' })
    const ask = (email: string, from: number) =>
      app.request('POST', 'auth/password/forgot', {
        body: { email },
        headers: { 'x-forwarded-for': `198.51.100.${from}` },
      })
    for (const email of ['ada@example.org', 'nobody@example.org']) {
      const answers = [await ask(email, 1), await ask(email.toUpperCase(), 2), await ask(email, 3), await ask(email, 4)]
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 429])
    }
  })

  test('needs mail, but the link of an operator does not', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    for (const [ask, path] of [[post, 'auth/password/forgot']] as const)
      expect((await ask(app, path, { email: ada.email })).body.code).toBe('mail_not_configured')
    expect((await ada.put('me/email', { email: 'a@example.org', password })).body.code).toBe('mail_not_configured')
    const { token, stored } = app.services.emailLinks.forOperator(ada.id)
    await app.services.storage.emails.issue(ada.id, [stored], [])
    expect((await post(app, 'auth/password/reset', { token, password: newPassword })).status).toBe(204)
    const { body } = await post(app, 'auth/login', { email: ada.email, password: newPassword })
    expect(body.user.email_verified).toBe(false)
    expect(await app.rows('SELECT id FROM outbox')).toEqual([])
  })

  test('that is reset ends every session and socket, and verifies the address', async () => {
    const { app, smtp } = await open()
    const base = await app.listen()
    const ada = await register(app, 'ada@example.org')
    const socket = await connect(base, ada.token)
    await post(app, 'auth/password/forgot', { email: ada.email })
    const mail = await smtp.received(2)
    await post(app, 'auth/password/reset', { token: linkOf(mail).token, password: newPassword })
    expect(await socket.closed).toBe(4401)
    const { body } = await post(app, 'auth/login', { email: ada.email, password: newPassword })
    expect(body.user.email_verified).toBe(true)
  })
})

describe('a reset', () => {
  const botToken = '7000000000:mail'
  const initData = (app: TestApp) =>
    sign({ user: { id: 7, first_name: 'Mal' } } as never, botToken, new Date(app.clock.now))
  const messengerLogin = (app: TestApp) => post(app, 'auth/messenger', { init_data: initData(app) })

  /** Somebody registers an address and adds other ways to sign in. */
  async function registered({ isVerified }: { isVerified: boolean }) {
    const { app, smtp } = await open({ MESSENGER_BOT_TOKEN: botToken })
    const mallory = await register(app, 'victim@example.org')
    if (isVerified) await post(app, 'auth/email/verify', { token: linkOf(await smtp.received(1)).token })
    expect((await mallory.post('me/identities/messenger', { init_data: initData(app) })).status).toBe(201)
    const passkey = passkeyOf((await mallory.post('me/passkeys/options', {})).body.options, {
      origin: 'https://meet.example.org',
    })
    const added = await mallory.post('me/passkeys', { label: 'Phone', credential: passkey.registration })
    expect(added.status).toBe(201)
    await delivered(app)
    await post(app, 'auth/password/forgot', { email: mallory.email })
    await delivered(app)
    const { token } = linkOf(smtp.mails.findLast(({ text = '' }) => text.includes('/reset#'))!)
    expect((await post(app, 'auth/password/reset', { token, password: newPassword })).status).toBe(204)
    const { body } = await post(app, 'auth/login', { email: mallory.email, password: newPassword })
    const signInByPasskey = async () => {
      const { options } = (await post(app, 'auth/passkey/options', {})).body
      return post(app, 'auth/passkey', { credential: passkey.answer(options) })
    }
    const kinds = async () =>
      (await app.as(body.access_token).get('me/identities')).body.items.map(({ kind }: { kind: string }) => kind)
    return { app, id: mallory.id, kinds, signInByPasskey }
  }

  test('that first proves the address removes what whoever registered it could sign in with', async () => {
    const { app, id, kinds, signInByPasskey } = await registered({ isVerified: false })
    expect(await kinds()).toEqual(['password'])
    const { status, body } = await messengerLogin(app)
    expect(status).toBe(201)
    expect(body.user.id).not.toBe(id)
    expect(await signInByPasskey()).toMatchObject({ status: 401, body: { code: 'passkey_invalid' } })
  })

  test('of an address that was verified before keeps the other ways to sign in', async () => {
    const { app, id, kinds, signInByPasskey } = await registered({ isVerified: true })
    expect((await kinds()).toSorted()).toEqual(['messenger', 'passkey', 'password'])
    expect((await messengerLogin(app)).body.user.id).toBe(id)
    expect((await signInByPasskey()).status).toBe(200)
  })
})

describe('an address', () => {
  const bad = [
    'ada@example.org\r\nBcc: eve@example.org',
    'ada@example.org\nSubject: x',
    'ada @example.org',
    '"ada"@example.org',
    'ada@example.org>',
    `${'a'.repeat(289)}@example.org`,
    `ada@${'a.'.repeat(150)}org`,
    'ada\u202e@example.org',
    'ada\u200b@example.org',
    'ada@example.org\0',
  ]

  test('with line breaks, controls or 300 characters is refused everywhere, and nothing is stored or sent', async () => {
    const { app, smtp } = await open()
    const ada = await register(app, 'ada@example.org')
    await smtp.received(1)
    for (const email of bad) {
      expect((await post(app, 'auth/register', registration(email))).status).toBe(422)
      expect((await post(app, 'auth/password/forgot', { email })).status).toBe(422)
      expect((await ada.put('me/email', { email, password })).status).toBe(422)
    }
    await delivered(app)
    expect(await app.rows('SELECT id FROM outbox')).toEqual([])
    expect(smtp.mails).toHaveLength(1)
  })

  test('that only looks like another one differs from it, and mails go only to the account’s own', async () => {
    const { app, smtp } = await open()
    await register(app, 'mike@example.org')
    await smtp.received(1)
    // A Cyrillic е, and a Kelvin sign, which becomes a k in lower case.
    await post(app, 'auth/password/forgot', { email: 'mikе@example.org' })
    await post(app, 'auth/password/forgot', { email: 'mi\u212ae@example.org' })
    await delivered(app)
    expect(smtp.mails.slice(1).map(({ recipients }) => recipients)).toEqual([['mike@example.org']])
    await register(app, 'a,eve@example.org')
    await delivered(app)
    expect(smtp.mails.at(-1)!.recipients).toEqual(['"a,eve"@example.org'])
  })

  test.each([
    'mike@ｅxample.org',
    'mike@ex\u034fample.org',
    'mike@ex\ufe0fample.org',
    'mike@example\u3002org.uk',
    'mike@ex%61mple.org',
    'mike@example.org:25.uk',
    'mike@example.org?.uk',
    'mike@example.org\\.uk',
    'mike@[203.0.113.1]',
  ])('whose mails would go to another one, or to no domain, is refused: %s', async (email) => {
    const { app, smtp } = await open()
    const ada = await register(app, 'ada@example.org')
    await smtp.received(1)
    const refused = { status: 422, body: { errors: [{ path: '/email', code: 'format' }] } }
    expect(await post(app, 'auth/register', registration(email))).toMatchObject(refused)
    expect(await ada.put('me/email', { email, password })).toMatchObject(refused)
    await delivered(app)
    expect(smtp.mails).toHaveLength(1)
  })

  test.each(['zoë@BÜCHER.example', 'zoe@straße.example', 'zoe@xn--bcher-kva.example', 'zoe@пример.испытание'])(
    'may have a domain of another script: %s',
    async (email) => {
      const { app, smtp } = await open()
      await register(app, email)
      await delivered(app)
      expect(smtp.mails).toHaveLength(1)
    },
  )

  test('that is unverified for 7 days can be registered again, and its account loses it', async () => {
    const { app, smtp } = await open()
    const first = await register(app, 'ada@example.org')
    await delivered(app)
    app.clock.now += 7 * days - 1
    expect((await post(app, 'auth/register', registration('ada@example.org'))).body.code).toBe('email_taken')
    app.clock.now += 1
    const late = linkOf(await smtp.received(1)).token
    const rivals = await Promise.all(
      Array.from({ length: 8 }, () => post(app, 'auth/register', registration('Ada@example.org'))),
    )
    expect(rivals.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409, 409, 409])
    const session = await app.services.auth.begin(first.id, { address: '', user_agent: null, language: null })
    expect(session.user).toMatchObject({ email: null, email_verified: false })
    expect((await post(app, 'auth/email/verify', { token: late })).body.code).toBe('link_invalid')
  })

  test('that its account loses goes to one of many who register it at once', async () => {
    const { app } = await open()
    const { accounts } = app.services.storage
    const names = {
      phone: null,
      admission: anybody,
      messenger_id: null,
      name: 'Ada',
      city: null,
      bio: null,
      gender: null,
      photo: null,
    }
    const take = (email: string, created_at: number) => {
      const id = crypto.randomUUID()
      return accounts.register({ ...names, id, email, password_hash: 'x', created_at, language: 'en' }, [])
    }
    for (let round = 0; round < 10; round++) {
      const email = `lost${round}@example.org`
      await take(email, 0)
      await app.rows('UPDATE users SET email_asked_at = 1 WHERE email = ?', email)
      const [loser] = await app.rows<{ id: string }>('SELECT id FROM users WHERE email = ?', email)
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => take(email, 8 * days)))
      expect(outcomes.filter((outcome) => typeof outcome === 'object')).toEqual([{ lost_by: loser!.id }])
      expect(outcomes.filter((outcome) => outcome === 'email_taken')).toHaveLength(19)
    }
  })

  test('that is verified stays, and so does one that was never asked to be verified', async () => {
    const { app, smtp } = await open()
    await register(app, 'ada@example.org')
    await post(app, 'auth/email/verify', { token: linkOf(await smtp.received(1)).token })
    const old = await app.person('Old')
    await old.post('me/email/verify')
    app.clock.now += 30 * days
    for (const email of ['ada@example.org', old.email])
      expect((await post(app, 'auth/register', registration(email))).body.code).toBe('email_taken')
  })

  test('that belongs to somebody else by now is refused when the link is used, not before', async () => {
    const { app, smtp } = await open()
    const ada = await register(app, 'ada@example.org')
    await register(app, 'bob@example.org')
    await smtp.received(2)
    expect((await ada.put('me/email', { email: 'bob@example.org', password })).status).toBe(202)
    await smtp.received(4)
    const mail = smtp.mails.slice(2).find(({ recipients }) => recipients[0] === 'bob@example.org')!
    const { token } = linkOf(mail)
    // The link stays valid, because the address may become free.
    for (let i = 0; i < 2; i++)
      expect(await post(app, 'auth/email/verify', { token })).toMatchObject({
        status: 409,
        body: { code: 'email_taken' },
      })
  })

  test('of an account without a password changes only in a young session', async () => {
    const { app, smtp } = await open()
    const ada = await app.person('Ada')
    await app.rows('UPDATE users SET password_hash = NULL WHERE id = ?', ada.id)
    app.clock.now += 10 * minutes
    expect((await ada.put('me/email', { email: 'new@example.org' })).body.code).toBe('forbidden')
    app.clock.now -= 1
    expect((await ada.put('me/email', { email: 'new@example.org' })).status).toBe(202)
    await smtp.received(2)
  })
})

describe('EMAIL_VERIFICATION', () => {
  test('required: only the account itself is accessible until the address is verified', async () => {
    const { app, smtp } = await open({ EMAIL_VERIFICATION: 'required' })
    const ada = await register(app, 'ada@example.org')
    const refused = { status: 403, body: { code: 'email_not_verified' } }
    for (const path of ['me/prefs', 'chats', 'me/sessions', 'sync']) expect(await ada.get(path)).toMatchObject(refused)
    expect(await ada.post('blocks', { user_id: ada.id })).toMatchObject(refused)
    const socket = await app.request('GET', `/ws?token=${ada.token}`)
    expect(socket.body.code).toBe('email_not_verified')
    expect((await ada.get('me')).status).toBe(200)
    expect((await ada.get('me/export')).status).toBe(200)
    expect((await ada.put('me', { bio: 'Hello' })).status).toBe(200)
    expect((await ada.post('me/email/verify')).status).toBe(202)
    const { token } = linkOf(await smtp.received(2))
    await post(app, 'auth/email/verify', { token })
    expect((await ada.get('chats')).status).toBe(200)
  })

  test('required: whoever loses their address to somebody else has nothing to verify any more', async () => {
    const { app } = await open({ EMAIL_VERIFICATION: 'required' })
    const phone = '+4930123456'
    const first = { ...registration('ada@example.org'), phone }
    expect((await post(app, 'auth/register', first)).status).toBe(201)
    app.clock.now += 7 * days
    const ada = app.as((await post(app, 'auth/login', { phone, password })).body.access_token)
    expect((await ada.get('chats')).body.code).toBe('email_not_verified')
    expect((await post(app, 'auth/register', registration('ada@example.org'))).status).toBe(201)
    expect((await ada.get('chats')).status).toBe(200)
    expect((await ada.get('me')).body).toMatchObject({ email: null, updated_at: iso(app.clock.now) })
  })

  test('required: a user without an address has nothing to verify', async () => {
    const { app } = await open({ EMAIL_VERIFICATION: 'required' })
    const { body } = await post(app, 'auth/register', { phone: '+4930123456', password, name: 'Ada', consents })
    expect((await app.as(body.access_token).get('chats')).status).toBe(200)
  })

  test('off: a registration sends nothing, and its address stays', async () => {
    const { app, smtp } = await open({ EMAIL_VERIFICATION: 'off' })
    await register(app, 'ada@example.org')
    app.clock.now += 30 * days
    expect((await post(app, 'auth/register', registration('ada@example.org'))).status).toBe(409)
    await delivered(app)
    expect(smtp.mails).toEqual([])
  })

  test('without mail everything is as before', async () => {
    const app = await testApp()
    const ada = await register(app, 'ada@example.org')
    expect((await ada.get('chats')).status).toBe(200)
    expect((await app.request('GET', 'auth/providers')).body).toEqual({
      password: true,
      messenger: null,
      oidc: [],
      passkey: true,
      registration: 'open',
      min_age: null,
      mail: false,
    })
    expect(await app.rows('SELECT id FROM outbox')).toEqual([])
    const { app: mailing } = await open({ MESSENGER_BOT_TOKEN: '12345678:a-bot' })
    expect((await mailing.request('GET', 'auth/providers')).body).toMatchObject({
      messenger: { bot: null },
      mail: true,
    })
  })
})

describe('a stranger’s mailbox', () => {
  const victim = 'victim@example.org'
  const sentTo = (smtp: Awaited<ReturnType<typeof smtpServer>>) =>
    smtp.mails.filter(({ recipients }) => recipients.includes(victim)).length

  test('gets ten mails an hour at most from changes of address, however many accounts ask', async () => {
    const { app, smtp } = await open({ RATE_LIMIT: 'register=100/1h' })
    const statuses: number[] = []
    for (let n = 0; n < 3; n++) {
      const body = { phone: `+1415555010${n}`, password, name: 'Mal', consents }
      const mal = app.as((await app.request('POST', 'auth/register', { body })).body.access_token)
      for (let i = 0; i < 4; i++) statuses.push((await mal.put('me/email', { email: victim, password })).status)
    }
    expect(statuses).toEqual([...Array(10).fill(202), 429, 429])
    await delivered(app)
    expect(sentTo(smtp)).toBe(10)
  })

  test('gets the mails of its own account, however often strangers have asked for the address', async () => {
    const { app, smtp } = await open({ RATE_LIMIT: 'register=100/1h' })
    for (let n = 0; n < 3; n++) {
      const body = { phone: `+1415555010${n}`, password, name: 'Mal', consents }
      const mal = app.as((await app.request('POST', 'auth/register', { body })).body.access_token)
      for (let i = 0; i < 4; i++) await mal.put('me/email', { email: victim, password })
    }
    const owner = await register(app, victim)
    await delivered(app)
    app.clock.now += minutes
    expect((await owner.post('me/email/verify')).status).toBe(202)
    const change = { current_password: password, new_password: newPassword }
    expect((await owner.put('me/password', change)).status).toBe(204)
    await delivered(app)
    expect(sentTo(smtp)).toBe(13)
  })

  test.each([
    ['en', 'If it was not you'],
    ['ru', 'Если это были не вы'],
  ])('is warned not to confirm an account that somebody else has made or changed (%s)', async (language, warning) => {
    const { app, smtp } = await open()
    const headers = { ...agent, 'accept-language': language }
    await register(app, victim, headers)
    const mal = await register(app, 'mal@example.org', headers)
    expect((await mal.put('me/email', { email: victim, password })).status).toBe(202)
    await delivered(app)
    const mails = smtp.mails.filter(({ recipients }) => recipients.includes(victim))
    expect(mails).toHaveLength(2)
    for (const { text, html } of mails) for (const shown of [text, html]) expect(shown).toContain(warning)
  })

  test('gets the mails of its own account, however often strangers have tried to register the address', async () => {
    const { app, smtp } = await open({ RATE_LIMIT: 'register=100/1h' })
    const owner = await register(app, victim)
    for (let n = 0; n < 12; n++)
      expect((await post(app, 'auth/register', registration(victim))).body.code).toBe('email_taken')
    expect((await owner.post('me/email/verify')).status).toBe(202)
    const change = { current_password: password, new_password: newPassword }
    expect((await owner.put('me/password', change)).status).toBe(204)
    await delivered(app)
    expect(sentTo(smtp)).toBe(3)
  })

  test('gets ten mails an hour at most from who registers the address again and again', async () => {
    const { app, smtp } = await open({ RATE_LIMIT: 'register=100/1h' })
    for (let n = 0; n < 8; n++) {
      const mal = await register(app, victim)
      for (const [current_password, new_password] of [
        [password, newPassword],
        [newPassword, password],
      ])
        expect((await mal.put('me/password', { current_password, new_password })).status).toBe(204)
      // Without a mail, too, the address can be registered by somebody else after seven days.
      expect(await app.rows('SELECT 1 FROM users WHERE id = ? AND email_asked_at IS NOT NULL', mal.id)).toHaveLength(1)
      // An erasure would remove what waits.
      await delivered(app)
      expect((await mal.delete('me', { password })).status).toBe(204)
    }
    await delivered(app)
    expect(sentTo(smtp)).toBe(10)
    // Whoever has verified the address hears of everything.
    app.clock.now += hours
    const owner = await register(app, 'owner@example.org')
    await delivered(app)
    await post(app, 'auth/email/verify', { token: linkOf(smtp.mails.at(-1)!).token })
    for (let n = 0; n < 6; n++)
      for (const [current_password, new_password] of [
        [password, newPassword],
        [newPassword, password],
      ])
        expect((await owner.put('me/password', { current_password, new_password })).status).toBe(204)
    await delivered(app)
    expect(smtp.mails.filter(({ recipients }) => recipients.includes(owner.email))).toHaveLength(13)
  })
})

describe('mails about security', () => {
  const subjects = ({ mails }: { mails: Received[] }) => mails.map(({ subject }) => subject!)

  test('are sent once for a new device, and not for the first session or a known device', async () => {
    const { app, smtp } = await open()
    const ada = await register(app, 'ada@example.org')
    const body = { email: ada.email, password }
    const login = (userAgent: string) =>
      app.request('POST', 'auth/login', { body, headers: { 'user-agent': userAgent } })
    await login(agent['user-agent'])
    await ada.post('auth/logout')
    await login(agent['user-agent'])
    const spam = 'Safari/18.1 https://evil.example evil.example/x win@evil.example'
    await login(spam)
    await login(spam)
    await smtp.received(2)
    await delivered(app)
    expect(subjects(smtp)).toHaveLength(2)
    expect(smtp.mails[1]!.text).toContain('Safari/18.1')
    expect(`${smtp.mails[1]!.text}${smtp.mails[1]!.html}`).not.toContain('evil')
    // Repeated logins cannot fill a mailbox.
    for (let i = 0; i < 15; i++) await login(`agent ${i}`)
    await delivered(app)
    expect(subjects(smtp).length).toBeLessThan(14)
  })

  oneNodeTest('it delivers by one node')(
    'tell of a new password and of the end of the account, after which nothing of it waits',
    async () => {
      const { app, smtp } = await open()
      const ada = await register(app, 'ada@example.org')
      await smtp.received(1)
      await ada.put('me/password', { current_password: password, new_password: newPassword })
      await smtp.received(2)
      await app.services.delivery.stop()
      await ada.post('me/email/verify')
      expect((await ada.get('me/export')).body).toMatchObject({
        email_links: [{ kind: 'verify', email: ada.email }],
        mails_waiting: [{ about: 'verify', to: ada.email }],
      })
      expect((await ada.delete('me', { password: newPassword })).status).toBe(204)
      expect(await app.rows('SELECT hash FROM email_links')).toEqual([])
      const [waiting, ...more] = await app.services.storage.outbox.list(null, 10)
      expect(more).toEqual([])
      expect(waiting).toMatchObject({ user_id: null, payload: { about: 'account_erased', to: ada.email } })
      expect(subjects(smtp)[1]).toContain('password was changed')
    },
  )

  test('are in the language of the account', async () => {
    const { app, smtp } = await open()
    await register(app, 'ada@example.org', { 'accept-language': 'ru-RU, en;q=0.5' })
    expect((await smtp.received(1)).subject).toMatch(/[а-я]/)
  })

  test('to the first address of an account from a messenger are in its language', async () => {
    const { app, smtp } = await open({ MESSENGER_BOT_TOKEN: botToken })
    const user = { id: 78, first_name: 'Ada', language_code: 'ru' }
    const init_data = sign({ user } as never, botToken, new Date(app.clock.now))
    const { body } = await post(app, 'auth/messenger', { init_data })
    const { status } = await app.as(body.access_token).put('me/email', { email: 'ada@example.org' })
    expect([status, (await smtp.received(1)).subject]).toEqual([202, expect.stringMatching(/[а-я]/)])
  })

  test('name a password that was removed or set in that language', async () => {
    const { app, smtp } = await open({ MESSENGER_BOT_TOKEN: botToken })
    const ada = await register(app, 'ada@example.org', { 'accept-language': 'ru' })
    const init_data = sign({ user: { id: 77, first_name: 'Ada' } } as never, botToken, new Date(app.clock.now))
    expect((await ada.post('me/identities/messenger', { init_data })).status).toBe(201)
    const { items } = (await ada.get('me/identities')).body
    const { id } = items.find(({ kind }: { kind: string }) => kind === 'password')
    expect((await ada.delete(`me/identities/${id}`)).status).toBe(204)
    expect((await ada.put('me/password', { new_password: newPassword })).status).toBe(204)
    for (let i = 0; i < 4; i++) app.services.delivery.wake('mail')
    await smtp.received(4)
    const texts = smtp.mails.map(({ text }) => text!)
    expect(texts.filter((text) => text.includes(': пароль.'))).toHaveLength(2)
    for (const text of texts) expect(text).not.toMatch(/password/i)
  })
})

oneNodeTest('it delivers by one node')(
  'with the mail server away requests are answered, and the mail goes out once when it is back',
  async () => {
    const smtp = await smtpServer()
    await smtp.close()
    const app = await testApp({
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Convene <hello@example.org>',
      PUBLIC_URL: 'https://meet.example.org',
    })
    const ada: Pick<Person, 'get'> = await register(app, 'ada@example.org')
    expect((await ada.get('me')).status).toBe(200)
    await delivered(app)
    const [parcel] = await app.services.storage.outbox.list('mail', 10)
    expect(parcel).toMatchObject({ attempts: 1, last_error: expect.stringContaining('no connection') })
    expect(await app.services.metrics.text()).toContain('convene_outbox_waiting{kind="mail"} 1')
    const back = await smtpServer({ port: smtp.port })
    servers.push(back)
    app.clock.now += hours
    expect(await app.services.metrics.text()).toContain('convene_outbox_oldest_seconds{kind="mail"} 3600')
    for (let i = 0; i < 3; i++) app.services.delivery.wake('mail')
    await back.received(1)
    await delivered(app)
    expect(back.mails).toHaveLength(1)
    expect(await app.services.storage.outbox.list(null, 10)).toEqual([])
    const text = await app.services.metrics.text()
    for (const [outcome, count] of [
      ['sent', 1],
      ['failed', 1],
      ['given_up', 0],
    ])
      expect(text).toContain(`convene_outbox_deliveries_total{kind="mail",outcome="${outcome}"} ${count}`)
  },
)

describe('the page of a link', () => {
  test.each(['/verify', '/reset', '/email-undo'])(
    '%s runs its own script alone, and changes nothing when opened',
    async (path) => {
      const app = await testApp()
      const english = await app.request('GET', path, { headers: { 'accept-language': 'de, en;q=0.8, ru;q=0.5' } })
      expect([english.status, english.headers.get('content-language')]).toEqual([200, 'en'])
      const russian = await app.request('GET', path, { headers: { 'accept-language': 'ru' } })
      expect(russian.text).toContain('<html lang="ru">')
      const policy = english.headers.get('content-security-policy')!
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
      for (const [kind, of] of [
        ['script', 'script-src'],
        ['style', 'style-src'],
      ]) {
        const [, inline] = new RegExp(`<${kind}>([^<]*)</${kind}>`).exec(english.text)!
        const hash = new Bun.CryptoHasher('sha256').update(inline!).digest('base64')
        expect(policy).toContain(`${of} 'sha256-${hash}'`)
      }
      expect(english.text).not.toMatch(/(?:src|href)="(?!data:,)/)
      expect(english.headers.get('referrer-policy')).toBe('no-referrer')
    },
  )
})
