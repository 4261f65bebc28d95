import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import type { Metrics } from '../metrics.ts'
import type { Traces } from '../traces.ts'

const slowMs = 1000

// Any other is as long as its sender likes, and would make a series of its own.
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])

/**
 * Counts every answer, traces it where traces are on, and logs it at `debug`; at `warn` those that failed on our side or took over a second. A line for
 * each request costs more than many of the requests do. The route's pattern stands for the URL, as a query may hold a
 * position or a token.
 */
export const requestLog = ({ log, metrics, traces }: { log: Logger; metrics: Metrics; traces: Traces | null }) =>
  new Elysia({ name: 'request-log' })
    .decorate('arrivedAt', 0)
    .onRequest((context) => {
      context.arrivedAt = performance.now()
    })
    .onAfterResponse({ as: 'global' }, ({ request, route, set, responseValue, arrivedAt }) => {
      const ms = performance.now() - arrivedAt
      const method = methods.has(request.method) ? request.method : 'other'
      const status = responseValue instanceof Response ? responseValue.status : Number(set.status ?? 200)
      const pattern = route || 'none'
      metrics.request(method, pattern, status, ms / 1000)
      if (traces) {
        const end = Date.now()
        const traceparent = request.headers.get('traceparent')
        traces.request({ method, route: pattern, status, start: end - ms, end, traceparent })
      }
      const level = status >= 500 || ms > slowMs ? 'warn' : 'debug'
      if (!log.isLevelEnabled(level)) return
      log[level](
        { request_id: set.headers['x-request-id'], method, route: pattern, status, ms: Math.round(ms) },
        'request',
      )
    })
