import { afterEach, describe, expect, test } from 'bun:test'
import pino from 'pino'
import { type Carrier, TryLater, Undeliverable } from '../../src/outbox/carrier.ts'
import { openDelivery } from '../../src/outbox/delivery.ts'
import type { NewParcel } from '../../src/outbox/store.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { type Engine, engines } from '../engines.ts'
import { until } from '../until.ts'

const open: Storage[] = []
afterEach(async () => {
  for (const storage of open.splice(0)) await storage.close()
})

const at = Date.UTC(2026, 10, 22, 12)
const log = pino({ level: 'silent' })

async function fresh(engine: Engine) {
  const { storage } = await engine.open()
  open.push(storage)
  return storage
}

const parcel = (id: string, given: Partial<NewParcel<'mail'>> = {}): NewParcel<'mail'> => ({
  id,
  kind: 'mail',
  user_id: null,
  payload: { to: `${id}@example.org`, language: 'en', about: 'password_changed' },
  created_at: at,
  due_at: at,
  ...given,
})

/** A node whose deliveries do what `deliver` says. */
function node(storage: Storage, name: string, clock: { now: number }, deliver: Carrier<'mail'>['deliver']) {
  const outcomes: string[] = []
  const delivery = openDelivery({
    store: storage.outbox,
    carriers: { mail: { atOnce: 4, patienceMs: 24 * 3_600_000, deliver } },
    node: name,
    log,
    onOutcome: (_, outcome) => void outcomes.push(outcome),
    now: () => clock.now,
    random: () => 1,
  })
  return {
    outcomes,
    async work() {
      delivery.wake('mail')
      await delivery.idle()
    },
  }
}

for (const engine of engines) {
  describe.skipIf(engine.skipped !== null)(engine.skipped ? `${engine.name}, ${engine.skipped}` : engine.name, () => {
    test('what was added is delivered once, however many nodes look for it', async () => {
      const storage = await fresh(engine)
      await storage.outbox.add(Array.from({ length: 40 }, (_, i) => parcel(`p${i}`)))
      const delivered: string[] = []
      const deliver = async ({ id }: { id: string }) => {
        delivered.push(id)
        await Bun.sleep(1)
      }
      const nodes = ['a', 'b', 'c'].map((name) => node(storage, name, { now: at }, deliver))
      await Promise.all(nodes.map((one) => one.work()))
      expect(delivered.toSorted()).toEqual(Array.from({ length: 40 }, (_, i) => `p${i}`).toSorted())
      expect(await storage.outbox.waiting()).toEqual([])
    })

    test('a payload comes out as it went in, and nothing is taken before it is due', async () => {
      const storage = await fresh(engine)
      const later = parcel('later', {
        due_at: at + 1000,
        payload: { ...parcel('x').payload, to: 'ü"\\\n@example.org' },
      })
      await storage.outbox.add([later])
      expect(await storage.outbox.lease('mail', 'a', at + 999, at + 2000, 10)).toEqual([])
      const [taken] = await storage.outbox.lease('mail', 'a', at + 1000, at + 2000, 10)
      expect(taken).toMatchObject({ id: 'later', kind: 'mail', payload: later.payload, attempts: 0, last_error: null })
    })

    test('a failure is tried again after a pause that doubles, and given up after a day', async () => {
      const storage = await fresh(engine)
      const clock = { now: at }
      await storage.outbox.add([parcel('p')])
      const times: number[] = []
      const { work, outcomes } = node(storage, 'a', clock, async () => {
        times.push(clock.now - at)
        throw new Error('no connection (ECONNREFUSED)')
      })
      for (; clock.now < at + 25 * 3_600_000; clock.now += 1000) {
        const [next] = await storage.outbox.list(null, 1)
        if (!next) break
        clock.now = Math.max(clock.now, next.due_at)
        await work()
      }
      expect(times.slice(0, 4)).toEqual([0, 6000, 17_000, 38_000])
      expect(times.at(-1)).toBeLessThanOrEqual(24 * 3_600_000)
      expect(times.at(-1)).toBeGreaterThan(22 * 3_600_000)
      expect(outcomes.at(-1)).toBe('given_up')
      expect(outcomes.filter((outcome) => outcome === 'failed')).toHaveLength(times.length - 1)
      expect(await storage.outbox.list(null, 10)).toEqual([])
    })

    test('a refusal is final, and a receiver that names a time is obeyed', async () => {
      const storage = await fresh(engine)
      const clock = { now: at }
      await storage.outbox.add([parcel('refused'), parcel('later')])
      const { work, outcomes } = node(storage, 'a', clock, async ({ id }) => {
        if (id === 'refused') throw new Undeliverable('the mail server refused the recipient (550)')
        if (clock.now < at + 90_000) throw new TryLater('slow down', 90_000)
      })
      await work()
      expect(outcomes.toSorted()).toEqual(['failed', 'given_up'])
      const [left] = await storage.outbox.list(null, 10)
      expect(left).toMatchObject({ id: 'later', attempts: 1, due_at: at + 90_000, last_error: 'slow down' })
      clock.now += 90_000
      await work()
      expect(outcomes.at(-1)).toBe('sent')
      expect(await storage.outbox.list(null, 10)).toEqual([])
    })

    test('a receiver that asks all to wait is asked nothing else until then', async () => {
      const storage = await fresh(engine)
      const clock = { now: at }
      await storage.outbox.add(Array.from({ length: 20 }, (_, i) => parcel(`p${i}`, { created_at: at + i })))
      const asked: string[] = []
      const { work, outcomes } = node(storage, 'a', clock, async ({ id }) => {
        asked.push(id)
        if (clock.now < at + 90_000) throw new TryLater('slow down', 90_000, true)
      })
      await work()
      // Those that were on their way with the first.
      expect(asked.length).toBeLessThanOrEqual(4)
      asked.length = 0
      await storage.outbox.add([parcel('new')])
      clock.now += 89_999
      await work()
      expect(asked).toEqual([])
      clock.now += 1
      await work()
      expect(new Set(asked).size).toBe(21)
      expect(outcomes.filter((outcome) => outcome === 'sent')).toHaveLength(21)
    })

    test('what is being delivered is not taken again if the clock jumps ahead', async () => {
      const storage = await fresh(engine)
      const clock = { now: at }
      await storage.outbox.add([parcel('p'), parcel('later', { due_at: at + 60_000 })])
      const answer = Promise.withResolvers<void>()
      const begun: string[] = []
      const { work } = node(storage, 'a', clock, ({ id }) => {
        begun.push(id)
        return id === 'p' ? answer.promise : Promise.resolve()
      })
      const first = work()
      await until(() => begun.length === 1, 'the first is under way')
      clock.now += 3 * 3_600_000
      const second = work()
      await until(() => begun.length === 2, 'the second is under way')
      answer.resolve()
      await Promise.all([first, second])
      expect(begun).toEqual(['p', 'later'])
      expect(await storage.outbox.list(null, 10)).toEqual([])
    })

    test('what was delivered while the database went away is not delivered again', async () => {
      const storage = await fresh(engine)
      const clock = { now: at }
      const { outbox } = storage
      const { remove } = outbox
      let refusals = 0
      await outbox.add([parcel('p')])
      let delivered = 0
      const { work, outcomes } = node(storage, 'a', clock, async () => {
        delivered++
        outbox.remove = async (...given) => {
          if (refusals++ > 0) return remove(...given)
          clock.now += 3 * 60_000
          throw new Refusal('busy', 'The database cannot be reached.')
        }
      })
      await Promise.all([work(), until(() => refusals === 1, 'the database is away').then(work)])
      expect({ delivered, refusals, outcomes }).toEqual({ delivered: 1, refusals: 2, outcomes: ['sent'] })
      expect(await outbox.list(null, 10)).toEqual([])
    })

    test('what a node had taken when it died is delivered by another one after its lease', async () => {
      const storage = await fresh(engine)
      const clock = { now: at }
      await storage.outbox.add([parcel('p')])
      expect(await storage.outbox.lease('mail', 'dead', at, at + 120_000, 10)).toHaveLength(1)
      let delivered = 0
      const { work } = node(storage, 'b', clock, async () => void delivered++)
      await work()
      expect(delivered).toBe(0)
      clock.now += 120_000
      await work()
      expect(delivered).toBe(1)
      // The dead one comes back, and what it says no longer counts.
      await storage.outbox.postpone('p', 'dead', at, 'late')
      expect(await storage.outbox.list(null, 10)).toEqual([])
    })

    test('a node that was taken for dead removes nothing that another one has or that waits again', async () => {
      const { outbox } = await fresh(engine)
      await outbox.add([parcel('p')])
      await outbox.lease('mail', 'slow', at, at + 10, 10)
      await outbox.lease('mail', 'other', at + 10, at + 900, 10)
      await outbox.remove('p', 'slow')
      await outbox.postpone('p', 'other', at + 20, 'no answer')
      await outbox.remove('p', 'slow')
      expect(await outbox.list(null, 10)).toMatchObject([{ id: 'p', attempts: 1 }])
      // A lease that has ended counts as long as nobody else has one.
      await outbox.lease('mail', 'other', at + 20, at + 30, 10)
      await outbox.remove('p', 'other')
      expect(await outbox.list(null, 10)).toEqual([])
    })

    test('what nothing delivers is given up after the patience of its kind', async () => {
      const storage = await fresh(engine)
      const clock = { now: at }
      const dayMs = 24 * 3_600_000
      const webhook: NewParcel<'webhook'> = {
        ...{ id: 'w', kind: 'webhook', user_id: null, created_at: at, due_at: at, ordered_by: 'ada' },
        payload: { about: 'user.erased', data: { user_id: 'ada' } },
      }
      const decision: NewParcel<'decision'> = {
        ...{ id: 'd', kind: 'decision', user_id: null, created_at: at, due_at: at + 9 * dayMs },
        payload: { about: 'decision', report_id: 'r', pending_id: 'p' },
      }
      const notification: NewParcel<'notification'> = {
        ...{ id: 'n', kind: 'notification', user_id: null, created_at: at, due_at: at },
        payload: { about: 'report' },
      }
      await storage.outbox.add([parcel('m'), webhook, decision, notification])
      const outcomes: string[] = []
      const delivery = openDelivery({
        store: storage.outbox,
        // Of the kinds, this one has a way out. It gives up by itself.
        carriers: { notification: { atOnce: 1, patienceMs: dayMs, deliver: async () => {} } },
        ...{ node: 'a', log, now: () => clock.now },
        onOutcome: (kind, outcome) => void outcomes.push(`${kind} ${outcome}`),
      })
      const left = async () => (await storage.outbox.list(null, 10)).map(({ id }) => id).toSorted()
      clock.now = at + dayMs
      expect(await delivery.giveUpUndeliverable()).toBe(0)
      clock.now++
      expect(await delivery.giveUpUndeliverable()).toBe(1)
      expect(await left()).toEqual(['d', 'n', 'w'])
      clock.now = at + 3 * dayMs + 1
      expect(await delivery.giveUpUndeliverable()).toBe(1)
      clock.now = at + 30 * dayMs
      expect(await delivery.giveUpUndeliverable()).toBe(0)
      expect(await left()).toEqual(['d', 'n'])
      expect(outcomes).toEqual(['mail given_up', 'webhook given_up'])
    })

    test('an operator lists, retries and drops what waits', async () => {
      const storage = await fresh(engine)
      await storage.outbox.add([
        parcel('a', { due_at: at + 1000 }),
        parcel('b', { created_at: at + 1, due_at: at + 1000 }),
        parcel('c', { created_at: at + 2, due_at: at + 1000 }),
      ])
      expect(await storage.outbox.waiting()).toEqual([{ kind: 'mail', count: 3, oldest: at }])
      expect((await storage.outbox.list('mail', 2)).map(({ id }) => id)).toEqual(['a', 'b'])
      expect(await storage.outbox.retry({ id: 'b' }, at)).toBe(1)
      expect((await storage.outbox.lease('mail', 'n', at, at + 9, 10)).map(({ id }) => id)).toEqual(['b'])
      expect(await storage.outbox.drop({ id: 'a' })).toBe(1)
      expect(await storage.outbox.drop({ id: 'a' })).toBe(0)
      // One of the two is on its way.
      expect(await storage.outbox.retry({ kind: 'mail' }, at)).toBe(1)
      expect(await storage.outbox.drop({ kind: 'mail' })).toBe(2)
    })
  })
}
