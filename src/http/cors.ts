import { cors as corsHeaders } from '@elysiajs/cors'
import { Elysia } from 'elysia'
import type { Config } from '../config.ts'
import type { Origins } from './origins.ts'

/** Lets the pages of the listed origins call with credentials, and no others. Without a list, no answer speaks of it. */
export function cors({ config, origins }: { config: Pick<Config, 'corsOrigins'>; origins: Origins }) {
  const app = new Elysia({ name: 'cors' })
  if (config.corsOrigins.length === 0) return app
  return app.use(
    corsHeaders({
      // Asked for each request, as the plugin's own comparison of names takes `constructor` for a listed one.
      origin: (request) => origins.isListed(request.headers.get('origin') ?? ''),
      credentials: true,
      methods: 'GET, POST, PUT, DELETE',
      allowedHeaders: ['authorization', 'content-type'],
      exposeHeaders: ['x-request-id', 'retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
      maxAge: 3600,
    }),
  )
}
