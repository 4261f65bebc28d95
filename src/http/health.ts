import { Elysia, t } from 'elysia'
import type { Files } from '../features/media/files.ts'
import type { Storage } from '../storage/storage.ts'
import { version } from '../version.ts'

type Deps = {
  storage: Pick<Storage, 'pendingMigrations'>
  files: Pick<Files, 'remote'>
  hub: { isDraining(): boolean }
  shared: { isUp(): boolean } | null
}

const check = t.Union([t.Literal('ok'), t.Literal('failed')])
const release = t.String({ examples: [version] })
const health = t.Object({ status: t.Literal('ok'), version: release, checks: t.Object({}) })
const readiness = t.Object({
  status: t.Union([t.Literal('ok'), t.Literal('unavailable')]),
  version: release,
  checks: t.Object({
    storage: check,
    migrations: check,
    running: check,
    media: t.Optional(t.Union(check.anyOf, { description: 'Where images lie in S3: whether their bucket answers' })),
  }),
  redis: t.Optional(
    t.Union([t.Literal('ok'), t.Literal('away')], {
      description: 'Only with REDIS_URL. While it is away requests are served, and other nodes told later',
    }),
  ),
})

/** For whoever keeps the server running: `GET /health` says that it lives, `GET /ready` whether to send it requests. */
export const healthRoutes = (deps: Deps) =>
  new Elysia({ name: 'health' })
    .get('/health', () => ({ status: 'ok' as const, version, checks: {} }), {
      response: { 200: health },
      detail: {
        summary: 'Whether the process lives',
        description: 'Where it does not answer, start it anew.',
        tags: ['service'],
        security: [],
      },
    })
    .get(
      '/ready',
      async ({ status }) => {
        const checks = await checked(deps)
        const ready = Object.values(checks).every((outcome) => outcome === 'ok')
        // A Redis that is away is away for every node: were they not ready without it, nobody would be served.
        const redis = deps.shared && { redis: deps.shared.isUp() ? ('ok' as const) : ('away' as const) }
        return status(ready ? 200 : 503, { status: ready ? 'ok' : 'unavailable', version, checks, ...redis })
      },
      {
        response: { 200: readiness, 503: readiness },
        detail: {
          summary: 'Whether it can take requests',
          description:
            'Storage answers, its schema is this release’s, the bucket of the images does where they lie in one, and the server is not about to stop.',
          tags: ['service'],
          security: [],
        },
      },
    )

async function checked({ storage, files, hub }: Deps) {
  const outcome = (fine: boolean): 'ok' | 'failed' => (fine ? 'ok' : 'failed')
  const [pending, media] = await Promise.all([storage.pendingMigrations().catch(() => null), files.remote?.answers()])
  return {
    storage: outcome(pending !== null),
    migrations: outcome(pending === 0),
    running: outcome(!hub.isDraining()),
    ...(media !== undefined && { media: outcome(media) }),
  }
}
