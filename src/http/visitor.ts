import { Elysia } from 'elysia'
import type { Config } from '../config.ts'
import type { Limits } from '../limits.ts'
import { client } from './client.ts'
import { jsonBody } from './json-body.ts'
import { rateLimit } from './rate-limit.ts'

export type Visitor = ReturnType<typeof visitor>

/** What public routes use: `client`, `limit: …` on a route, and bodies read as JSON. */
export const visitor = ({ config, limits }: { config: Config; limits: Limits }) =>
  new Elysia({ name: 'visitor' })
    .use(client(config))
    .use(rateLimit({ limits, enabled: config.rateLimit }))
    .use(jsonBody)
    .as('scoped')
