import { afterEach, describe, expect, test } from 'bun:test'
import pino from 'pino'
import { openIntake } from '../../src/features/bot/intake.ts'
import { botService } from '../../src/features/bot/service.ts'
import { ids } from '../../src/lib/ids.ts'
import { openJobLeases } from '../../src/lib/job-leases.ts'
import { openTelegram } from '../../src/outbox/telegram/api.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { engines } from '../engines.ts'
import { botToken, telegramServer } from '../telegram.ts'
import { until } from '../until.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const log = pino({ level: 'silent' })

/** One node of a service, whose lease ends soon after it dies. */
function nodeOf(storage: Storage, name: string, telegramUrl: string) {
  const telegram = openTelegram({ token: botToken, apiUrl: telegramUrl, pauseInChatMs: 1 })
  const failed = () => {}
  const permissions = { refused: async () => {} }
  const bot = botService({ store: storage.bot, telegram, permissions, app: null, failed, ids, now: Date.now })
  const pace = { leaseMs: 60_000, lookMs: 20 }
  const received: number[] = []
  const intake = openIntake({
    telegram,
    bot: {
      async receive(update) {
        received.push((update as { update_id: number }).update_id)
        return bot.receive(update)
      },
    },
    leases: openJobLeases({ store: storage.jobLeases, node: name, now: Date.now, pace }),
    store: storage.jobLeases,
    node: name,
    webhook: null,
    log,
    now: Date.now,
    pause: (_, signal) => (signal.aborted ? Promise.resolve() : Bun.sleep(10)),
  })
  closing.push(intake.stop, bot.settled)
  return { intake, received, bot }
}

for (const engine of engines) {
  describe.skipIf(engine.skipped !== null)(engine.skipped ? `${engine.name}, ${engine.skipped}` : engine.name, () => {
    test('of several nodes one polls, and another one when that ends', async () => {
      const telegram = telegramServer()
      closing.push(telegram.close)
      const { storage, another } = await engine.open()
      closing.push(storage.close)
      const storages = [storage]
      // An SQLite file has one server; the leases of this process are shared by these three all the same.
      for (let i = 0; i < 2; i++) storages.push(engine.name === 'SQLite' ? storage : await another())
      const nodes = storages.map((storage, i) => nodeOf(storage, `node-${i}`, telegram.url))
      for (const { intake } of nodes) intake.start()
      await telegram.until(telegram.isPolled)
      telegram.give(telegram.update(11, { text: '/start' }), telegram.update(12, { text: '/start' }))
      await telegram.until(() => telegram.shown(11).length + telegram.shown(12).length === 2)
      const first = nodes.filter(({ received }) => received.length > 0)
      expect(first.map(({ received }) => received.length)).toEqual([2])
      await first[0]!.intake.stop()
      telegram.give(telegram.update(13, { text: '/start' }))
      await telegram.until(() => telegram.shown(13).length === 1)
      expect(nodes.filter(({ received }) => received.includes(103))).toHaveLength(1)
      expect(telegram.mostPollers()).toBe(1)
      expect(telegram.calls.filter(({ method }) => method === 'sendMessage')).toHaveLength(3)
    })

    test('a node that has lost its lease stops polling', async () => {
      const telegram = telegramServer()
      closing.push(telegram.close)
      const { storage } = await engine.open()
      closing.push(storage.close)
      const { intake, received } = nodeOf(storage, 'node-a', telegram.url)
      intake.start()
      await telegram.until(telegram.isPolled)
      const taken = (await storage.jobLeases.last('messenger-bot'))!
      const elsewhere = { ...taken, holder: 'node-b', until: Date.now() + 50_000 }
      expect(await storage.jobLeases.replace('messenger-bot', taken, elsewhere)).toBe(true)
      telegram.give(telegram.update(11, { text: '/start' }))
      await until(() => received.length === 1, 'it has what it had asked for')
      const polls = () => telegram.calls.filter(({ method }) => method === 'getUpdates').length
      const before = polls()
      await storage.jobLeases.last('messenger-bot')
      telegram.give(telegram.update(12, { text: '/start' }))
      await telegram.until(() => telegram.shown(11).length === 1)
      expect([polls(), received]).toEqual([before, [101]])
    })

    test('updates that were remembered long enough go', async () => {
      const { storage } = await engine.open()
      closing.push(storage.close)
      const update = { messenger_id: '5', language: 'en', cause: 'start', start_param: null } as const
      for (let i = 0; i < 5; i++) await storage.bot.apply({ ...update, update_id: i }, i)
      expect(await storage.bot.removeUpdates(3, 2)).toBe(2)
      expect(await storage.bot.removeUpdates(3, 2)).toBe(1)
      const again = [0, 3, 4].map((update_id) => storage.bot.apply({ ...update, update_id }, 9))
      expect(await Promise.all(again)).toEqual([{ account: false }, 'repeated', 'repeated'])
    })
  })
}
