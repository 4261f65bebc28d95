/** `bun run demo notifications`: two people whose apps are closed, and what their devices show. */
import { sign } from '@tma.js/init-data-node'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from './convene.ts'
import { pushService, userAgent } from './push-service.ts'
import { botToken, telegramServer } from './telegram.ts'
import { until } from './until.ts'

type Json = Record<string, any>
type Person = { name: string; id: string; token: string }

const consents = { terms: true, privacy: true, disclaimer: true }
const messengerId = 42
let chapters = 0
const chapter = (title: string) => console.log(`\n${++chapters}. ${title}`)
const print = (text: string) => console.log(`   ${text}`)

async function request(base: URL, method: string, path: string, body?: Json, person?: Person, expected = [200, 299]) {
  const answer = await fetch(new URL(`/api/v1/${path}`, base), {
    method,
    headers: { ...(person && { authorization: `Bearer ${person.token}` }), 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  const text = await answer.text()
  const said = body?.text === undefined ? '' : ` “${body.text}”`
  const shown = path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
  if (person) print(`${person.name} → ${method} /api/v1/${shown}${said}  ${answer.status}`)
  if (answer.status < expected[0]! || answer.status > expected[1]!) throw new Error(`${answer.status} ${text}`)
  return text === '' ? {} : JSON.parse(text)
}

async function tell(
  base: URL,
  service: Awaited<ReturnType<typeof pushService>>,
  bot: ReturnType<typeof telegramServer>,
) {
  const call = (person: Person, method: string, path: string, body?: Json) => request(base, method, path, body, person)
  const browser = userAgent()
  const got = { push: [] as string[], bot: [] as string[] }

  /** The outcomes of notifications and channels, as the metrics count them. */
  async function outcomes(kinds: string, outcome: string): Promise<number> {
    const text = await (await fetch(new URL('/metrics', base))).text()
    const line = new RegExp(
      `^convene_outbox_deliveries_total\\{kind="(?:${kinds})",outcome="${outcome}"\\} (\\d+)`,
      'gm',
    )
    return [...text.matchAll(line)].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  const decided = () => outcomes('notification|webpush|telegram', 'withheld')

  /** Waits until the server has decided to send nothing. */
  async function nothingAfter(what: () => Promise<unknown>, why: string) {
    const before = await decided()
    const [pushes, calls] = [service.pushed.length, bot.calls.length]
    await what()
    await until(async () => (await decided()) > before, 'the server decides')
    const sent = bot.calls.slice(calls).filter(({ method }) => /Message/.test(method)).length
    if (service.pushed.length > pushes || sent > 0) throw new Error('a device was told')
    print(`· nothing is sent: ${why}`)
  }

  const note = (channel: keyof typeof got, text: string) => {
    got[channel].push(text)
    print(`${channel === 'push' ? 'Ada’s browser' : 'Bob’s bot    '} ← ${text}`)
  }
  async function pushed(what: () => Promise<unknown>) {
    const before = service.pushed.length
    await what()
    await until(() => service.pushed.length > before, 'the push service has it')
    const { title, body, tag, unread } = JSON.parse(browser.decrypt(service.pushed.at(-1)!.body))
    note('push', `${title}: “${body}” (unread: ${unread}, tag ${tag.replace(/_.*/, '_…')})`)
  }
  async function botCalled(method: string, what: () => Promise<unknown>) {
    const count = () => bot.calls.filter((one) => one.method === method).length
    const before = count()
    await what()
    await until(() => count() > before, `the bot calls ${method}`)
    const [shown] = bot.shown(messengerId)
    const link = shown?.button?.url.replace(/_[0-9a-f-]{36}/, '_…')
    note(
      'bot',
      method === 'deleteMessage'
        ? 'the message is taken back'
        : `${method}: “${shown?.text.replace('\n', ': ')}” [${link}]`,
    )
  }

  chapter('Ada signs in with her browser, Bob from the messenger, where he lets the bot write')
  const made = await request(base, 'POST', 'auth/register', {
    ...{ email: 'ada@example.org', password: 'twelve green bottles', name: 'Ada', consents },
  })
  const user = { id: messengerId, first_name: 'Bob', allows_write_to_pm: true }
  const login = await request(base, 'POST', 'auth/messenger', {
    init_data: sign({ user } as never, botToken, new Date()),
  })
  const ada: Person = { name: 'Ada', id: made.user.id, token: made.access_token }
  const bob: Person = { name: 'Bob', id: login.user.id, token: login.access_token }
  await call(bob, 'POST', 'auth/consents', { consents })
  const endpoint = `https://localhost:${service.port}/ada`
  await call(ada, 'POST', 'me/channels', { kind: 'webpush', subscription: { endpoint, keys: browser.keys } })
  await call(bob, 'POST', 'me/channels', { kind: 'telegram' })

  chapter('Both apps are closed. Ada opens a chat and writes')
  const chat = { id: '' }
  await botCalled('sendMessage', async () => (chat.id = (await call(ada, 'POST', 'chats', { user_id: bob.id })).id))
  const send = (person: Person, text: string) => call(person, 'POST', `chats/${chat.id}/messages`, { text })
  await botCalled('editMessageText', () => send(ada, 'Coffee at the river?'))

  chapter('Bob reads it in the app: the bot’s message goes. He answers')
  await botCalled('deleteMessage', () => call(bob, 'PUT', `chats/${chat.id}/read`))
  await pushed(() => send(bob, 'At five.'))

  chapter('Ada reads it on her other device')
  await nothingAfter(
    () => call(ada, 'PUT', `chats/${chat.id}/read`),
    'a push cannot take back; the page closes it when it is open',
  )

  chapter('Ada wants to see texts, and gets the next message')
  await call(ada, 'PUT', 'me/notifications', { preview: 'full' })
  await pushed(() => send(bob, 'The blue bench.'))

  chapter('Ada mutes the chat')
  await call(ada, 'PUT', `chats/${chat.id}/mute`, { until: 'forever' })
  await nothingAfter(() => send(bob, 'Are you there?'), 'the chat is muted')

  chapter('Ada writes once more, and then blocks Bob: his device forgets it')
  await botCalled('sendMessage', () => send(ada, 'I am not coming.'))
  await botCalled('deleteMessage', () => call(ada, 'POST', 'blocks', { user_id: bob.id }))
  await request(base, 'POST', `chats/${chat.id}/messages`, { text: 'Why?' }, bob, [403, 403])

  chapter('What each channel got')
  for (const [channel, all] of Object.entries(got)) {
    print(channel === 'push' ? 'Web Push, Ada:' : 'The bot, Bob:')
    all.forEach((text, i) => print(`  ${i + 1}. ${text}`))
  }
  if (bot.shown(messengerId).length > 0) throw new Error('the chat with the bot still shows something')
}

export async function demoNotifications() {
  const dataDir = mkdtempSync(join(tmpdir(), 'convene-demo-'))
  const service = await pushService()
  const bot = telegramServer()
  try {
    const ca = join(dataDir, 'push-service.pem')
    await Bun.write(ca, service.ca)
    const server = await startServer({
      DATA_DIR: join(dataDir, 'data'),
      NOTIFY_AFTER_S: '0',
      MESSENGER_BOT_TOKEN: botToken,
      MESSENGER_BOT: 'on',
      MESSENGER_APP: 'meet',
      MESSENGER_API_URL: bot.url,
      OUTBOUND_ALLOW: `127.0.0.1:${service.port}`,
      NODE_EXTRA_CA_CERTS: ca,
    })
    try {
      console.log(`A server runs at ${server.base.origin}, with a push service and a Bot API of the tests.`)
      await tell(server.base, service, bot)
    } finally {
      await server.end()
    }
  } finally {
    service.stop()
    await bot.close()
    rmSync(dataDir, { recursive: true })
  }
}
