import { cors as corsHeaders } from '@elysiajs/cors'
import { Elysia } from 'elysia'
import type { Config } from '../config.ts'
import type { Origins } from './origins.ts'

/** Allows the listed origins, and no others, to send requests with credentials. Without a list, sends no CORS headers. */
export function cors({ config, origins }: { config: Pick<Config, 'corsOrigins'>; origins: Origins }) {
  const app = new Elysia({ name: 'cors' })
  if (config.corsOrigins.length === 0) return app
  return app.use(
    corsHeaders({
      // A function, because the plugin's own look-up would take the origin `constructor` for a listed one.
      origin: (request) => origins.isListed(request.headers.get('origin') ?? ''),
      credentials: true,
      methods: 'GET, POST, PUT, DELETE',
      allowedHeaders: ['authorization', 'content-type'],
      exposeHeaders: ['x-request-id', 'retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
      maxAge: 3600,
    }),
  )
}
