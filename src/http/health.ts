import { Elysia, t } from 'elysia'
import { object } from './schema.ts'
import type { Files } from '../features/media/files.ts'
import type { Storage } from '../storage/storage.ts'
import type { Room } from '../installation/room.ts'
import { version } from '../version.ts'

type Deps = {
  storage: Pick<Storage, 'schemaFits'>
  files: Pick<Files, 'remote'>
  hub: { isDraining(): boolean }
  shared: { isRedis: boolean; isUp(): boolean } | null
  room: Pick<Room, 'isLeft'>
  photos: { last(): { missing: number } | null }
  halfSet: { isAny(): boolean }
}

const check = t.Union([t.Literal('ok'), t.Literal('failed')], { title: 'Check' })
const elsewhere = (description: string) =>
  t.Optional(
    t.Union([t.Literal('ok'), t.Literal('away')], {
      title: 'SharedCheck',
      description: `${description}; away leaves the server ready`,
    }),
  )
const release = t.String({ examples: [version] })
const health = object('Health', { status: t.Literal('ok'), version: release, checks: object('HealthChecks', {}) })
const readiness = object('Readiness', {
  status: t.Union([t.Literal('ok'), t.Literal('degraded'), t.Literal('unavailable')], {
    title: 'ReadinessStatus',
    description: 'degraded: it takes requests, and some of what it does is away, as `checks` says. The log says more',
  }),
  version: release,
  checks: object('ReadinessChecks', {
    storage: check,
    migrations: check,
    running: check,
    room: check,
    media: elsewhere('Where images lie in S3: whether their bucket answers'),
    redis: elsewhere('Only with REDIS_URL: whether it answers'),
    photos: t.Optional(
      t.Literal('failed', { description: 'Images that the database knows are missing. Text works without them' }),
    ),
    settings: t.Optional(
      t.Literal('half_set', {
        description: 'A setting lacks another one, here or on another node: see the log, or `convene check`',
      }),
    ),
  }),
})

/** `GET /health`: whether the process is alive. `GET /ready`: whether to send it requests. */
export const healthRoutes = (deps: Deps) =>
  new Elysia({ name: 'health' })
    .get('/health', () => ({ status: 'ok' as const, version, checks: {} }), {
      response: { 200: health },
      detail: {
        summary: 'Whether the process lives',
        description: 'If it does not answer, restart it.',
        tags: ['service'],
        security: [],
      },
    })
    .get(
      '/ready',
      async ({ status }) => {
        const checks = await checked(deps)
        // Redis and the bucket are shared: if they made nodes unready, an outage would take all of them out at once.
        const ready = Object.values(checks).every((outcome) => outcome !== 'failed')
        const lacks = {
          ...((deps.photos.last()?.missing ?? 0) > 0 && { photos: 'failed' as const }),
          ...(deps.halfSet.isAny() && { settings: 'half_set' as const }),
        }
        const isWhole = Object.keys(lacks).length === 0 && Object.values(checks).every((outcome) => outcome === 'ok')
        const state = isWhole ? 'ok' : ready ? 'degraded' : 'unavailable'
        return status(ready ? 200 : 503, { status: state, version, checks: { ...checks, ...lacks } } as const)
      },
      {
        response: { 200: readiness, 503: readiness },
        detail: {
          summary: 'Whether it can take requests',
          description:
            'Storage answers and has room, its schema is this release’s, and the server is not about to stop. A bucket or Redis that is away is named, and leaves it ready.',
          tags: ['service'],
          security: [],
        },
      },
    )

async function checked({ storage, files, hub, shared, room }: Deps) {
  const outcome = (fine: boolean): 'ok' | 'failed' => (fine ? 'ok' : 'failed')
  const presence = (there: boolean): 'ok' | 'away' => (there ? 'ok' : 'away')
  const [schemaFits, media, isRoomLeft] = await Promise.all([
    storage.schemaFits().catch(() => null),
    files.remote?.answers(),
    room.isLeft(),
  ])
  return {
    storage: outcome(schemaFits !== null),
    migrations: outcome(schemaFits === true),
    running: outcome(!hub.isDraining()),
    room: outcome(isRoomLeft),
    ...(media !== undefined && { media: presence(media) }),
    ...(shared?.isRedis && { redis: presence(shared.isUp()) }),
  }
}
