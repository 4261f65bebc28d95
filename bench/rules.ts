import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { operator } from '../src/features/moderation/moderators.ts'
import { anybody } from '../src/features/registration/rules.ts'
import { buildServices } from '../src/services.ts'
import { openStorage } from '../src/storage/open.ts'
import { recordOf } from '../src/lib/record.ts'
import { openLog } from '../src/telemetry/log.ts'
import { answer, children, sendFor, variantOf } from './child.ts'
import { median } from './load.ts'
import { painting, pngOf, uploadOf } from '../test/pictures.ts'
import { text } from './ours.ts'
import { markdown, number, options, publish } from './report.ts'

const chats = 200
const concurrency = 32
const client = { address: '', user_agent: null, language: null }

const variants = ['without', 'rules'] as const
type Variant = (typeof variants)[number]
type Answered = { sent: number; cpuUs: number }
/** Texts; photos that are uploaded already; or photos with their upload. */
const loads = ['text', 'photo', 'upload'] as const
type Load = (typeof loads)[number]
type Asked = { ms: number; load: Load }

const rule = { on: true, applies_to: ['message' as const], action: 'flag' as const }
/** 1,000 words and 100 patterns, none of which the messages have. */
const rules = [
  {
    ...rule,
    name: 'words',
    match: { type: 'words' as const, words: Array.from({ length: 1000 }, (_, i) => `bad${i.toString(36)}word`) },
  },
  ...Array.from({ length: 100 }, (_, i) => ({
    ...rule,
    name: `pattern ${i}`,
    match: { type: 'pattern' as const, pattern: `(send|wire|pay)\\s+(me|us)\\s+\\d+\\s*(usd|eur|btc)${i}` },
  })),
]

const hashes = Array.from({ length: 10_000 }, (_, i) => ({
  hash: new Bun.CryptoHasher('sha256').update(`${i}`).digest('hex'),
  distance: null,
  reason: 'a scam',
}))

const pictures = Array.from({ length: 8 }, (_, i) => pngOf(painting(i + 1), 640, 480))

/** Requests go to the app itself, without a connection, over a file of SQLite as a server has it. */
async function serve(variant: Variant) {
  const dir = mkdtempSync(join(tmpdir(), 'convene-bench-'))
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
  const config = readConfig({ DATA_DIR: dir, RATE_LIMIT: 'off', LOG_LEVEL: 'silent' })
  const { storage } = await openStorage(config.database, {
    onFatal(error) {
      throw error
    },
  })
  const services = buildServices({
    config,
    secrets: { jwt: new Uint8Array(32).fill(1), location: new Uint8Array(32).fill(2) },
    storage,
    log: openLog(config),
  })
  const app = buildApp(services)
  if (variant === 'rules') {
    await services.filter.replaceAll(operator, rules)
    await services.imageBank.addAll(operator, hashes)
  }
  const person = async () => {
    const id = Bun.randomUUIDv7()
    const nothing = { phone: null, messenger_id: null, password_hash: null, city: null, bio: null, gender: null }
    const account = { id, email: `${id}@example.org`, name: 'Ada', ...nothing, photo: null, language: 'en' }
    await storage.accounts.register(
      { ...account, created_at: Date.now(), admission: anybody },
      services.consents.entries(id, { terms: true, privacy: true, disclaimer: true }, client),
    )
    const { access_token } = await services.auth.begin(id, client)
    return { id, token: access_token, caller: await services.callers.byToken(access_token) }
  }
  async function post(path: string, token: string, body: object | FormData): Promise<{ id: string }> {
    const isForm = body instanceof FormData
    const answer = await app.handle(
      new Request(`http://localhost/api/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, ...(!isForm && { 'content-type': 'application/json' }) },
        body: isForm ? body : JSON.stringify(body),
      }),
    )
    if (answer.status !== 201) throw new Error(`${path} was answered ${answer.status}`)
    return (await answer.json()) as { id: string }
  }
  const upload = (token: string, i: number) => post('media', token, uploadOf(pictures[i % pictures.length]!))
  const couples: { token: string; chat: string; photo: string }[] = []
  for (let i = 0; i < chats; i++) {
    const [sender, other] = [await person(), await person()]
    const { chat } = await services.chats.ensure(sender.caller, other.id)
    couples.push({ token: sender.token, chat: chat.id, photo: (await upload(sender.token, i)).id })
  }
  let n = 0
  async function send(load: Load): Promise<void> {
    const { token, chat, photo } = couples[n++ % couples.length]!
    const content =
      load === 'text'
        ? { text: text(n % 97, n) }
        : { kind: 'photo', photo: load === 'photo' ? photo : (await upload(token, n)).id }
    await post(`chats/${chat}/messages`, token, content)
  }
  answer(({ ms, load }: Asked) => sendFor(ms, concurrency, () => send(load)))
}

export async function main() {
  const chosen = options({ seconds: 1, rounds: 20 })
  const processes = await children<Variant, Asked, Answered>(import.meta.path, variants)
  // There are few uploads in a second.
  const secondsOf = (load: Load) => (load === 'upload' ? 3 : 1) * chosen.seconds
  const figures = recordOf(loads, (): Record<Variant, Answered[]> => ({ without: [], rules: [] }))
  for (const load of loads)
    for (let round = 0; round <= chosen.rounds; round++)
      // In another order each time, as what runs beside changes slowly.
      for (const variant of round % 2 === 0 ? variants : variants.toReversed()) {
        const answer = await processes[variant].ask({ ms: secondsOf(load) * 1000, load })
        if (round > 0) figures[load][variant].push(answer)
      }
  for (const one of Object.values(processes)) await one.stop()
  const perSecond = (load: Load, variant: Variant) =>
    median(figures[load][variant].map(({ sent }) => sent / secondsOf(load)))
  const cpu = (load: Load, variant: Variant) => median(figures[load][variant].map(({ cpuUs }) => cpuUs))
  const rows = loads.flatMap((load) =>
    variants.map((variant) => [
      `${named[load]}, ${variant === 'rules' ? 'with rules and banned images' : 'without'}`,
      number(perSecond(load, variant)),
      number(cpu(load, variant)),
    ]),
  )
  await publish(
    {
      title: 'Rules: what 1,000 words, 100 patterns and 10,000 hashes of images cost a send',
      tables: [markdown(['', 'sends a second', 'processor time of a send, µs'], rows)],
      findings: loads.flatMap((load) => [
        {
          name: `${named[load]}: sends with rules ÷ without`,
          value: median(figures[load].rules.map(({ sent }, i) => sent / (figures[load].without[i]?.sent ?? sent))),
          bound: { atLeast: 0.95 },
        },
        // What runs beside takes turns of the processor, but not its time.
        {
          name: `${named[load]}: processor time of a send without ÷ with rules`,
          value: cpu(load, 'without') / cpu(load, 'rules'),
          bound: { atLeast: 0.95 },
        },
      ]),
      pairs: [],
      figures,
    },
    chosen,
  )
}

const named: Record<Load, string> = {
  text: 'a text',
  photo: 'a photo that is uploaded',
  upload: 'a photo with its upload',
}

const variant = variantOf(variants)
if (import.meta.main && variant) await serve(variant)
