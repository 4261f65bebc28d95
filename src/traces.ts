import { version } from './version.ts'

/** One answered request; times in milliseconds since 1970. */
export type TracedRequest = {
  method: string
  route: string
  status: number
  start: number
  end: number
  /** The W3C header of that name, where the request is part of somebody's trace. */
  traceparent: string | null
}

export type Traces = {
  request(request: TracedRequest): void
  /** Sends what waits. Never fails: a collector that is gone costs its spans, not the stop. */
  close(): Promise<void>
}

/**
 * A span for each request, sent to an OpenTelemetry collector over HTTP: the route's pattern, never the URL. The library
 * is loaded only here, so that it costs nobody who does not ask for it.
 */
export async function openTraces(endpoint: string): Promise<Traces> {
  const [
    { ROOT_CONTEXT, SpanKind, SpanStatusCode },
    { W3CTraceContextPropagator },
    sdk,
    { OTLPTraceExporter },
    resources,
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })
  const provider = new sdk.BasicTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': 'convene', 'service.version': version }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  })
  const tracer = provider.getTracer('convene')
  const propagator = new W3CTraceContextPropagator()
  const header = { get: (traceparent: string) => traceparent, keys: () => ['traceparent'] }

  return {
    request({ method, route, status, start, end, traceparent }) {
      const parent = traceparent === null ? ROOT_CONTEXT : propagator.extract(ROOT_CONTEXT, traceparent, header)
      const attributes = { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status }
      const span = tracer.startSpan(
        `${method} ${route}`,
        { kind: SpanKind.SERVER, startTime: start, attributes },
        parent,
      )
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(end)
    },
    close: () => Promise.race([provider.shutdown().catch(() => {}), Bun.sleep(2000)]),
  }
}
