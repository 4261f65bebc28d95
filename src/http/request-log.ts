import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Step, Traces } from '../telemetry/traces.ts'
import { requestIdOf } from './request-id.ts'

const slowMs = 1000

// Other methods may be of any length, and each would create a new series.
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])

/**
 * Counts every answer, traces it if traces are on, and logs it: at `warn` if it failed on our side or took over a second, else
 * at `debug`, because a line costs more than many requests do. Logs the route's pattern instead of the URL, as a query may
 * contain a position or a token.
 */
export const requestLog = ({ log, metrics, traces }: { log: Logger; metrics: Metrics; traces: Traces | null }) =>
  new Elysia({ name: 'request-log' })
    .decorate('arrivedAt', 0)
    .decorate('steps', new Array<Step>())
    .onRequest((context) => {
      context.arrivedAt = performance.now()
      if (traces) context.steps = traces.begin()
    })
    .onAfterResponse({ as: 'global' }, ({ request, route, set, responseValue, arrivedAt, steps }) => {
      const ms = performance.now() - arrivedAt
      const method = methods.has(request.method) ? request.method : 'other'
      const status = responseValue instanceof Response ? responseValue.status : Number(set.status ?? 200)
      const pattern = route || 'none'
      metrics.request(method, pattern, status, ms / 1000)
      if (traces) {
        const end = Date.now()
        const traceparent = request.headers.get('traceparent')
        traces.request({ method, route: pattern, status, start: end - ms, end, traceparent, steps })
      }
      const level = status >= 500 || ms > slowMs ? 'warn' : 'debug'
      if (!log.isLevelEnabled(level)) return
      log[level](
        { request_id: requestIdOf(set.headers), method, route: pattern, status, ms: Math.round(ms) },
        'request',
      )
    })
