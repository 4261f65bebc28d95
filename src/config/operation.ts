import { oneOf, setting, wholeNumber } from '../lib/settings.ts'

/** Metrics, traces, the log, and how the server stops. */
export const operationSettings = {
  metricsToken: setting({
    name: 'METRICS_TOKEN',
    reload: true,
    type: 'token',
    default: null,
    help: 'Bearer token that lets other hosts read `/metrics`, at least 16 characters.',
    secret: true,
    read: metricsToken,
  }),
  otlpServiceName: setting({
    name: 'OTEL_SERVICE_NAME',
    type: 'text',
    default: 'convene',
    help: 'Name of this service in its traces.',
    read: serviceName,
  }),
  /** Null if traces are off. */
  otlpEndpoint: setting({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    type: 'URL',
    default: null,
    help: 'OpenTelemetry collector that receives a trace of each request, such as `http://127.0.0.1:4318`.',
    read: httpUrl,
  }),
  drainSeconds: setting({
    name: 'DRAIN_SECONDS',
    reload: true,
    unit: 'seconds',
    default: '0',
    help: 'How long the server keeps answering after SIGTERM while it is [no longer ready](docs/scaling.md#a-node-that-ends), in seconds. Sockets are moved to other nodes during the second half.',
    ...wholeNumber(0, 3600),
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    reload: true,
    default: 'info',
    help: '`trace`, `debug`, `info`, `warn`, `error` or `silent`.',
    ...oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  }),
}

function httpUrl(value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new Error('must be an http or https URL, for example http://127.0.0.1:4318')
  return value
}

function serviceName(value: string): string {
  // oxlint-disable-next-line no-control-regex -- it is passed to other programs unchanged
  if (value.length > 200 || /[\x00-\x1f]/.test(value)) throw new Error('must be a name of 200 characters at most')
  return value
}

function metricsToken(value: string): string {
  if (value.length < 16 || /\s/.test(value)) throw new Error('must have at least 16 characters, and no white space')
  return value
}
