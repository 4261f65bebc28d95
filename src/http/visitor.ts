import { Elysia } from 'elysia'
import type { Config } from '../config.ts'
import type { Limits } from '../lib/rate-limits.ts'
import type { ClientOf } from './client.ts'
import { jsonBody } from './json-body.ts'
import { rateLimit } from './rate-limit.ts'

export type Visitor = ReturnType<typeof visitor>

type Deps = { config: Config; limits: Limits; clientOf: ClientOf }

/** For public routes that read no body, or read it themselves: `client` and `limit: …`. */
export const visitorWithoutBody = ({ config, limits, clientOf }: Deps) =>
  new Elysia({ name: 'visitor-without-body' })
    .derive(({ request }) => ({ client: clientOf(request) }))
    .use(rateLimit({ limits, enabled: config.rateLimit !== null }))
    // Otherwise Elysia would read bodies of any content type and size.
    .onParse(() => null)
    .as('scoped')
export type VisitorWithoutBody = ReturnType<typeof visitorWithoutBody>

/** For public routes: `client`, `limit: …`, and bodies read as JSON. */
export const visitor = ({ config, limits, clientOf }: Deps) =>
  new Elysia({ name: 'visitor' })
    .derive(({ request }) => ({ client: clientOf(request) }))
    .use(rateLimit({ limits, enabled: config.rateLimit !== null }))
    .use(jsonBody)
    .as('scoped')
