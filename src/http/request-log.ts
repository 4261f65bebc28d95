import { Elysia } from 'elysia'
import type { Logger } from 'pino'

/** One line for each answer: the route's pattern, never the URL, as a query may hold a position or a token. */
export const requestLog = (log: Logger) =>
  new Elysia({ name: 'request-log' }).onAfterResponse({ as: 'global' }, ({ request, route, set }) => {
    if (!log.isLevelEnabled('debug')) return
    log.debug(
      {
        request_id: set.headers['x-request-id'],
        method: request.method,
        route: route || 'unknown',
        status: set.status ?? 200,
      },
      'request',
    )
  })
