import { Elysia } from 'elysia'
import { isRefused, type Maintenance } from '../features/maintenance/rules.ts'
import { Refusal } from '../lib/refusal.ts'
import { problemResponse } from './errors.ts'

const pathOf = (url: string) => /^[a-z]+:\/\/[^/]*(\/[^?#]*)/.exec(url)?.[1] ?? '/'

/** Refuses writes with 503 `maintenance` and the operator's text, before their bodies are read. */
export const maintenance = ({
  now,
  metrics,
}: {
  now(): Maintenance | null
  metrics: { problem(code: string): void }
}) =>
  // Elysia awaits hooks whose last expression is a call, which would delay every request.
  new Elysia({ name: 'maintenance' }).onRequest(({ request, set }) => {
    const mode = now()
    let refusal
    if (mode !== null && isRefused(request.method, pathOf(request.url))) {
      metrics.problem('maintenance')
      refusal = problemResponse(
        new Refusal('maintenance', mode.text, undefined, { 'retry-after': String(mode.retryAfterS) }),
        String(set.headers['x-request-id']),
      )
    }
    return refusal
  })
