import { expect, test } from 'bun:test'
import { Histogram, Registry } from 'prom-client'
import { bounds, help, name, openRequestTimes } from '../../src/telemetry/request-times.ts'

/** The registry's text, with the labels of each line in one order. */
const linesOf = async (registry: Registry) =>
  (await registry.metrics())
    .trim()
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').toSorted().join(',')}}`))

test('the histogram of requests tells what the library’s own would tell of the same requests', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const observe = openRequestTimes(ours)
  const histogram = new Histogram({
    name,
    help,
    labelNames: ['method', 'route', 'status'],
    buckets: bounds,
    registers: [theirs],
  })
  const times = [0, ...bounds.flatMap((bound) => [bound, bound + 0.0001]), 3600]
  for (const [method, route, status] of [
    ['GET', '/api/v1/me', 200],
    ['GET', '/api/v1/me', 401],
    ['PUT', '/api/v1/me', 200],
  ] as const)
    for (const seconds of times) {
      observe(method, route, status, seconds)
      histogram.observe({ method, route, status }, seconds)
    }
  expect(await linesOf(ours)).toEqual(await linesOf(theirs))
})
