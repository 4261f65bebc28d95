import { Elysia, t } from 'elysia'
import type { Config } from '../config.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { Refusal } from '../lib/refusal.ts'

type Deps = {
  config: Pick<Config, 'metricsToken'>
  metrics: Metrics
  peerOf(request: Request): string | undefined
}

const loopback = /^(?:::1$|(?:::ffff:)?127\.)/
// Behind a proxy on the same machine, every request comes from loopback.
const proxied = ['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'x-real-ip', 'via']

/** `GET /metrics`, for this machine, or with `METRICS_TOKEN`. Refusal: 403 `forbidden`. */
export const metricsRoute = ({ config, metrics, peerOf }: Deps) =>
  new Elysia({ name: 'metrics' }).get(
    '/metrics',
    async ({ headers, request, set }) => {
      const isLocal = loopback.test(peerOf(request) ?? '') && !proxied.some((name) => headers[name] !== undefined)
      if (!isLocal && !holdsToken(headers.authorization, config.metricsToken))
        throw new Refusal(
          'forbidden',
          'Metrics are served to this machine only, or to clients that send METRICS_TOKEN as a bearer token.',
        )
      set.headers['content-type'] = metrics.contentType
      return metrics.text()
    },
    {
      response: { 200: t.String({ description: 'The text format of Prometheus', examples: ['convene_sockets 12\n'] }) },
      detail: {
        summary: 'Metrics for Prometheus',
        description: 'Answered to this machine itself, not through a proxy, or to `METRICS_TOKEN` as a bearer token.',
        tags: ['service'],
        security: [{ bearer: [] }, {}],
        refusals: ['forbidden'],
      },
    },
  )

function holdsToken(authorization: string | undefined, token: string | null): boolean {
  if (authorization === undefined || token === null) return false
  // Hashed, so that the time of the comparison reveals neither the token nor its length.
  const hash = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest()
  return crypto.timingSafeEqual(hash(authorization), hash(`Bearer ${token}`))
}
