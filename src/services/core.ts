import type { Logger } from 'pino'
import type { Replica } from '../backup/replica/replica.ts'
import type { Config } from '../config.ts'
import { auditService } from '../features/audit/service.ts'
import { callers as openCallers } from '../features/auth/callers.ts'
import { consentsService } from '../features/auth/consents.ts'
import type { HashCost } from '../features/auth/passwords.ts'
import { openTokens } from '../features/auth/tokens.ts'
import { legalService } from '../features/legal/service.ts'
import type { Files } from '../features/media/files.ts'
import type { Providers } from '../features/notifications/providers.ts'
import { blocking as openBlocking } from '../features/safety/blocking.ts'
import { webhookService } from '../features/webhooks/service.ts'
import type { Secrets } from '../installation/secrets.ts'
import { ids as realIds, type Ids } from '../lib/ids.ts'
import { openJobLeases } from '../lib/job-leases.ts'
import { openOutbound, type Outbound } from '../lib/outbound.ts'
import { openPaging } from '../lib/paging.ts'
import { openLimits } from '../lib/rate-limits.ts'
import type { Kind as ParcelKind } from '../outbox/store.ts'
import type { Shared } from '../redis/open.ts'
import type { Storage } from '../storage/storage.ts'
import { type Metrics, openMetrics } from '../telemetry/metrics.ts'
import type { Traces } from '../telemetry/traces.ts'

export type Ports = {
  config: Config
  secrets: Secrets
  storage: Storage
  log: Logger
  metrics?: Metrics
  /** Null if traces are off. */
  traces?: Traces | null
  /** What several nodes share in Redis, or the threads of a server in memory; null if this is the only one. */
  shared?: Shared | null
  /** Ships commits and photos; null if there is no replica. */
  replica?: Replica | null
  /** Tells the thread that delivers parcels of one; null if this one delivers them. */
  wakeElsewhere?: ((kind: ParcelKind) => void) | null
  /** Has another thread store and remove files; null if this one does. */
  filesElsewhere?: ((own: Files) => Files) | null
  /** The address that a request comes from; null if that is the other end of its connection. */
  peerOf?: ((request: Request) => string | undefined) | null
  /** The HTTP client for URLs that others provide. */
  outbound?: Outbound
  /** The push services and the bot. */
  providers?: Providers
  ids?: Ids
  now?: () => number
  /** Random numbers from 0 to below 1. */
  random?: () => number
  /** Overrides what the hash of a password costs. */
  passwordCost?: HashCost
  /** Overrides how long a user still counts as online after their last socket has closed. */
  calmMs?: number
}

export type Core = ReturnType<typeof buildCore>

// Unpredictable, unlike Math.random.
const randomFraction = () => {
  const [bits = 0] = crypto.getRandomValues(new Uint32Array(1))
  return bits / 2 ** 32
}

/** The ports, and the parts that nearly every service takes. */
export function buildCore({
  config,
  secrets,
  storage,
  log,
  metrics = openMetrics(),
  traces = null,
  shared = null,
  replica = null,
  wakeElsewhere = null,
  filesElsewhere = null,
  peerOf = null,
  outbound = openOutbound({ allow: config.outboundAllow }),
  providers: givenProviders,
  ids = realIds,
  now = Date.now,
  random = randomFraction,
  passwordCost,
  calmMs,
}: Ports) {
  // The id of this process, which its leases carry.
  const node = realIds.random()
  const nodes = shared?.nodes ?? null
  const mayMiss = nodes !== null || config.database.engine === 'postgres'
  const limits = openLimits({ table: config.rateLimit, counter: shared?.counter, now })
  const legal = legalService({ dir: config.legalDir, contact: config.legalContact })
  const audit = auditService({
    store: storage.audit,
    ids,
    now,
    failed: (error, { action, actor_id, subject_id }) =>
      log.error({ err: error, action, actor_id, subject_id }, 'an entry of the audit log could not be written'),
  })
  const consents = consentsService({ store: storage.accounts, legal, limits, audit, ids, now })
  const tokens = openTokens({ secret: secrets.jwt, now })
  return {
    config,
    secrets,
    storage,
    log,
    metrics,
    traces,
    shared,
    replica,
    wakeElsewhere,
    filesElsewhere,
    peerOf,
    outbound,
    givenProviders,
    ids,
    now,
    random,
    passwordCost,
    calmMs,
    node,
    nodes,
    /** Whether storage may hold changes that this node does not know, such as those of another node. */
    mayMiss,
    /** A key for one purpose, which reveals none of the others. */
    keyFor: (purpose: string) => new Bun.CryptoHasher('sha256', secrets.jwt).update(`convene ${purpose} v1`).digest(),
    limits,
    paging: openPaging({ secret: secrets.jwt }),
    legal,
    audit,
    consents,
    tokens,
    callers: openCallers({ tokens, sessions: storage.sessions, consents, nodes, mayMiss, now }),
    blocking: openBlocking({ store: storage.blocks }),
    webhooks: webhookService({ isOn: config.webhookUrl !== null, ids, now }),
    jobLeases: openJobLeases({ store: storage.jobLeases, node, now }),
  }
}
