import { expect, test } from 'bun:test'
import { openTraces } from '../../src/telemetry/traces.ts'
import { testApp } from '../app.ts'

/** A collector that keeps what it is sent. */
function collector() {
  const bodies: any[] = []
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      bodies.push({ path: new URL(request.url).pathname, body: await request.json() })
      return Response.json({})
    },
  })
  return { bodies, server, url: server.url.origin }
}

test('each request is one span, by its pattern, linked to the trace it came with; no query, no token, no position', async () => {
  const { bodies, server, url } = collector()
  const traces = await openTraces(url)
  const app = await testApp({}, { traces })
  const ada = await app.person()
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  await ada.get('search/nearby?lat=41.123456&lng=-71.987654', undefined, {
    traceparent: `00-${traceId}-b7ad6b7169203331-01`,
  })
  await ada.get(`users/${ada.id}`)
  await app.request('GET', 'me?_t=a-token-that-nobody-has')
  await Bun.sleep(20)
  await traces.close()
  await server.stop(true)
  expect(bodies.map(({ path }) => path)).toEqual(['/v1/traces'])
  const { resource, scopeSpans } = bodies[0].body.resourceSpans[0]
  expect(JSON.stringify(resource)).toContain('"convene"')
  const { spans } = scopeSpans[0]
  expect(spans.map(({ name }: any) => name)).toEqual([
    'GET /api/v1/search/nearby',
    'GET /api/v1/users/:id',
    'GET /api/v1/me',
  ])
  // Whoever sends a request chooses neither the trace that its span is in nor its parent.
  expect(spans[0].traceId).not.toBe(traceId)
  expect(spans[0].parentSpanId).toBeUndefined()
  expect(spans[0].links).toMatchObject([{ traceId, spanId: 'b7ad6b7169203331' }])
  expect(spans[1].links).toEqual([])
  const text = JSON.stringify(bodies)
  for (const secret of ['41.12', '71.98', 'a-token', ada.token, ada.id]) expect(text).not.toContain(secret)
})

test('what is sampled is the operator’s choice: the flag of a client neither forces it nor hides a request', async () => {
  /** The spans of two requests, whose clients asked for a sample (01) and for none (00). */
  async function spansSampled(by: string): Promise<string[]> {
    const { bodies, server, url } = collector()
    process.env.OTEL_TRACES_SAMPLER = by
    process.env.OTEL_TRACES_SAMPLER_ARG = '0'
    const traces = await openTraces(url)
    delete process.env.OTEL_TRACES_SAMPLER
    delete process.env.OTEL_TRACES_SAMPLER_ARG
    const app = await testApp({}, { traces })
    for (const flag of ['00', '01', '00', 'ff', 'zz'])
      await app.request('GET', '/health', {
        headers: { traceparent: `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flag}` },
      })
    await Bun.sleep(20)
    await traces.close()
    await server.stop(true)
    return bodies.flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans.map(({ name }: any) => name))
  }
  expect(await spansSampled('parentbased_always_on')).toEqual(Array(5).fill('GET /health'))
  expect(await spansSampled('parentbased_traceidratio')).toEqual([])
})

test('a collector that is gone holds up no stop', async () => {
  const { server, url } = collector()
  await server.stop(true)
  const traces = await openTraces(url)
  traces.request({ method: 'GET', route: '/health', status: 200, start: 1, end: 2, traceparent: null })
  await traces.close()
})
