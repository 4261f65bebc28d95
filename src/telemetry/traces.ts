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
}

export type Traces = {
  request(request: TracedRequest): void
  /** Sends the queued spans. Never fails or blocks the shutdown: without a collector they are lost. */
  close(): Promise<void>
}

/**
 * Sends one span for each request to an OpenTelemetry collector over HTTP: with the route's pattern, never the URL, and linked
 * to the trace that the client names. The library is loaded only here, as most installations do without it.
 */
export async function openTraces(endpoint: string): Promise<Traces> {
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
    resource: resources.resourceFromAttributes({ 'service.name': 'convene', 'service.version': version }),
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

  return {
    request({ method, route, status, start, end, traceparent }) {
      // Clients are not trusted: as a parent, the header would decide what is sampled and add spans to any trace.
      const named = traceparent && trace.getSpanContext(propagator.extract(ROOT_CONTEXT, traceparent, header))
      const links = named ? [{ context: named }] : []
      const attributes = { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status }
      const span = tracer.startSpan(
        `${method} ${route}`,
        { kind: SpanKind.SERVER, startTime: start, attributes, links },
        ROOT_CONTEXT,
      )
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(end)
    },
    close: () => Promise.race([provider.shutdown().catch(() => {}), Bun.sleep(2000)]),
  }
}
