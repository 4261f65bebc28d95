import { afterEach, describe, expect, test } from 'bun:test'
import type { Storage } from '../../src/storage/storage.ts'
import { openJobLeases, type TakeOutcome, type JobLease, type JobLeaseStore } from '../../src/lib/job-leases.ts'
import { type Engine, engines } from '../engines.ts'

const open: Storage[] = []
afterEach(async () => {
  for (const storage of open.splice(0)) await storage.close()
})

const at = Date.UTC(2026, 10, 21, 12)
const minute = 60_000
const pace = { leaseMs: 30_000, lookMs: 1 }
const never = new AbortController().signal
const mine = (taken: TakeOutcome) => {
  if (!taken.isMine) throw new Error('another one has the turn')
  return taken
}

async function fresh(engine: Engine) {
  const { storage } = await engine.open()
  open.push(storage)
  let looks = 0
  const store: JobLeaseStore = {
    ...storage.jobLeases,
    last: (job) => {
      looks++
      return storage.jobLeases.last(job)
    },
  }
  /** Resolves once whoever waits for a turn has looked at it some times more. */
  const looked = async () => {
    for (const enough = looks + 5; looks < enough;) await Bun.sleep(1)
  }
  const clock = { now: at }
  const node = (name: string, leaseMs = pace.leaseMs) =>
    openJobLeases({ store, node: name, now: () => clock.now, pace: { ...pace, leaseMs } })
  /** A turn as a node leaves it behind that was killed. */
  const dead = (given: Partial<JobLease> = {}): JobLease => ({
    at,
    holder: 'dead',
    until: at + pace.leaseMs,
    succeeded_at: null,
    ...given,
  })
  return { store, clock, node, dead, looked }
}

for (const engine of engines) {
  describe.skipIf(engine.skipped !== null)(engine.skipped ? `${engine.name}, ${engine.skipped}` : engine.name, () => {
    test('of many nodes that ask at once one has the turn, and the others learn how it ended', async () => {
      const { store, node, clock } = await fresh(engine)
      for (const [turn, succeeded] of [true, false].entries()) {
        clock.now = at + turn * minute
        let running = 0
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, async (_, i) => {
            const taken = await node(`node ${i}`).take('sweep', clock.now, never)
            if (!taken.isMine) return taken.succeededAt
            expect(++running).toBe(1)
            await store.last('sweep')
            running--
            await taken.over(succeeded)
            return 'ran'
          }),
        )
        expect(outcomes.filter((outcome) => outcome === 'ran')).toHaveLength(1)
        // One that failed leaves the success before it.
        expect(outcomes.filter((outcome) => outcome === at)).toHaveLength(7)
      }
    })

    test('each job has turns of its own, and each turn is had once', async () => {
      const { node } = await fresh(engine)
      const [one, two] = [node('one'), node('two')]
      const sweep = mine(await one.take('sweep', at, never))
      const events = mine(await two.take('events', at, never))
      await sweep.over(true)
      await events.over(true)
      expect(await two.take('sweep', at, never)).toEqual({ isMine: false, succeededAt: at })
      expect(await one.take('sweep', at, never)).toEqual({ isMine: false, succeededAt: at })
      await mine(await two.take('sweep', at + minute, never)).over(true)
      // A node whose clock is behind finds its own done.
      expect((await one.take('sweep', at, never)).isMine).toBe(false)
    })

    test('the turn of a dead node passes on once its time is over, and not before', async () => {
      const { store, node, clock, dead, looked } = await fresh(engine)
      expect(await store.replace('sweep', null, dead({ succeeded_at: at - minute }))).toBe(true)
      let taken: TakeOutcome | null = null
      const waiting = Promise.all(
        ['one', 'two'].map(async (name) => {
          const outcome = await node(name).take('sweep', at, never)
          if (!outcome.isMine) return outcome.succeededAt
          taken = outcome
          return name
        }),
      )
      clock.now = at + pace.leaseMs - 1
      await looked()
      expect(taken).toBeNull()
      clock.now = at + pace.leaseMs
      while (taken === null) await Bun.sleep(1)
      await (taken as TakeOutcome & { isMine: true }).over(true)
      const [one, two] = await waiting
      expect([one, two].filter((outcome) => typeof outcome === 'string')).toHaveLength(1)
      expect([one, two]).toContain(clock.now)
    })

    test('a run that takes long keeps its turn', async () => {
      const { store, node, clock } = await fresh(engine)
      // Renewed each 20 ms, and good for 60 on a clock that moves on when that is done.
      const { over } = mine(await node('slow', 60).take('sweep', at, never))
      const waiting = node('other', 60).take('sweep', at, never)
      for (let renewals = 0; renewals < 5; renewals++) {
        clock.now += 40
        while ((await store.last('sweep'))!.until !== clock.now + 60) await Bun.sleep(1)
      }
      expect((await store.last('sweep'))!.holder).toBe('slow')
      await over(true)
      expect(await waiting).toEqual({ isMine: false, succeededAt: clock.now })
    })

    test('who stood still for too long has lost the turn, and does not end that of another', async () => {
      const { store, node, clock } = await fresh(engine)
      const first = mine(await node('first').take('sweep', at, never))
      clock.now += pace.leaseMs
      const second = mine(await node('second').take('sweep', at, never))
      await first.over(true)
      expect(await store.last('sweep')).toMatchObject({ holder: 'second', succeeded_at: null })
      await second.over(true)
      expect(await store.last('sweep')).toMatchObject({ holder: null, succeeded_at: clock.now })
    })

    test('a turn of a clock that was far ahead keeps nobody from working', async () => {
      const { store, node, dead } = await fresh(engine)
      const year = 365 * 24 * 60 * minute
      await store.replace('held', null, dead({ at: at + year, until: at + year }))
      await store.replace('over', null, dead({ at: at + year, until: at + year, holder: null }))
      for (const job of ['held', 'over']) await mine(await node('right').take(job, at, never)).over(true)
    })

    test('a node that stops waits for nobody', async () => {
      const { store, node, dead } = await fresh(engine)
      await store.replace('sweep', null, dead())
      const stopped = new AbortController()
      const waiting = node('stopping').take('sweep', at, stopped.signal)
      stopped.abort()
      expect((await waiting).isMine).toBe(false)
      expect(await store.last('sweep')).toEqual(dead())
    })
  })
}
