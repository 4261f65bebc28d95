import { sign } from '@tma.js/init-data-node'
import { afterEach, describe, expect, test } from 'bun:test'
import { TryLater, Undeliverable } from '../../src/outbox/carrier.ts'
import { ChannelGone, type Notification } from '../../src/outbox/push.ts'
import { openTelegram } from '../../src/outbox/telegram/api.ts'
import { telegramSender } from '../../src/outbox/telegram/sender.ts'
import { granted } from '../rows.ts'
import { botToken, refusal, telegramServer } from '../telegram.ts'
import { type TestApp, testApp } from '../app.ts'
import { until } from '../until.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const minutes = 60_000
const secretHeader = 'x-telegram-bot-api-secret-token'
let lastPerson = 4_200_000

/** An app with the bot of its own fake Bot API. With `PUBLIC_URL` it gets updates by a webhook. */
async function open(environment: Record<string, string> = {}) {
  const telegram = telegramServer()
  closing.push(telegram.close)
  const app = await testApp({
    MESSENGER_BOT_TOKEN: botToken,
    MESSENGER_BOT: 'on',
    MESSENGER_APP: 'meet',
    MESSENGER_API_URL: telegram.url,
    ...environment,
  })
  return { app, telegram, start: () => app.nodes.forEach(({ services }) => services.bot.intake!.start()) }
}

async function withWebhook() {
  const opened = await open({ PUBLIC_URL: 'https://meet.example.org' })
  opened.start()
  await opened.telegram.until(() => opened.telegram.webhook() !== null)
  const { url, secret_token } = opened.telegram.webhook()!
  const path = new URL(url).pathname
  const post = (body: unknown, headers: Record<string, string> = { [secretHeader]: secret_token }) =>
    opened.app.request('POST', path, { body, headers })
  return { ...opened, url, path, post, secret_token }
}

type Said = { allows_write_to_pm?: boolean; language_code?: string }

/** Logs in from the mini-app. */
async function login(app: TestApp, id: number, said: Said = {}, rest: Record<string, unknown> = {}) {
  const user = { id, first_name: 'Ada', ...said }
  const init_data = sign({ user, ...rest } as never, botToken, new Date(app.clock.now))
  const answer = await app.request('POST', 'auth/messenger', { body: { init_data } })
  expect([200, 201]).toContain(answer.status)
  return { id: answer.body.user.id as string, answer, ...app.as(answer.body.access_token) }
}

const mayWrite = ({ services }: TestApp, userId: string) => services.bot.permissions.mayWrite(userId)

describe('/start and /stop', () => {
  test('grant and withdraw the permission of a user with an account, in their language', async () => {
    const { app, telegram, start } = await open()
    const [ada, boris, stranger] = [++lastPerson, ++lastPerson, ++lastPerson]
    const [ofAda, ofBoris] = [await login(app, ada), await login(app, boris)]
    expect(await mayWrite(app, ofAda.id)).toBe(false)
    start()
    telegram.give(
      telegram.update(ada, { text: '/start chat_0199' }, 'en-GB'),
      telegram.update(boris, { text: '/start' }, 'ru'),
      telegram.update(stranger, { text: '/start' }),
      telegram.update(ada, { text: 'Hello?' }),
    )
    await telegram.until(() => [ada, boris, stranger].every((id) => telegram.shown(id).length === 1))
    expect(telegram.shown(ada)[0]).toMatchObject({
      text: expect.stringContaining('I may write to you now'),
      button: { text: 'Open', url: 'https://t.me/tests_bot/meet?startapp=chat_0199' },
    })
    expect(telegram.shown(boris)[0]).toMatchObject({
      text: expect.stringContaining('могу писать'),
      button: { text: 'Открыть', url: 'https://t.me/tests_bot/meet' },
    })
    expect(telegram.shown(stranger)[0]!.text).toBe('Hello! Open the app to begin.')
    expect(await mayWrite(app, ofAda.id)).toBe(true)
    expect(await app.services.bot.permissions.targetOf(ofBoris.id)).toEqual({ messenger_id: String(boris) })
    expect(await app.rows('SELECT * FROM bot_permissions WHERE messenger_id = ?', String(stranger))).toEqual([])

    telegram.give(telegram.update(ada, { text: '/stop' }))
    await telegram.until(() => telegram.shown(ada).length === 2)
    expect(telegram.shown(ada)[1]).toMatchObject({ button: null, text: expect.stringContaining('not write to you') })
    expect(await mayWrite(app, ofAda.id)).toBe(false)
    expect(await app.services.bot.permissions.targetOf(ofAda.id)).toBeNull()
  })

  test('are applied once if an update is repeated, even after a restart', async () => {
    const { app, telegram, start } = await open()
    const ada = ++lastPerson
    const { id } = await login(app, ada)
    const began = telegram.update(ada, { text: '/start' })
    start()
    telegram.give(began, telegram.update(ada, { text: '/stop' }))
    await until(async () => (await app.rows('SELECT update_id FROM bot_updates')).length === 2, 'both are acted on')
    await app.services.bot.settled()
    // Another process of this server gets the first update again.
    const again = await testApp(
      { MESSENGER_BOT_TOKEN: botToken, MESSENGER_BOT: 'on', MESSENGER_API_URL: telegram.url },
      { beside: app },
    )
    for (const { services } of app.nodes) await services.bot.intake!.stop()
    again.services.bot.intake!.start()
    await telegram.until(() => telegram.isPolled())
    const before = telegram.calls.filter(({ method }) => method === 'sendMessage').length
    telegram.give(began)
    await telegram.until(() => telegram.calls.at(-1)?.method === 'getUpdates' && telegram.isPolled())
    await again.services.bot.settled()
    expect(await mayWrite(app, id)).toBe(false)
    expect(telegram.calls.filter(({ method }) => method === 'sendMessage')).toHaveLength(before)
  })

  test('from a group, another bot, or in a wrong shape change nothing', async () => {
    const { app, telegram } = await open()
    const ada = ++lastPerson
    const { id } = await login(app, ada)
    const good = telegram.update(ada, { text: '/start' }) as any
    for (const update of [
      { ...good, message: { ...good.message, chat: { id: -100, type: 'group' } } },
      { ...good, message: { ...good.message, chat: { id: 5, type: 'private' } } },
      { ...good, message: { ...good.message, from: { ...good.message.from, is_bot: true } } },
      { ...good, message: { ...good.message, text: '/started' } },
      { ...good, message: { ...good.message, text: { start: true } } },
      { ...good, update_id: '1' },
      { update_id: -1, message: good.message },
      { update_id: 3, message: null },
      { update_id: 3, my_chat_member: [] },
      [],
      null,
      'x',
    ])
      expect([update, await botOf(app).receive(update)]).toEqual([update, 'ignored'])
    expect(await mayWrite(app, id)).toBe(false)
    expect(await app.rows('SELECT * FROM bot_updates')).toEqual([])
  })

  test('that many receive at the same time are applied once', async () => {
    const { app, telegram } = await open()
    await login(app, ++lastPerson)
    const update = telegram.update(lastPerson, { text: '/start' })
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => botOf(app).receive(update)))
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'repeated')).toHaveLength(19)
    await app.services.bot.settled()
    expect(telegram.shown(lastPerson)).toHaveLength(1)
  })
})

/** The function that both kinds of intake pass updates to. */
const botOf = ({ services }: TestApp) => ({ receive: services.bot.receive! })

describe('permission', () => {
  test('comes with init data, but not after /stop, and updates about write access and blocking change it', async () => {
    const { app, telegram } = await open()
    const ada = ++lastPerson
    const first = await login(app, ada, {}, { start_param: 'chat_0199-abc' })
    expect([first.answer.status, first.answer.body.start_param]).toEqual([201, 'chat_0199-abc'])
    expect(await mayWrite(app, first.id)).toBe(false)
    const again = await login(app, ada, { allows_write_to_pm: true, language_code: 'ru' })
    expect([again.answer.status, again.answer.body.start_param]).toEqual([200, null])
    expect(await mayWrite(app, first.id)).toBe(true)

    const act = (said: Record<string, unknown>) => botOf(app).receive(telegram.update(ada, said))
    expect(await act({ text: '/stop' })).toBe('done')
    await login(app, ada, { allows_write_to_pm: true })
    expect(await mayWrite(app, first.id)).toBe(false)
    await act({ write_access_allowed: { from_request: true } })
    expect(await mayWrite(app, first.id)).toBe(true)
    await act({ new_chat_member: { status: 'kicked' } })
    expect(await mayWrite(app, first.id)).toBe(false)
    // A user who unblocks the bot does not have to write /start.
    await login(app, ada, { allows_write_to_pm: true })
    expect(await mayWrite(app, first.id)).toBe(true)
    await app.services.bot.settled()
  })

  test('is in the export, and is removed with the account or its messenger id', async () => {
    const { app } = await open()
    const ada = ++lastPerson
    const me = await login(app, ada, { allows_write_to_pm: true, language_code: 'ru' })
    expect((await me.get('me/export')).body.bot).toEqual({
      state: 'granted',
      language: 'ru',
      changed_at: new Date(app.clock.now).toISOString(),
    })
    await app.rows('UPDATE users SET messenger_id = ? WHERE id = ?', String(++lastPerson), me.id)
    expect(await mayWrite(app, me.id)).toBe(false)
    await app.rows('UPDATE users SET messenger_id = ? WHERE id = ?', String(ada), me.id)
    expect(await mayWrite(app, me.id)).toBe(true)
    const init_data = sign({ user: { id: ada, first_name: 'Ada' } } as never, botToken, new Date(app.clock.now))
    expect((await me.delete('me', { init_data })).status).toBe(204)
    expect(await app.rows('SELECT * FROM bot_permissions')).toEqual([])
  })

  test('is never given if the server does not run the bot', async () => {
    const app = await testApp({ MESSENGER_BOT_TOKEN: botToken })
    const { id } = await login(app, ++lastPerson, { allows_write_to_pm: true })
    expect(await mayWrite(app, id)).toBe(false)
    expect(await app.rows('SELECT * FROM bot_permissions')).toEqual([])
    expect(app.services.bot.intake).toBeNull()
    expect((await app.request('POST', 'messenger/updates/x', { body: {} })).status).toBe(404)
    expect((await app.request('GET', 'auth/providers')).body.messenger).toEqual({ bot: null })
  })
})

describe('the webhook', () => {
  test('applies the updates that the messenger posts, once', async () => {
    const { app, telegram, post, url } = await withWebhook()
    expect(url).toMatch(/^https:\/\/meet\.example\.org\/api\/v1\/messenger\/updates\/[\w-]{43}$/)
    const ada = ++lastPerson
    const { id } = await login(app, ada)
    const update = telegram.update(ada, { text: '/start' })
    expect((await post(update)).status).toBe(200)
    expect(await mayWrite(app, id)).toBe(true)
    expect((await post(telegram.update(ada, { text: '/stop' }))).status).toBe(200)
    // A replayed update.
    expect((await post(update)).status).toBe(200)
    expect(await mayWrite(app, id)).toBe(false)
    for (const { services } of app.nodes) await services.bot.settled()
  })

  test('takes updates of more than 64 KiB, which a formatted message has, but only with both secrets', async () => {
    const { app, telegram, post } = await withWebhook()
    const ada = ++lastPerson
    const { id } = await login(app, ada)
    const url = `https://example.org/${'x'.repeat(1000)}`
    const entities = Array.from({ length: 100 }, (_, offset) => ({ type: 'text_link', offset, length: 1, url }))
    const update = telegram.update(ada, { text: '/start', entities })
    expect((await post(update, {})).status).toBe(404)
    expect(await mayWrite(app, id)).toBe(false)
    expect((await post(update)).status).toBe(200)
    expect(await mayWrite(app, id)).toBe(true)
    expect((await post({ ...update, more: 'x'.repeat(1024 * 1024) })).body.code).toBe('payload_too_large')
    for (const { services } of app.nodes) await services.bot.settled()
  })

  test('refuses a caller who does not know both secrets, and changes nothing', async () => {
    const { app, telegram, post, path, secret_token } = await withWebhook()
    const ada = ++lastPerson
    const { id } = await login(app, ada)
    const update = telegram.update(ada, { text: '/start' })
    const forged = [
      await post(update, {}),
      await post(update, { [secretHeader]: '' }),
      await post(update, { [secretHeader]: secret_token.slice(0, -1) }),
      await post(update, { [secretHeader]: `${secret_token}x` }),
      await app.request('POST', `${path}x`, { body: update, headers: { [secretHeader]: secret_token } }),
      await app.request('POST', path.replace(/[^/]+$/, secret_token), {
        body: update,
        headers: { [secretHeader]: secret_token },
      }),
    ]
    for (const { status, text } of forged) {
      expect(status).toBe(404)
      expect(text).not.toContain(secret_token)
    }
    expect(await app.rows('SELECT * FROM bot_updates')).toEqual([])
    expect(await mayWrite(app, id)).toBe(false)
    for (const word of [secret_token, path.split('/').at(-1)!]) expect(app.logged()).not.toContain(word)
    expect((await app.request('GET', '/openapi/json')).text).not.toContain('messenger/updates')
  })
})

const note: Notification = {
  kind: 'message',
  tag: 'chat_0199',
  title: 'Ada 👋',
  body: 'Hello <b>there</b>',
  chat_id: '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11',
  unread: 1,
  language: 'en',
}

function senderOf({ now = Date.now, app = 'meet' }: { now?: () => number; app?: string | null } = {}) {
  const telegram = telegramServer()
  closing.push(telegram.close)
  const refused: string[] = []
  const api = openTelegram({ token: botToken, apiUrl: telegram.url, pauseInChatMs: 5, now })
  const sender = telegramSender({ telegram: api, app, refused: async (id) => void refused.push(id), now })
  return { telegram, sender, refused, to: { messenger_id: String(++lastPerson) } }
}

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: Error) => error,
  )

describe('a notification', () => {
  test('is a message that opens the chat, which the next one edits and reading withdraws', async () => {
    const { telegram, sender, to } = senderOf()
    const shown = await sender.show(to, note, null)
    expect(telegram.shown(to.messenger_id)).toEqual([
      {
        chat: to.messenger_id,
        message_id: 1,
        text: 'Ada 👋\nHello <b>there</b>',
        bold: 'Ada 👋',
        button: { text: 'Open', url: `https://t.me/tests_bot/meet?startapp=chat_${note.chat_id}` },
      },
    ])
    expect(await sender.show(to, { ...note, body: 'And you?' }, shown)).toBe(shown)
    expect(await sender.show(to, { ...note, body: 'And you?' }, shown)).toBe(shown)
    expect(telegram.shown(to.messenger_id).map(({ text }) => text)).toEqual(['Ada 👋\nAnd you?'])
    await sender.takeBack!(to, note.tag, shown)
    expect(telegram.shown(to.messenger_id)).toEqual([])
    // Neither is a failure, because there is nothing left to withdraw.
    await sender.takeBack!(to, note.tag, shown)
    await sender.takeBack!(to, note.tag, null)
    const fresh = await sender.show(to, note, shown)
    expect(fresh).not.toBe(shown)
    expect(telegram.shown(to.messenger_id)).toHaveLength(1)
  })

  test('that is too old to remove is emptied', async () => {
    const { telegram, sender, to } = senderOf({ now: () => Date.now() + 48 * 60 * minutes })
    const shown = await sender.show(to, { ...note, chat_id: null }, null)
    expect(telegram.shown(to.messenger_id)[0]!.button!.url).toBe('https://t.me/tests_bot/meet')
    await sender.takeBack!(to, note.tag, shown)
    expect(telegram.shown(to.messenger_id)).toMatchObject([{ text: '✓', button: null, bold: null }])
    expect(telegram.calls.some(({ method }) => method === 'deleteMessage')).toBe(false)
  })

  test('opens the main mini-app if none is named', async () => {
    const { telegram, sender, to } = senderOf({ app: null })
    await sender.show(to, note, null)
    expect(telegram.shown(to.messenger_id)[0]!.button!.url).toBe(`https://t.me/tests_bot?startapp=chat_${note.chat_id}`)
  })

  test('to a user who has blocked the bot ends the channel and the permission', async () => {
    for (const answer of [
      refusal(403, 'Forbidden: bot was blocked by the user'),
      refusal(400, 'Bad Request: chat not found'),
    ]) {
      const { telegram, sender, refused, to } = senderOf()
      telegram.fail('sendMessage', answer)
      expect(await failureOf(sender.show(to, note, null))).toBeInstanceOf(ChannelGone)
      expect(refused).toEqual([to.messenger_id])
    }
    const { telegram, sender, refused, to } = senderOf()
    const shown = await sender.show(to, note, null)
    telegram.fail('editMessageText', refusal(403, 'Forbidden: user is deactivated'))
    expect(await failureOf(sender.show(to, { ...note, body: 'x' }, shown))).toBeInstanceOf(ChannelGone)
    expect(refused).toEqual([to.messenger_id])
  })

  test('waits as long as the messenger asks for: briefly here, longer in the outbox', async () => {
    const { telegram, sender, to } = senderOf()
    telegram.fail('sendMessage', refusal(429, 'Too Many Requests: retry after 1', { retry_after: 1 }))
    await sender.show(to, note, null)
    expect(telegram.shown(to.messenger_id)).toHaveLength(1)
    telegram.fail('sendMessage', refusal(429, 'Too Many Requests: retry after 35', { retry_after: 35 }))
    const failure = await failureOf(sender.show({ messenger_id: '5' }, note, null))
    expect(failure).toBeInstanceOf(TryLater)
    expect((failure as TryLater).afterMs).toBe(35_000)
    expect(telegram.shown(5)).toEqual([])
  })

  test('waits also if the messenger asked for a pause because of another one, whatever its chat', async () => {
    let at = 1_700_000_000_000
    const { telegram, sender, to } = senderOf({ now: () => at })
    telegram.fail('sendMessage', refusal(429, 'Too Many Requests: retry after 35', { retry_after: 35 }))
    const all = ['chat_1', 'chat_2', 'chat_3'].map((tag) => failureOf(sender.show(to, { ...note, tag }, null)))
    for (const failure of await Promise.all(all)) expect(failure).toEqual(new TryLater(failure.message, 35_000, true))
    at += 34_500
    expect(await failureOf(sender.show(to, note, '7@1700000000'))).toEqual(
      new TryLater('Telegram answered 429 to editMessageText', 1000, true),
    )
    const other = { messenger_id: String(++lastPerson) }
    expect(await failureOf(sender.show(other, note, null))).toEqual(
      new TryLater('Telegram answered 429 to sendMessage', 1000, true),
    )
    const asked = telegram.calls.filter(({ method }) => method !== 'getMe')
    expect(asked.map(({ method }) => method)).toEqual(['sendMessage'])
    at += 500
    await sender.show(to, note, null)
    await sender.show(other, note, null)
    for (const { messenger_id } of [to, other]) expect(telegram.shown(messenger_id)).toHaveLength(1)
  })

  test('that fails reveals neither the token, nor the text, nor the recipient', async () => {
    const { telegram, sender, to } = senderOf()
    telegram.fail('sendMessage', refusal(500, 'Internal Server Error'))
    telegram.fail('sendMessage', { status: 302, body: { location: 'http://127.0.0.1:1/' } })
    telegram.fail('sendMessage', refusal(400, `Bad Request: BUTTON_URL_INVALID in bot${botToken}`))
    const failures = [
      await failureOf(sender.show(to, note, null)),
      await failureOf(sender.show({ messenger_id: '6' }, note, null)),
      await failureOf(sender.show({ messenger_id: '7' }, note, null)),
    ]
    telegram.close()
    failures.push(await failureOf(sender.show({ messenger_id: '8' }, note, null)))
    expect(failures.map((failure) => failure instanceof Undeliverable)).toEqual([false, false, true, false])
    for (const failure of failures) {
      const said = `${failure.message} ${Bun.inspect(failure, { depth: 9 })} ${JSON.stringify(failure)}`
      for (const word of [botToken, botToken.split(':')[1]!, 'Hello', 'there', to.messenger_id])
        expect(said).not.toContain(word)
    }
  })
})

describe('a channel of the kind telegram', () => {
  test('needs the permission, shows one message per chat, and ends with the permission', async () => {
    const { app, telegram } = await open()
    const chatId = ++lastPerson
    const bob = await login(app, chatId)
    const ada = await app.person('Ada')
    const add = () => bob.post('me/channels', { kind: 'telegram' })
    expect((await add()).status).toBe(409)
    await login(app, chatId, { allows_write_to_pm: true })
    expect((await add()).status).toBe(201)
    const work = async () => {
      for (let i = 0; i < 2; i++)
        for (const { services } of app.nodes) {
          for (const kind of ['notification', 'telegram'] as const) services.delivery.wake(kind)
          await services.delivery.idle()
        }
    }
    const chat = (await ada.post('chats', { user_id: bob.id })).body.id as string
    const say = async (text: string) => {
      await ada.post(`chats/${chat}/messages`, { text })
      app.clock.now += 16_000
      await work()
    }
    await say('A secret')
    expect(telegram.shown(chatId)).toMatchObject([
      { button: { url: `https://t.me/tests_bot/meet?startapp=chat_${chat}` } },
    ])
    expect(telegram.shown(chatId)[0]!.text).toContain('Ada')
    expect(telegram.shown(chatId)[0]!.text).not.toContain('secret')
    await say('Another')
    expect(telegram.shown(chatId)).toHaveLength(1)
    await bob.put(`chats/${chat}/read`, {})
    await work()
    expect(telegram.shown(chatId)).toEqual([])

    telegram.fail('sendMessage', refusal(403, 'Forbidden: bot was blocked by the user'))
    await say('A third')
    expect(await mayWrite(app, bob.id)).toBe(false)
    expect((await bob.get('me/channels')).body.items).toEqual([])
    expect(app.logged()).not.toContain(String(chatId))

    // What waits when the user writes /stop, or blocks the bot, is not sent any more.
    for (const end of [{ text: '/stop' }, { new_chat_member: { status: 'kicked' } }]) {
      await botOf(app).receive(telegram.update(chatId, { write_access_allowed: { from_request: true } }))
      expect((await add()).status).toBe(201)
      await ada.post(`chats/${chat}/messages`, { text: 'A fourth' })
      await botOf(app).receive(telegram.update(chatId, end))
      await app.services.bot.settled()
      const before = telegram.shown(chatId).length
      app.clock.now += 16_000
      await work()
      expect(telegram.shown(chatId)).toHaveLength(before)
      expect((await bob.get('me/channels')).body.items).toEqual([])
      expect((await add()).status).toBe(409)
    }
  }, 30_000)
})

test('whoever unlinks the messenger has its channel no longer', async () => {
  const { app } = await open()
  const chatId = ++lastPerson
  const ada = await app.person('Ada')
  const init_data = sign(
    { user: { id: chatId, first_name: 'Ada', allows_write_to_pm: true } } as never,
    botToken,
    new Date(app.clock.now),
  )
  const { body: identity } = await ada.post('me/identities/messenger', { init_data })
  const { body: channel } = await ada.post('me/channels', { kind: 'telegram' })
  expect((await ada.delete(`me/identities/${identity.id}`)).status).toBe(204)
  expect((await ada.get('me/channels')).body.items).toEqual([])
  expect((await ada.post(`me/channels/${channel.id}/test`)).status).toBe(404)
  expect(await app.rows('SELECT id FROM channels')).toEqual([])
})

describe('updates by polling', () => {
  test('continue after the messenger was away, refused, or another program polled, and the token is not logged', async () => {
    const { app, telegram, start } = await open()
    telegram.fail('deleteWebhook', refusal(401, 'Unauthorized'))
    telegram.fail('getUpdates', refusal(409, 'Conflict: terminated by other getUpdates request'))
    telegram.fail('getMe', refusal(500, 'Internal Server Error'))
    const ada = ++lastPerson
    const { id } = await login(app, ada)
    start()
    telegram.give(telegram.update(ada, { text: '/start' }))
    await telegram.until(() => mayWrite(app, id))
    await telegram.until(() => telegram.shown(ada).length === 1)
    expect(app.logged()).toContain('another program asks for the updates of this bot (409)')
    expect(app.logged()).toContain('Telegram does not know MESSENGER_BOT_TOKEN (401)')
    telegram.close()
    await until(() => app.logged().includes('no connection to Telegram'), 'the outage is logged')
    expect(app.logged()).not.toContain(botToken.split(':')[1]!)
    expect(await app.services.metrics.text()).not.toContain(botToken.split(':')[1]!)
  }, 40_000)

  test('are requested again only after the pause that the messenger asks for', async () => {
    const { telegram, start } = await open()
    telegram.fail('getUpdates', refusal(429, 'Too Many Requests: retry after 5', { retry_after: 5 }))
    start()
    const asked = () => telegram.calls.filter(({ method }) => method === 'getUpdates').length
    await telegram.until(() => asked() === 1)
    const since = performance.now()
    await telegram.until(() => asked() === 2)
    expect(performance.now() - since).toBeGreaterThan(4900)
    await telegram.until(telegram.isPolled)
  })

  test('are requested again if they could not be stored', async () => {
    const { app, telegram, start } = await open()
    const ada = ++lastPerson
    const { id } = await login(app, ada)
    await app.rows('ALTER TABLE bot_updates RENAME TO bot_updates_away')
    start()
    telegram.give(telegram.update(ada, { text: '/start' }))
    await until(() => app.logged().includes('the bot gets no updates'), 'the failure is logged')
    await app.rows('ALTER TABLE bot_updates_away RENAME TO bot_updates')
    await telegram.until(() => mayWrite(app, id))
    await telegram.until(() => telegram.shown(ada).length === 1)
  }, 40_000)

  test('tell clients the bot’s name', async () => {
    const { app, telegram, start } = await open()
    start()
    await telegram.until(() => app.nodes.every(({ services }) => services.bot.name() !== null))
    expect((await app.request('GET', 'auth/providers')).body.messenger).toEqual({ bot: 'tests_bot' })
  })
})

describe('moderators', () => {
  async function withModerators() {
    const { app, telegram } = await open()
    const ids = [++lastPerson, ++lastPerson, ++lastPerson]
    const people = []
    for (const id of ids) people.push(await login(app, id, { allows_write_to_pm: true }))
    const [mo, root, ada] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]]
    const { users } = app.services.storage
    await users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
    await users.setRole(root.id, 'admin', granted(root.id, app.clock.now))
    for (const { id } of people) app.forget(id)
    const work = async () => {
      for (const { services } of app.nodes) {
        services.delivery.wake('bot')
        await services.delivery.idle()
      }
    }
    return { app, telegram, ids, mo, root, ada, work }
  }

  test('are reminded how many reports are open and how old the oldest is, at most once in five minutes', async () => {
    const { app, telegram, ids, mo, ada, work } = await withModerators()
    const [moChat, rootChat, adaChat] = ids as [number, number, number]
    const [bob, cleo, dan] = [await app.person(), await app.person(), await app.person()]
    const began = app.clock.now
    await bob.post('reports', { user_id: cleo.id, reason: 'spam', details: 'A secret of Bob' })
    app.clock.now += 3 * minutes
    await cleo.post('reports', { user_id: ada.id, reason: 'spam' })
    await work()
    const texts = (chat: number) => telegram.shown(chat).map(({ text }) => text)
    expect(texts(moChat)).toEqual(['Open reports: 2. The oldest has waited for 3 min.'])
    expect(texts(rootChat)).toEqual(texts(moChat))
    expect(texts(adaChat)).toEqual([])
    expect(telegram.shown(moChat)[0]!.button!.url).toBe('https://t.me/tests_bot/meet')
    // There is nothing new, and then it is too soon.
    await work()
    app.clock.now += minutes
    await dan.post('reports', { user_id: cleo.id, reason: 'spam' })
    // This report concerns Mo.
    await bob.post('reports', { user_id: mo.id, reason: 'spam' })
    await work()
    expect([texts(moChat).length, texts(rootChat).length]).toEqual([1, 1])
    app.clock.now = began + 8 * minutes
    await work()
    expect(texts(moChat)[1]).toBe('Open reports: 3. The oldest has waited for 8 min.')
    expect(texts(rootChat)[1]).toBe('Open reports: 4. The oldest has waited for 8 min.')
    // The delayed reminder covers both.
    app.clock.now += 60 * minutes
    await work()
    expect([texts(moChat).length, texts(rootChat).length]).toEqual([2, 2])
    expect(await app.services.storage.outbox.list('bot', 9)).toEqual([])
    for (const { text } of [...telegram.shown(moChat), ...telegram.shown(rootChat)])
      expect(text).not.toMatch(/secret|spam|Person/)
  })

  test('who have blocked the bot, stopped it or are suspended get no reminder, and do not stop those to others', async () => {
    const { app, telegram, ids, root, work } = await withModerators()
    const [moChat, rootChat] = ids as [number, number, number]
    const [bob, cleo] = [await app.person(), await app.person()]
    telegram.fail('sendMessage', refusal(403, 'Forbidden: bot was blocked by the user'))
    await bob.post('reports', { user_id: cleo.id, reason: 'spam' })
    await work()
    expect(telegram.shown(moChat).length + telegram.shown(rootChat).length).toBe(1)
    expect(await app.services.storage.bot.moderators(app.clock.now)).toHaveLength(1)
    await app.rows("UPDATE bot_permissions SET state = 'granted'")
    await app.rows('UPDATE users SET suspended_until = ? WHERE id = ?', app.clock.now + 60 * minutes, root.id)
    expect(await app.services.storage.bot.moderators(app.clock.now)).toHaveLength(1)
    await app.rows("UPDATE bot_permissions SET state = 'stopped'")
    expect(await app.services.storage.bot.moderators(app.clock.now)).toEqual([])
  })

  test('get a reminder from the transaction of a new report, and none for a repeated one', async () => {
    const { app } = await withModerators()
    const [bob, cleo] = [await app.person(), await app.person()]
    await Promise.all(Array.from({ length: 5 }, () => bob.post('reports', { user_id: cleo.id, reason: 'spam' })))
    expect(await app.services.storage.outbox.list('bot', 9)).toHaveLength(1)
  })
})
