import { isIP } from 'node:net'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { ConfigError, type RedisAddress } from '../config.ts'

export type Commands = Redis | Cluster

/** A Redis, or a whole Redis Cluster, that answers and lets us in. */
export type Connected = {
  /** Takes commands, and refuses them at once where it is not connected. */
  commands: Commands
  /** Whether each channel lives on one part of a cluster, which alone hears and tells of it. */
  sharded: boolean
  /** One more connection, for subscriptions: to that node of a cluster, or else to where the URL points. */
  subscriber(node?: string): Redis
}

// A Redis that says nothing for so long is taken for gone, and whatever waited for it is refused.
const answerWithinMs = 1000
// At the start there is time: a machine that comes up is slow.
const firstAnswerWithinMs = 3000
const startWithinMs = 10_000
const retryAfter = (attempt: number) => Math.min(50 * attempt, 500)

/**
 * Connects to the Redis of the configuration.
 *
 * Throws ConfigError, one line without the password, where none answers or it does not let us in.
 */
export async function connect(address: RedisAddress): Promise<Connected> {
  const shared = optionsOf(address)
  const there = { host: address.host, port: address.port, db: address.database }
  const opened: { disconnect(): void }[] = []
  let problem: unknown = null

  /** Connects, and remembers why not: what `connect` itself throws then says nothing. */
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
    // A number that no database has is only told, and the first one taken.
    if (problem !== null) throw problem
    const isCluster = /^cluster_enabled:1/m.test(await first.info('cluster'))
    // Older clusters, before Redis 7, tell every part of every message.
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
    throw error instanceof ConfigError ? error : refusal(address, problem ?? error)
  } finally {
    clearTimeout(timer)
  }
}

function optionsOf({ host, username, password, tls }: RedisAddress): RedisOptions {
  return {
    lazyConnect: true,
    connectTimeout: 5000,
    socketTimeout: answerWithinMs,
    // What could not be said now is said again by who knows whether it still matters.
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

/** Why a Redis does not let us work, in one line for the operator. */
export function refusal({ host, port, tls }: RedisAddress, error: unknown): ConfigError {
  const { message = '', code } = error as { message?: string; code?: string }
  const there = `${host}:${port}`
  const because = (text: string) => new ConfigError(`REDIS_URL ${text}`, { cause: error })
  if (/^(WRONGPASS|ERR invalid password|ERR AUTH)/.test(message))
    return because(`has a user or a password that the Redis at ${there} refuses`)
  if (message.startsWith('NOAUTH')) return because(`has no password, which the Redis at ${there} asks for`)
  if (message.startsWith('NOPERM'))
    return because(`names a user who may not do at ${there} what is needed: ${message.replace(/^NOPERM */, '')}`)
  if (message.startsWith('READONLY')) return because(`names a replica, which takes no writes: ${there}`)
  if (message.startsWith('ERR DB index')) return because(`names the number of a database that ${there} does not have`)
  if (tls && /TLS|SSL|certificate|CERT|handshake|wrong version/i.test(`${code} ${message}`))
    return because(`begins a TLS connection that fails: ${there} (${code ?? message})`)
  if (/^(Unknown RESP type|Connection is closed)/.test(message) || code === 'EPIPE' || code === 'ECONNRESET')
    return because(`names what is no Redis${tls ? '' : ', or one that wants TLS (rediss://)'}: ${there}`)
  const how = code ?? (message.startsWith('Socket timeout') ? 'silence' : message)
  return because(`names a Redis that does not answer${tls ? ' over TLS' : ''}: ${there} (${how})`)
}
