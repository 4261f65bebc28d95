import { Elysia } from 'elysia'
import type { Config } from '../config.ts'
import type { Limits } from '../lib/rate-limits.ts'
import type { ClientOf } from './client.ts'
import { jsonBody } from './json-body.ts'
import { rateLimit } from './rate-limit.ts'

export type Visitor = ReturnType<typeof visitor>

type Deps = { config: Config; limits: Limits; clientOf: ClientOf }

/** For public routes: `client`, `limit: …`, and bodies read as JSON. */
export const visitor = ({ config, limits, clientOf }: Deps) =>
  new Elysia({ name: 'visitor' })
    .derive(({ request }) => ({ client: clientOf(request) }))
    .use(rateLimit({ limits, enabled: config.rateLimit !== null }))
    .use(jsonBody)
    .as('scoped')

export type FormVisitor = ReturnType<typeof formVisitor>

/** For public routes that other programs post to, whose bodies are not read: `client` and `limit: …`. */
export const formVisitor = ({ config, limits, clientOf }: Deps) =>
  new Elysia({ name: 'form-visitor' })
    .derive(({ request }) => ({ client: clientOf(request) }))
    .use(rateLimit({ limits, enabled: config.rateLimit !== null }))
    .onParse(() => null)
    .as('scoped')
