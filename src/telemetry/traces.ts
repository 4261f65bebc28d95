import { AsyncLocalStorage } from 'node:async_hooks'
import { hostname } from 'node:os'
import type { Attributes, Link } from '@opentelemetry/api'
import { version } from '../version.ts'

/** An answered request. Times are in milliseconds since 1970. */
export type TracedRequest = {
  method: string
  route: string
  status: number
  start: number
  end: number
  /** The W3C header of that name, as the client sent it. */
  traceparent: string | null
  /** What was done for it, from `begin`. */
  steps?: readonly Step[]
}

/** A part of a request or a delivery, such as one call of a store. Times are in milliseconds since 1970. */
export type Step = { name: string; start: number; end: number; failed: boolean }

// Further steps of a request are not traced.
const mostSteps = 64
const current = new AsyncLocalStorage<Step[]>()

export type Traces = {
  request(request: TracedRequest): void
  /** Starts recording steps in this asynchronous context. */
  begin(): Step[]
  /** Runs work outside of requests, such as a delivery, as a trace of its own with its steps. */
  around<T>(name: string, attributes: Record<string, string>, work: () => Promise<T>): Promise<T>
  /** Sends the queued spans. Never fails or blocks the shutdown: without a collector they are lost. */
  close(): Promise<void>
}

/**
 * Sends one span for each request to an OpenTelemetry collector over HTTP: with the route's pattern, never the URL, and linked
 * to the trace that the client names. The library is loaded only here, because most installations do not use it.
 */
export async function openTraces(endpoint: string, serviceName = 'convene'): Promise<Traces> {
  const [
    { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace },
    { getNumberFromEnv, getStringFromEnv, W3CTraceContextPropagator },
    sdk,
    { OTLPTraceExporter },
    resources,
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': serviceName,
      'service.version': version,
      // Unique to this process: several nodes of one service differ in it.
      'service.instance.id': crypto.randomUUID(),
      'host.name': hostname(),
    }),
    sampler: sampler(),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter,
        maxQueueSize: getNumberFromEnv('OTEL_BSP_MAX_QUEUE_SIZE'),
        maxExportBatchSize: getNumberFromEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
        scheduledDelayMillis: getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY'),
        exportTimeoutMillis: getNumberFromEnv('OTEL_BSP_EXPORT_TIMEOUT'),
      }),
    ],
  })

  /** The sampler that OpenTelemetry's variables name. Every span is a root, so `parentbased_` makes no difference. */
  function sampler() {
    const name = getStringFromEnv('OTEL_TRACES_SAMPLER')?.replace(/^parentbased_/, '')
    if (name === 'always_off') return new sdk.AlwaysOffSampler()
    if (name === 'traceidratio')
      return new sdk.TraceIdRatioBasedSampler(getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG') ?? 1)
    return new sdk.AlwaysOnSampler()
  }
  const tracer = provider.getTracer('convene')
  const propagator = new W3CTraceContextPropagator()
  const header = { get: (traceparent: string) => traceparent, keys: () => ['traceparent'] }

  /** Records a root span with its steps as children. */
  function record(
    name: string,
    { kind, links, attributes, failed }: { kind: number; links: Link[]; attributes: Attributes; failed: boolean },
    { start, end, steps }: { start: number; end: number; steps: readonly Step[] },
  ) {
    const span = tracer.startSpan(name, { kind, startTime: start, attributes, links }, ROOT_CONTEXT)
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(end)
    const within = trace.setSpan(ROOT_CONTEXT, span)
    for (const step of steps) {
      const child = tracer.startSpan(step.name, { kind: SpanKind.INTERNAL, startTime: step.start }, within)
      if (step.failed) child.setStatus({ code: SpanStatusCode.ERROR })
      child.end(step.end)
    }
  }

  return {
    begin() {
      const steps: Step[] = []
      current.enterWith(steps)
      return steps
    },

    async around(name, attributes, work) {
      const steps: Step[] = []
      const start = Date.now()
      const began = performance.now()
      let failed = true
      try {
        const value = await current.run(steps, work)
        failed = false
        return value
      } finally {
        const end = start + performance.now() - began
        record(name, { kind: SpanKind.INTERNAL, links: [], attributes, failed }, { start, end, steps: [...steps] })
      }
    },

    request({ method, route, status, start, end, traceparent, steps = [] }) {
      // Clients are not trusted: as a parent, the header would decide what is sampled and add spans to any trace.
      const named = traceparent && trace.getSpanContext(propagator.extract(ROOT_CONTEXT, traceparent, header))
      const links = named ? [{ context: named }] : []
      const attributes = { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status }
      record(
        `${method} ${route}`,
        { kind: SpanKind.SERVER, links, attributes, failed: status >= 500 },
        { start, end, steps: [...steps] },
      )
    },
    close: () => Promise.race([provider.shutdown().catch(() => {}), Bun.sleep(2000)]),
  }
}

/** Wraps stores so that their calls are recorded as steps, by the names of store and method only. */
export function traced<Stores extends object>(stores: Stores): Stores {
  const wrapped = Object.entries(stores).map(([name, store]) => [
    name,
    typeof store === 'object' && store !== null ? tracedStore(name, store) : store,
  ])
  return { ...stores, ...Object.fromEntries(wrapped) }
}

function tracedStore(name: string, store: object): object {
  return new Proxy(store, {
    get(target, method) {
      const value: unknown = Reflect.get(target, method)
      if (typeof value !== 'function' || typeof method !== 'string') return value
      return (...args: unknown[]) => {
        const steps = current.getStore()
        if (steps === undefined || steps.length >= mostSteps) return Reflect.apply(value, target, args)
        const start = Date.now()
        const began = performance.now()
        const note = (failed: boolean) => {
          if (steps.length < mostSteps)
            steps.push({ name: `${name}.${method}`, start, end: start + performance.now() - began, failed })
        }
        const result: unknown = Reflect.apply(value, target, args)
        // Synchronous results come from memory and are not steps.
        if (result instanceof Promise)
          result.then(
            () => note(false),
            () => note(true),
          )
        return result
      }
    },
  })
}
