import { afterEach, describe, expect, test } from 'bun:test'
import { isDeepStrictEqual } from 'node:util'
import pino from 'pino'
import { type Carrier, TryLater, Undeliverable } from '../../src/outbox/carrier.ts'
import { openDelivery } from '../../src/outbox/delivery.ts'
import type { NewParcel } from '../../src/outbox/store.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { type Engine, engines } from '../engines.ts'
import { until } from '../until.ts'

const open: Storage[] = []
afterEach(async () => {
  for (const storage of open.splice(0)) await storage.close()
})

const at = Date.UTC(2026, 10, 22, 12)

async function fresh(engine: Engine) {
  const { storage } = await engine.open()
  open.push(storage)
  return storage
}

const parcel = (id: string, given: Partial<NewParcel<'webpush'>> = {}): NewParcel<'webpush'> => ({
  id,
  kind: 'webpush',
  user_id: null,
  payload: { about: 'test', channel_id: id },
  created_at: at,
  due_at: at,
  ...given,
})

function node(
  storage: Storage,
  clock: { now: number },
  deliver: Carrier<'webpush'>['deliver'],
  perLane = 2,
  atOnce = 4,
) {
  const outcomes: Record<string, number> = {}
  const delivery = openDelivery({
    store: storage.outbox,
    carriers: { webpush: { atOnce, perLane, patienceMs: 24 * 3_600_000, deliver } },
    node: crypto.randomUUID(),
    log: pino({ level: 'silent' }),
    onOutcome: (_, outcome) => void (outcomes[outcome] = (outcomes[outcome] ?? 0) + 1),
    now: () => clock.now,
    random: () => 1,
  })
  return {
    delivery,
    outcomes,
    async work() {
      delivery.wake('webpush')
      await delivery.idle()
    },
  }
}

for (const engine of engines)
  describe.skipIf(engine.skipped !== null)(engine.skipped ? `${engine.name}, ${engine.skipped}` : engine.name, () => {
    test('one parcel waits for a slot, due when the earlier one is', async () => {
      const { outbox } = await fresh(engine)
      await outbox.add([parcel('a', { slot: 's', due_at: at + 100 })])
      await outbox.add([parcel('b', { slot: 's', due_at: at + 50 }), parcel('c', { slot: 't', due_at: at + 50 })])
      await outbox.add([parcel('d', { slot: 's', due_at: at + 500 })])
      expect((await outbox.lease('webpush', 'n', at + 49, at + 900, 9)).length).toBe(0)
      expect((await outbox.lease('webpush', 'n', at + 50, at + 900, 9)).map(({ id }) => id).toSorted()).toEqual([
        'a',
        'c',
      ])
    })

    test('a slot that is asked for while it is delivered is due once more', async () => {
      const { outbox } = await fresh(engine)
      await outbox.add([parcel('a', { slot: 's' })])
      await outbox.lease('webpush', 'n', at, at + 900, 9)
      await outbox.add([parcel('b', { slot: 's', due_at: at + 20 })])
      await outbox.add([parcel('c', { slot: 's', due_at: at + 30 })])
      await outbox.remove('a', 'n')
      expect(await outbox.lease('webpush', 'n', at + 19, at + 900, 9)).toEqual([])
      expect(await outbox.lease('webpush', 'n', at + 20, at + 900, 9)).toMatchObject([{ id: 'a', attempts: 0 }])
      await outbox.remove('a', 'n')
      expect(await outbox.waiting()).toEqual([])
    })

    test('a slot that is asked for again after a failure is retried for a day from then', async () => {
      const { hours, minutes } = { hours: 3_600_000, minutes: 60_000 }
      for (const asksWhileDelivered of [false, true]) {
        const storage = await fresh(engine)
        const clock = { now: at }
        const ask = () => storage.outbox.add([parcel(`m${clock.now}`, { slot: 's', created_at: clock.now })])
        const again = at + 24 * hours - 10 * minutes
        let isDown = true
        const delivered: number[] = []
        const { work, outcomes } = node(storage, clock, async () => {
          if (asksWhileDelivered && clock.now === again) await ask()
          if (isDown) throw new Error('down')
          delivered.push(clock.now)
        })
        await ask()
        await work()
        clock.now = again
        if (asksWhileDelivered) await work()
        else await ask()
        clock.now = at + 24 * hours + 5 * minutes
        await work()
        expect(outcomes).toEqual({ failed: asksWhileDelivered ? 3 : 2 })
        isDown = false
        clock.now += hours
        await work()
        expect([delivered, outcomes.given_up]).toEqual([[clock.now], undefined])
      }
    })

    test('of many who ask for a slot while it is delivered again and again, the last one is delivered after asking', async () => {
      const storage = await fresh(engine)
      let asked = 0
      let seen = 0
      const clock = { now: at }
      const nodes = [1, 2].map(() =>
        node(storage, clock, async () => {
          const found = asked
          await Bun.sleep(1)
          seen = Math.max(seen, found)
        }),
      )
      const asking = (async () => {
        for (let i = 1; i <= 60; i++) {
          asked = i
          await storage.outbox.add([parcel(`p${i}`, { slot: 's' })])
          for (const { delivery } of nodes) delivery.wake('webpush')
        }
      })()
      await asking
      for (let i = 0; i < 3; i++) await Promise.all(nodes.map(({ work }) => work()))
      expect(seen).toBe(60)
      expect(await storage.outbox.waiting()).toEqual([])
    })

    test('what follows from a parcel takes its place in one step, for the node that has it', async () => {
      const { outbox } = await fresh(engine)
      await outbox.add([parcel('a')])
      await outbox.lease('webpush', 'one', at, at + 10, 9)
      await outbox.lease('webpush', 'two', at + 10, at + 900, 9)
      expect(await outbox.replace('a', 'one', [parcel('x')])).toBe(false)
      expect(await outbox.replace('a', 'two', [parcel('y'), parcel('z')])).toBe(true)
      expect(await outbox.replace('a', 'two', [parcel('w')])).toBe(false)
      expect((await outbox.list('webpush', 9)).map(({ id }) => id)).toEqual(['y', 'z'])
    })

    test('a provider that hangs leaves room for the others, and one that is down is asked by one parcel now and then', async () => {
      const storage = await fresh(engine)
      const clock = { now: at }
      const hangs = Promise.withResolvers<void>()
      const delivered: string[] = []
      let asks = 0
      const { work, delivery, outcomes } = node(storage, clock, async ({ id, lane }) => {
        if (lane === 'dead') {
          asks++
          await hangs.promise
          throw new Error('no answer')
        }
        delivered.push(id)
      })
      await storage.outbox.add(Array.from({ length: 300 }, (_, i) => parcel(`dead-${i}`, { lane: 'dead' })))
      await storage.outbox.add([1, 2, 3].map((i) => parcel(`live-${i}`, { lane: 'live', due_at: at + 1 })))
      clock.now += 10
      delivery.wake('webpush')
      while (delivered.length < 3) await Bun.sleep(1)
      expect(asks).toBe(2)
      hangs.resolve()
      await delivery.idle()
      // Closed after five failures in a row, of which two were on their way at once.
      expect(asks).toBeGreaterThanOrEqual(5)
      expect(asks).toBeLessThanOrEqual(6)
      const tried = asks
      await work()
      expect(asks).toBe(tried)
      // Then by one, each time after a longer pause: some two dozen times in an hour, not thousands.
      for (let i = 0; i < 360; i++) {
        clock.now += 10_000
        await work()
      }
      expect(asks).toBeGreaterThan(tried + 20)
      expect(asks).toBeLessThan(tried + 120)
      await storage.outbox.add([parcel('live-4', { lane: 'live' })])
      await work()
      expect(delivered).toContain('live-4')
      expect(outcomes.given_up).toBeUndefined()
      // After their time they are given up, whether they were tried or not.
      clock.now += 25 * 3_600_000
      await work()
      expect(await storage.outbox.waiting()).toEqual([])
      expect(outcomes.given_up).toBe(300)
    })

    test('lanes that users have named share the places of one, and none of them keeps the others waiting', async () => {
      const storage = await fresh(engine)
      const onTheirWay: { id: string; arrive: () => void }[] = []
      const { delivery, outcomes } = node(
        storage,
        { now: at + 100 },
        ({ id }) => new Promise<void>((arrive) => void onTheirWay.push({ id, arrive })),
        4,
        8,
      )
      const { outbox } = storage
      const ids = () => onTheirWay.map(({ id }) => id.replace(/-\d+$/, '')).toSorted()
      const are = async (expected: string[]) => {
        delivery.wake('webpush')
        await until(() => isDeepStrictEqual(ids(), expected), `on their way are ${expected}`)
        await Bun.sleep(20)
        expect(ids()).toEqual(expected)
      }
      const many = (name: string, from = 0) =>
        Array.from({ length: 6 }, (_, i) => parcel(`${name}-${from + i}`, { lane: name, due_at: at + from }))
      await outbox.add(many('other a'))
      await are(Array(4).fill('other a'))
      await outbox.add([...many('other b', 10), ...many('known', 20)])
      await are([...Array(4).fill('known'), ...Array(4).fill('other a')])
      const arriveOf = (name: string) => {
        const at = onTheirWay.findIndex(({ id }) => id.startsWith(name))
        onTheirWay.splice(at, 1)[0]?.arrive()
      }
      arriveOf('other a')
      arriveOf('other a')
      await are([...Array(4).fill('known'), 'other a', 'other a', 'other b', 'other b'])
      while (outcomes.sent !== 18) {
        onTheirWay.splice(0).forEach(({ arrive }) => arrive())
        delivery.wake('webpush')
        await Bun.sleep(5)
      }
      expect(await outbox.waiting()).toEqual([])
    })

    for (const perLane of [2, 4])
      test(`a provider that is back gets all that waits, of ${perLane === 2 ? 'several' : 'one'}`, async () => {
        const storage = await fresh(engine)
        const clock = { now: at }
        let isDown = true
        const delivered = new Set<string>()
        const { work } = node(
          storage,
          clock,
          async ({ id }) => {
            if (isDown) throw new Error('down')
            delivered.add(id)
          },
          perLane,
        )
        await storage.outbox.add(Array.from({ length: 50 }, (_, i) => parcel(`p${i}`, { lane: 'x' })))
        await work()
        isDown = false
        for (let i = 0; i < 20; i++) {
          clock.now += 10_000
          await work()
        }
        expect(delivered.size).toBe(50)
      })

    test('a provider that asks for time or refuses single parcels is not closed', async () => {
      const storage = await fresh(engine)
      const clock = { now: at }
      let asks = 0
      const { work, outcomes } = node(storage, clock, async ({ id }) => {
        asks++
        if (id.startsWith('later')) throw new TryLater('busy', 60_000)
        throw new Undeliverable('no such device')
      })
      await storage.outbox.add(Array.from({ length: 20 }, (_, i) => parcel(`later-${i}`)))
      await storage.outbox.add(Array.from({ length: 20 }, (_, i) => parcel(`gone-${i}`)))
      await work()
      expect(asks).toBe(40)
      expect(outcomes).toEqual({ failed: 20, given_up: 20 })
    })

    for (const perLane of [2, 4])
      test(`a provider that asks all to wait is asked nothing else, of ${perLane === 2 ? 'several' : 'one'}`, async () => {
        const storage = await fresh(engine)
        const clock = { now: at }
        const asked: string[] = []
        const { work, outcomes } = node(
          storage,
          clock,
          async ({ id, lane }) => {
            asked.push(id)
            if (lane === 'x' && clock.now < at + 60_000) throw new TryLater('busy', 60_000, true)
          },
          perLane,
        )
        await storage.outbox.add(Array.from({ length: 20 }, (_, i) => parcel(`x-${i}`, { lane: 'x' })))
        if (perLane === 2)
          await storage.outbox.add(Array.from({ length: 5 }, (_, i) => parcel(`y-${i}`, { lane: 'y' })))
        await work()
        expect(asked.filter((id) => id.startsWith('x')).length).toBeLessThanOrEqual(perLane)
        expect(outcomes.sent ?? 0).toBe(perLane === 2 ? 5 : 0)
        asked.length = 0
        clock.now += 59_999
        await work()
        expect(asked).toEqual([])
        clock.now += 1
        await work()
        expect(asked).toHaveLength(20)
        expect(await storage.outbox.waiting()).toEqual([])
      })

    test('what is withheld is no delivery, and what has its time to come is no failure', async () => {
      const storage = await fresh(engine)
      const clock = { now: at }
      const { work, outcomes } = node(storage, clock, async ({ id }) => {
        if (id === 'never' || clock.now > at) return 'withheld'
        return { dueAt: at + 1000 }
      })
      await storage.outbox.add([parcel('never'), parcel('later')])
      await work()
      expect(outcomes).toEqual({ withheld: 1 })
      expect(await storage.outbox.list(null, 9)).toMatchObject([
        { id: 'later', attempts: 0, due_at: at + 1000, last_error: null },
      ])
      clock.now += 1000
      await work()
      expect(outcomes).toEqual({ withheld: 2 })
    })
  })
