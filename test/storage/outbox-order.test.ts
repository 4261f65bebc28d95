import { afterEach, describe, expect, test } from 'bun:test'
import pino from 'pino'
import { type Carrier, TryLater } from '../../src/outbox/carrier.ts'
import { openDelivery } from '../../src/outbox/delivery.ts'
import type { NewParcel } from '../../src/outbox/store.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { type Engine, engines } from '../engines.ts'

const open: Storage[] = []
afterEach(async () => {
  for (const storage of open.splice(0)) await storage.close()
})

const at = Date.UTC(2026, 10, 22, 12)
const log = pino({ level: 'silent' })

async function fresh(engine: Engine) {
  const opened = await engine.open()
  open.push(opened.storage)
  return opened
}

const webhook = (id: string, user: string, created_at = at): NewParcel<'webhook'> => ({
  id,
  kind: 'webhook',
  user_id: null,
  payload: { about: 'user.erased', data: { user_id: user } },
  created_at,
  due_at: created_at,
  ordered_by: user,
})

function node(storage: Storage, name: string, clock: { now: number }, deliver: Carrier<'webhook'>['deliver']) {
  const delivery = openDelivery({
    store: storage.outbox,
    carriers: { webhook: { atOnce: 8, patienceMs: 3 * 24 * 3_600_000, deliver } },
    node: name,
    log,
    now: () => clock.now,
    random: () => 1,
  })
  return {
    async work() {
      delivery.wake('webhook')
      await delivery.idle()
    },
  }
}

for (const engine of engines) {
  describe.skipIf(engine.skipped !== null)(engine.skipped ? `${engine.name}, ${engine.skipped}` : engine.name, () => {
    test('parcels of one user leave one after another, those of others meanwhile', async () => {
      const { storage } = await fresh(engine)
      // Ids and times say another order than the commits.
      await storage.outbox.add([webhook('z', 'ada'), webhook('y', 'ada'), webhook('b1', 'bob')])
      await storage.outbox.add([webhook('a', 'ada', at - 5)])
      const clock = { now: at }
      const delivered: string[] = []
      const onTheirWay = new Set<unknown>()
      let fails = true
      const { work } = node(storage, 'n', clock, async ({ id, payload }) => {
        const user = JSON.stringify(payload.data)
        expect(onTheirWay.has(user)).toBe(false)
        onTheirWay.add(user)
        await Bun.sleep(1)
        onTheirWay.delete(user)
        if (id === 'z' && fails) throw new Error('the receiver answered 500')
        delivered.push(id)
      })
      await work()
      expect(delivered).toEqual(['b1'])
      const waiting = async () => (await storage.outbox.list('webhook', 9)).map(({ id, due_at }) => [id, due_at - at])
      // Those behind it are not looked at before it is.
      expect((await waiting()).toSorted()).toEqual([
        ['a', 6000],
        ['y', 6000],
        ['z', 6000],
      ])
      // A new one behind them is due, and waits all the same.
      await storage.outbox.add([webhook('c', 'ada', at + 1)])
      clock.now = at + 1000
      await work()
      expect(delivered).toEqual(['b1'])
      fails = false
      expect(await storage.outbox.retry({ id: 'z' }, clock.now)).toBe(1)
      await work()
      expect(delivered).toEqual(['b1', 'z', 'y', 'a', 'c'])
      expect(await storage.outbox.waiting()).toEqual([])
    })

    test('the next of a user follows one that was given up', async () => {
      const { storage } = await fresh(engine)
      await storage.outbox.add([webhook('first', 'ada'), webhook('second', 'ada', at + 1000)])
      const clock = { now: at + 3 * 24 * 3_600_000 }
      const delivered: string[] = []
      const { work } = node(storage, 'n', clock, async ({ id }) => {
        if (id === 'first') throw new Error('the receiver answered 500')
        delivered.push(id)
      })
      await work()
      expect(delivered).toEqual(['second'])
    })

    test('the next of a user follows one that an operator drops', async () => {
      const { storage } = await fresh(engine)
      await storage.outbox.add([webhook('first', 'ada'), webhook('second', 'ada')])
      const delivered: string[] = []
      const { work } = node(storage, 'n', { now: at }, async ({ id }) => {
        if (id === 'first') throw new TryLater('the receiver answered 503', 3_600_000)
        delivered.push(id)
      })
      await work()
      expect(await storage.outbox.drop({ id: 'first' })).toBe(1)
      await work()
      expect(delivered).toEqual(['second'])
    })

    test('many nodes keep the order of each user', async () => {
      const opened = await fresh(engine)
      const storages = [opened.storage]
      if (engine.name === 'PostgreSQL') storages.push(await opened.another(), await opened.another())
      const users = ['ada', 'bob', 'cleo']
      for (let i = 0; i < 12; i++) await opened.storage.outbox.add(users.map((user) => webhook(`${user}-${i}`, user)))
      const delivered: string[] = []
      const nodes = storages.map((storage, i) =>
        node(storage, `n${i}`, { now: at }, async ({ id }) => {
          await Bun.sleep(1)
          delivered.push(id)
        }),
      )
      while ((await opened.storage.outbox.waiting()).length > 0) await Promise.all(nodes.map(({ work }) => work()))
      for (const user of users)
        expect(delivered.filter((id) => id.startsWith(user))).toEqual(
          Array.from({ length: 12 }, (_, i) => `${user}-${i}`),
        )
    })
  })
}
