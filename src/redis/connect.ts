import { createConnection, isIP } from 'node:net'
import { type ClientContext, Cluster, Redis, type RedisOptions, type Result } from 'ioredis'
import { ConfigError } from '../config.ts'
import type { RedisAddress } from '../lib/redis-url.ts'
import { codeOf, messageOf } from '../lib/errors.ts'

// The types of the Lua scripts that are defined on the connection.
declare module 'ioredis' {
  interface RedisCommander<Context extends ClientContext> {
    conveneFirst(key: string, at: number, everyMs: number): Result<number, Context>
    conveneSpend(key: string, most: number, withinMs: number, ...things: string[]): Result<number, Context>
    conveneJoin(key: string, node: string): Result<string[], Context>
    conveneLeave(key: string, node: string): Result<string[], Context>
    conveneNodesOfEach(count: number, ...keys: string[]): Result<string[][], Context>
  }
}

export type Commands = Redis | Cluster

/** A connection to a Redis or a Redis Cluster that has accepted us. */
export type Connected = {
  /** For commands, which fail at once while it is disconnected. */
  commands: Commands
  /** Whether channels are sharded: each belongs to one node of a cluster. */
  sharded: boolean
  /** Opens a connection for subscriptions, to a node of a cluster or to the URL's address. */
  subscriber(node?: string): Redis
}

/** Redis cannot be reached now, and may come back. */
export class RedisAway extends ConfigError {}

// A Redis that is silent for this long counts as down, and pending commands fail.
const answerWithinMs = 1000
// Longer at the start, because a booting machine is slow.
const firstAnswerWithinMs = 3000
const startWithinMs = 10_000
const retryAfter = (attempt: number) => Math.min(50 * attempt, 500)

/**
 * Connects to the Redis of the configuration.
 *
 * Throws ConfigError, one line without the password, if Redis refuses us, and RedisAway if it does not answer.
 */
export async function connect(address: RedisAddress): Promise<Connected> {
  const shared = optionsOf(address)
  const there = { host: address.host, port: address.port, db: address.database }
  const opened: { disconnect(): void }[] = []
  let problem: unknown = null

  /** Connects, and remembers the reason of a failure, which the error of `connect` does not contain. */
  async function begin<T extends Commands>(client: T): Promise<T> {
    opened.push(client)
    client.on('error', (error) => (problem ??= error))
    await client.connect()
    return client
  }

  async function start(): Promise<Connected> {
    const first = await begin(
      new Redis({ ...shared, ...there, socketTimeout: firstAnswerWithinMs, retryStrategy: null }),
    )
    // If the number of the database does not exist, ioredis only emits an error and uses database 0.
    if (problem !== null) throw problem
    const isCluster = /^cluster_enabled:1/m.test(await first.info('cluster'))
    // Clusters before Redis 7 broadcast every message to all nodes.
    const sharded = isCluster && (await knowsShardedChannels(first))
    if (isCluster && address.database !== 0)
      throw new ConfigError('REDIS_URL must not name the number of a database: a Redis Cluster has only one')
    first.disconnect()
    const commands = isCluster
      ? new Cluster([{ host: address.host, port: address.port }], {
          lazyConnect: true,
          enableOfflineQueue: false,
          enableAutoPipelining: true,
          maxRedirections: 4,
          retryDelayOnFailover: 50,
          retryDelayOnClusterDown: 50,
          retryDelayOnTryAgain: 50,
          slotsRefreshTimeout: answerWithinMs,
          slotsRefreshInterval: 5000,
          clusterRetryStrategy: retryAfter,
          redisOptions: shared,
        })
      : new Redis({ ...shared, ...there, enableAutoPipelining: true, retryStrategy: retryAfter })
    await begin<Commands>(commands)
    return {
      commands,
      sharded,
      subscriber(node) {
        const [, host, port] = /^(.*):(\d+)$/.exec(node ?? '') ?? []
        const where = host === undefined ? there : { host, port: Number(port) }
        const client = new Redis({ ...shared, ...where, retryStrategy: retryAfter })
        client.on('error', () => {})
        client.connect().catch(() => {})
        return client
      },
    }
  }

  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('Socket timeout')), startWithinMs)
  try {
    return await Promise.race([start(), late.promise])
  } catch (error) {
    for (const client of opened) client.disconnect()
    // The server closed the connection before its answer was read: ask again to find out whether it is a Redis.
    if (codeOf(problem ?? error) === 'EPIPE' && !(await answersAsRedis(address)))
      problem = new Error('Unknown RESP type')
    throw error instanceof ConfigError ? error : refusal(address, problem ?? error)
  } finally {
    clearTimeout(timer)
  }
}

/** Whether the server answers PING like a Redis, or not at all. */
function answersAsRedis({ host, port, tls }: RedisAddress): Promise<boolean> {
  if (tls) return Promise.resolve(true)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = createConnection({ host, port }, () => socket.write('PING\r\n'))
  socket.setTimeout(answerWithinMs, () => socket.destroy())
  socket.on('data', (bytes) => resolve(/^[+-]/.test(bytes.toString('latin1'))))
  socket.on('error', () => {})
  socket.on('close', () => resolve(true))
  return promise.finally(() => socket.destroy())
}

function optionsOf({ host, username, password, tls }: RedisAddress): RedisOptions {
  return {
    lazyConnect: true,
    connectTimeout: 5000,
    socketTimeout: answerWithinMs,
    // No automatic retry: the caller knows whether a message still matters.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    connectionName: 'convene',
    ...(username !== null && { username }),
    ...(password !== null && { password }),
    ...(tls && { tls: isIP(host) ? {} : { servername: host } }),
  }
}

const knowsShardedChannels = (client: Redis) =>
  client.call('PUBSUB', 'SHARDNUMSUB').then(
    () => true,
    () => false,
  )

/** The reason of an error. That of a transaction, and of a cluster's client, only contains it. */
export function causeOf(error: unknown): unknown {
  const reasons = error instanceof Error && 'previousErrors' in error ? error.previousErrors : null
  return (Array.isArray(reasons) ? reasons[0] : null) ?? error
}

/** Why Redis refuses us, in one line for the operator. */
export function refusal({ host, port, tls }: RedisAddress, error: unknown): ConfigError {
  const [message, code] = [messageOf(error), codeOf(error)]
  const there = `${host}:${port}`
  const because = (text: string) => new ConfigError(`REDIS_URL ${text}`, { cause: error })
  if (/^(WRONGPASS|ERR invalid password|ERR AUTH)/.test(message))
    return because(`has a user or a password that the Redis at ${there} refuses`)
  if (message.startsWith('NOAUTH')) return because(`has no password, which the Redis at ${there} asks for`)
  if (message.startsWith('NOPERM'))
    return because(`names a user who lacks a permission at ${there}: ${message.replace(/^NOPERM */, '')}`)
  if (message.startsWith('READONLY')) return because(`names a replica, which takes no writes: ${there}`)
  if (/^(OOM|MISCONF|NOREPLICAS)/.test(message))
    return new RedisAway(`REDIS_URL names a Redis that refuses writes: ${there} (${message})`, { cause: error })
  if (message.startsWith('ERR DB index')) return because(`names the number of a database that ${there} does not have`)
  if (tls && /TLS|SSL|certificate|CERT|handshake|wrong version/i.test(`${code} ${message}`))
    return because(`begins a TLS connection that fails: ${there} (${code || message})`)
  if (message.startsWith('Unknown RESP type'))
    return because(`names a server that is not a Redis${tls ? '' : ', or one that needs TLS (rediss://)'}: ${there}`)
  const how = code || (message.startsWith('Socket timeout') ? 'silence' : message)
  return new RedisAway(`REDIS_URL names a Redis that does not answer${tls ? ' over TLS' : ''}: ${there} (${how})`, {
    cause: error,
  })
}
