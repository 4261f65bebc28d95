import { expect, test } from 'bun:test'
import { suspensionOf } from '../../web/app/account/in-force.ts'

const now = Date.UTC(2026, 10, 21, 12)
type Notice = Parameters<typeof suspensionOf>[0][number]
const notice = (action: Notice['action'], more: Partial<Notice> = {}): Notice => ({
  action,
  until: null,
  appeal: null,
  ...more,
})
const at = (ms: number) => new Date(now + ms).toISOString()
const appeal = (status: 'open' | 'upheld' | 'rejected') => ({ appeal: { id: 'one', status } })

test('a suspension is in force until its end, and as long as nobody has lifted or overturned it', () => {
  const inForce = [
    notice('suspend'),
    notice('suspend', { until: at(1) }),
    notice('suspend', appeal('open')),
    notice('suspend', appeal('rejected')),
  ]
  for (const one of inForce) expect(suspensionOf([one], now)).toBe(one)
  expect(suspensionOf([notice('suspend', { until: at(0) })], now)).toBe('over')
  expect(suspensionOf([notice('suspend', appeal('upheld'))], now)).toBe('over')
  expect(suspensionOf([notice('unsuspend'), notice('suspend')], now)).toBe('over')
})

test('the newest suspension counts, whatever became of those before, and other decisions say nothing', () => {
  const newest = notice('suspend', { until: at(1) })
  const before = [notice('unsuspend'), notice('suspend', appeal('upheld')), notice('suspend', { until: at(-1) })]
  const others = [notice('announce'), notice('appeal_upheld'), notice('warn', { until: at(-1) })]
  expect(suspensionOf([...others, newest, ...before], now)).toBe(newest)
  expect(suspensionOf([notice('suspend', { until: at(-1) }), notice('suspend')], now)).toBe('over')
  expect(suspensionOf(others, now)).toBeNull()
  expect(suspensionOf([], now)).toBeNull()
})
