import { expect, test } from 'bun:test'
import { openTraces, traced } from '../../src/telemetry/traces.ts'
import { testApp } from '../app.ts'

/** A collector that stores what it receives. */
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

test('each request is one span, named by its pattern and linked to its incoming trace, without query, token or position', async () => {
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
  // A client chooses neither the trace of the span nor its parent.
  expect(spans[0].traceId).not.toBe(traceId)
  expect(spans[0].parentSpanId).toBeUndefined()
  expect(spans[0].links).toMatchObject([{ traceId, spanId: 'b7ad6b7169203331' }])
  expect(spans[1].links).toEqual([])
  const text = JSON.stringify(bodies)
  for (const secret of ['41.12', '71.98', 'a-token', ada.token, ada.id]) expect(text).not.toContain(secret)
})

test('the operator decides what is sampled: a client’s flag neither forces nor prevents it', async () => {
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

test('a missing collector does not delay a stop', async () => {
  const { server, url } = collector()
  await server.stop(true)
  const traces = await openTraces(url)
  traces.request({ method: 'GET', route: '/health', status: 200, start: 1, end: 2, traceparent: null })
  await traces.close()
})

const attribute = (span: any, key: string) => span.attributes.find((each: any) => each.key === key)?.value
const spansOf = (bodies: any[]): any[] =>
  bodies.flatMap(({ body }) => body.resourceSpans.flatMap((of: any) => of.scopeSpans.flatMap((in_: any) => in_.spans)))

test('calls of stores are spans within their own request, even concurrent ones, with only their names', async () => {
  const { bodies, server, url } = collector()
  const traces = await openTraces(url, 'meet')
  const stores = traced({
    chats: {
      async list(name: string) {
        await Bun.sleep(name === 'slow' ? 20 : 1)
        return name
      },
      count: () => 3,
      async fail() {
        throw new Error('hunter2')
      },
    },
    size: async () => 1,
  })
  const requests = ['slow', 'quick'].map(async (name) => {
    // The same as for each request of a server.
    await Promise.resolve()
    const steps = traces.begin()
    const start = Date.now()
    await Bun.sleep(1)
    expect(await stores.chats.list(name)).toBe(name)
    if (name === 'quick') await stores.chats.fail().catch(() => {})
    expect(stores.chats.count()).toBe(3)
    traces.request({ method: 'GET', route: `/${name}`, status: 200, start, end: Date.now(), traceparent: null, steps })
  })
  await Promise.all(requests)
  await traces.around('outbox mail', { 'convene.outbox.kind': 'mail' }, async () => void (await stores.chats.list('x')))
  await traces.around('outbox bot', {}, () => stores.chats.fail()).catch(() => {})
  await traces.close()
  await server.stop(true)
  const spans = spansOf(bodies)
  const parts = (name: string) => {
    const root = spans.find((span) => span.name === name)
    const children = spans.filter((span) => span.parentSpanId === root.spanId)
    expect(children.every((span) => span.traceId === root.traceId)).toBe(true)
    return children.map((span) => span.name)
  }
  expect(parts('GET /slow')).toEqual(['chats.list'])
  expect(parts('GET /quick')).toEqual(['chats.list', 'chats.fail'])
  expect(parts('outbox mail')).toEqual(['chats.list'])
  expect(parts('outbox bot')).toEqual(['chats.fail'])
  expect(spans).toHaveLength(9)
  expect(spans.filter(({ status }) => status.code === 2).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['chats.fail', 'outbox bot', 'chats.fail']),
  )
  expect(
    attribute(
      spans.find(({ name }) => name === 'outbox mail'),
      'convene.outbox.kind',
    ),
  ).toEqual({ stringValue: 'mail' })
  const { resource } = bodies[0].body.resourceSpans[0]
  expect(attribute(resource, 'service.name')).toEqual({ stringValue: 'meet' })
  expect(attribute(resource, 'service.instance.id').stringValue).toMatch(/^[0-9a-f-]{36}$/)
  expect(JSON.stringify(bodies)).not.toContain('hunter2')
})

test('requests over HTTP keep their own steps', async () => {
  const { bodies, server, url } = collector()
  const traces = await openTraces(url)
  const app = await testApp({}, { traces, tracesStorage: true })
  const people = [await app.person(), await app.person()]
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => people[i % 2]!.get(i % 2 === 0 ? 'chats' : `users/${people[0]!.id}`)),
  )
  await Bun.sleep(20)
  await traces.close()
  await server.stop(true)
  const spans = spansOf(bodies)
  const childrenOf = (name: string) =>
    spans
      .filter((span) => span.name === name)
      .map((root) => spans.filter((span) => span.parentSpanId === root.spanId).map((span) => span.name))
  const chats = childrenOf('GET /api/v1/chats')
  expect(chats).toHaveLength(10)
  for (const steps of chats) expect(steps.some((name) => name.startsWith('chats.'))).toBe(true)
  const profiles = childrenOf('GET /api/v1/users/:id')
  expect(profiles).toHaveLength(10)
  expect(profiles.flat().filter((name) => name.startsWith('chats.'))).toEqual([])
})
