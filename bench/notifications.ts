import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../src/config.ts'
import { anybody } from '../src/features/registration/rules.ts'
import type { Caller } from '../src/features/auth/callers.ts'
import type { Providers } from '../src/features/notifications/providers.ts'
import type { PushSender } from '../src/outbox/push.ts'
import { buildServices } from '../src/services.ts'
import { openStorage } from '../src/storage/open.ts'
import { openLog } from '../src/telemetry/log.ts'
import { answer, children, sendFor, variantOf } from './child.ts'
import { median, percentile } from './load.ts'
import { markdown, number, options, publish } from './report.ts'

const chats = 200
const concurrency = 32
const waiting = 10_000
/** Notifications a second while the time to the provider is taken. */
const pace = 50

/** `without` and `twin`: no provider; how far these two differ is the noise. `nobody`: providers, but nobody has a device. `dead`: 10,000 wait for a provider that is down. */
const variants = ['without', 'twin', 'nobody', 'dead', 'live'] as const
type Variant = (typeof variants)[number]
type Asked = { sendFor: number } | { delays: number }
type Answered = { sent: number; cpuUs: number; rss: number } | { delays: number[] }

const arrived = new Map<string, (at: number) => void>()

const noProviders: Providers = {
  senders: {},
  vapidPublicKey: null,
  botName: async () => null,
  readSubscription: () => ({ problem: 'none' }),
  botMayWriteTo: async () => false,
}

const provider = (variant: Variant): Providers => ({
  ...noProviders,
  senders: {
    fcm: {
      atOnce: 16,
      async show(_, { chat_id }) {
        if (variant === 'dead') {
          await Bun.sleep(5)
          throw new Error('no connection')
        }
        arrived.get(chat_id!)?.(performance.now())
        return null
      },
    } satisfies PushSender<'fcm'>,
  },
})

/** Chats whose members are stored, over a file of SQLite as a server has it. Sends go to the service itself, without HTTP. */
async function open(variant: Variant) {
  const dir = mkdtempSync(join(tmpdir(), 'convene-bench-'))
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
  const config = readConfig({
    DATA_DIR: dir,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'silent',
    NOTIFY_AFTER_S: variant === 'live' ? '0' : '15',
  })
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
    providers: variant === 'without' || variant === 'twin' ? noProviders : provider(variant),
  })
  const at = Date.now()
  const person = async (): Promise<Caller> => {
    const id = Bun.randomUUIDv7()
    const nothing = { phone: null, messenger_id: null, password_hash: null, city: null, bio: null, gender: null }
    await storage.accounts.register(
      {
        id,
        email: `${id}@example.org`,
        name: 'Ada',
        ...nothing,
        photo: null,
        language: 'en',
        created_at: at,
        admission: anybody,
      },
      services.consents.entries(
        id,
        { terms: true, privacy: true, disclaimer: true },
        { address: '', user_agent: null, language: null },
      ),
    )
    const { access_token } = await services.auth.begin(id, { address: '', user_agent: null, language: null })
    return services.callers.byToken(access_token)
  }
  const register = async (caller: Caller, i: number) => {
    const asked = { kind: 'fcm' as const, token: `token-${i}` }
    const client = { address: '', user_agent: null, language: null }
    return (await services.notifications.addChannel(caller, asked, client)).channel.id
  }
  const couples: { sender: Caller; chat: string }[] = []
  for (let i = 0; i < chats; i++) {
    const [sender, other] = [await person(), await person()]
    const { chat } = await services.chats.ensure(sender, other.id)
    if (variant === 'live') await register(other, i)
    couples.push({ sender, chat: chat.id })
  }
  if (variant === 'dead') {
    const owner = await person()
    const channel_id = await register(owner, -1)
    const parcel = (i: number) => ({
      id: `waiting-${i}`,
      kind: 'fcm' as const,
      user_id: owner.id,
      payload: { about: 'test' as const, channel_id },
      created_at: at,
      due_at: at,
    })
    for (let i = 0; i < waiting; i += 500)
      await storage.outbox.add(Array.from({ length: 500 }, (_, j) => parcel(i + j)))
  }
  services.delivery.start()
  return { services, couples }
}

async function serve(variant: Variant) {
  const { services, couples } = await open(variant)
  let n = 0
  async function delays(ms: number): Promise<number[]> {
    const found: number[] = []
    const count = Math.min(Math.floor((ms * pace) / 1000), couples.length)
    for (const { sender, chat } of couples.slice(0, count)) {
      const began = performance.now()
      const shown = new Promise<number>((resolve) => arrived.set(chat, resolve))
      await services.chats.send(sender, chat, { text: 'Coffee at the river?' })
      void shown.then((at) => found.push(at - began))
      await Bun.sleep(1000 / pace)
    }
    await Bun.sleep(1000)
    return found
  }
  async function send() {
    const { sender, chat } = couples[n++ % couples.length]!
    await services.chats.send(sender, chat, { text: 'Coffee at the river?' })
  }
  answer(async (asked: Asked): Promise<Answered> =>
    'sendFor' in asked
      ? { ...(await sendFor(asked.sendFor, concurrency, send)), rss: process.memoryUsage().rss }
      : { delays: await delays(asked.delays) },
  )
}

export async function main() {
  const chosen = options({ seconds: 0.25, rounds: 80 })
  const processes = await children<Variant, Asked, Answered>(import.meta.path, variants)
  const compared = ['without', 'twin', 'nobody', 'dead'] as const
  const perSecond: Record<(typeof compared)[number], number[]> = { without: [], twin: [], nobody: [], dead: [] }
  const cpu: typeof perSecond = { without: [], twin: [], nobody: [], dead: [] }
  const rss: typeof perSecond = { without: [], twin: [], nobody: [], dead: [] }
  for (let round = 0; round <= chosen.rounds; round++)
    // In another order each time, as what runs beside changes slowly.
    for (const variant of round % 2 === 0 ? compared : compared.toReversed()) {
      const answer = await processes[variant].ask({ sendFor: chosen.seconds * 1000 })
      if (round === 0 || !('sent' in answer)) continue
      perSecond[variant].push(answer.sent / chosen.seconds)
      cpu[variant].push(answer.cpuUs)
      rss[variant].push(answer.rss)
    }
  const timed = await processes.live.ask({ delays: 4000 })
  const delays = 'delays' in timed ? timed.delays : []
  for (const one of Object.values(processes)) await one.stop()

  const ratioTo = (variant: 'twin' | 'nobody' | 'dead') =>
    median(perSecond[variant].map((figure, i) => figure / perSecond.without[i]!))
  // What runs beside takes turns of the processor, but not its time.
  const cpuRatio = (variant: 'nobody' | 'dead') => median(cpu.without) / median(cpu[variant])
  const tenth = Math.max(1, Math.ceil(chosen.rounds / 10))
  const row = (name: string, variant: (typeof compared)[number]) => [
    name,
    number(median(perSecond[variant])),
    number(median(cpu[variant])),
    number(median(rss[variant].slice(0, tenth)) / 2 ** 20),
    number(median(rss[variant].slice(-tenth)) / 2 ** 20),
  ]
  const grown = (variant: 'without' | 'dead') =>
    (median(rss[variant].slice(-tenth)) - median(rss[variant].slice(0, tenth))) / 2 ** 20
  const [p50, p99] = [percentile(delays, 0.5), percentile(delays, 0.99)]
  await publish(
    {
      title: 'Notifications: what they cost a send, and how soon they are at the provider',
      tables: [
        markdown(
          ['', 'sends a second', 'processor time of a send, µs', 'MiB at first', 'MiB at last'],
          [
            row('without providers', 'without'),
            row('the same once more', 'twin'),
            row('with providers, nobody has a device', 'nobody'),
            row(`with ${number(waiting)} waiting for a provider that is down`, 'dead'),
          ],
        ),
        `From a send to the provider, ${delays.length} times: p50 ${number(p50)} ms, p99 ${number(p99)} ms.`,
      ],
      findings: [
        { name: 'sends without ÷ without, which is the noise', value: ratioTo('twin'), bound: { atLeast: 0 } },
        { name: 'sends with providers ÷ without', value: ratioTo('nobody'), bound: { atLeast: 0.98 } },
        { name: 'sends with 10,000 waiting ÷ without', value: ratioTo('dead'), bound: { atLeast: 0.98 } },
        {
          name: 'processor time of a send without ÷ with providers',
          value: cpuRatio('nobody'),
          bound: { atLeast: 0.98 },
        },
        {
          name: 'processor time of a send without ÷ with 10,000 waiting',
          value: cpuRatio('dead'),
          bound: { atLeast: 0.98 },
        },
        {
          name: 'MiB more grown with 10,000 waiting than without',
          value: grown('dead') - grown('without'),
          bound: { atMost: 20 },
        },
        {
          name: 'processor time of a send with nothing waiting ÷ with 10,000 waiting',
          value: median(cpu.nobody) / median(cpu.dead),
          bound: { atLeast: 0.98 },
        },
        { name: 'send to provider, p50 ms', value: p50, bound: { atMost: 50 } },
      ],
      pairs: [],
      figures: {
        sends_per_second: perSecond,
        cpu_us: cpu,
        rss_bytes: rss,
        delay_ms: { p50, p99, samples: delays.length },
      },
    },
    chosen,
  )
}

const variant = variantOf(variants)
if (variant) await serve(variant)
else if (import.meta.main) await main()
