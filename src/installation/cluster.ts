import { realpathSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { type Config, ConfigError } from '../config.ts'
import { seconds } from '../lib/time.ts'

/** The settings that must be the same on all nodes of a database. */
const needed = ['REDIS_URL', 'MEDIA_URL'] as const

/** A server of a database, as the other servers see it. */
export type ClusterNode = {
  /** Unique to this process. */
  id: string
  /** Identifies its data directory, which only one process can hold at a time. */
  place: string
  host: string
  /** The settings that several nodes need and this one lacks. */
  lacks: string[]
}

/** A registered node; `seen_at` is the time of its last heartbeat by the database's clock, in milliseconds. */
export type Peer = ClusterNode & { seen_at: number }

/** The nodes of a database, by the database's clock. A node without a heartbeat for `aliveMs` is gone. */
export type NodeStore = {
  /**
   * Registers a node, replacing any with the same data directory, if `admits` accepts the living ones. Returns those. Of nodes
   * that start at once, one is registered first and seen by the others.
   */
  join(node: ClusterNode, aliveMs: number, admits: (living: readonly Peer[]) => boolean): Promise<Peer[]>
  /** Sends a node's heartbeat and returns the other living nodes. */
  beat(node: ClusterNode, aliveMs: number): Promise<Peer[]>
  leave(id: string): Promise<void>
}

type Pace = { aliveMs: number; beatMs: number; lookMs: number }
const usualPace: Pace = { aliveMs: 15 * seconds, beatMs: 5 * seconds, lookMs: seconds }

/** Why a node cannot serve the database together with the living ones, in one line for the operator; null if it can. */
export function clusterProblem(node: Pick<ClusterNode, 'lacks'>, living: readonly ClusterNode[]): string | null {
  const [first] = living
  if (first === undefined) return null
  const and = (settings: readonly string[]) => settings.join(' and ')
  if (node.lacks.length > 0)
    return `${and(node.lacks)} must be set, the same on all nodes: another node of this database runs on ${first.host}`
  const lacking = living.find(({ lacks }) => lacks.length > 0)
  if (!lacking) return null
  return `${and(lacking.lacks)} must be set on all nodes, and the node of this database on ${lacking.host} runs without: set it there first, or stop that node`
}

/** This process, as the other nodes see it. */
export function thisNode({ dataDir, redis, media }: Pick<Config, 'dataDir' | 'redis' | 'media'>): ClusterNode {
  const { dev, ino, birthtimeMs } = statSync(dataDir)
  const place = [hostname(), realpathSync(dataDir), dev, ino, birthtimeMs].join('\n')
  return {
    id: crypto.randomUUID(),
    place: new Bun.CryptoHasher('sha256').update(place).digest('hex'),
    host: hostname(),
    lacks: needed.filter((setting) => (setting === 'REDIS_URL' ? redis : media) === null),
  }
}

type Deps = { store: NodeStore; node: ClusterNode; log: Pick<Logger, 'info' | 'error'>; pace?: Pace }

/**
 * Registers this node with its database and starts its heartbeat. A node that was killed looks alive for a while: if it is in
 * the way, this waits until it sends a heartbeat or expires.
 *
 * Throws ConfigError if this node and a living one cannot serve the database together.
 */
export async function joinCluster({ store, node, log, pace = usualPace }: Deps) {
  const { aliveMs, beatMs, lookMs } = pace
  const firstSeen = new Map<string, number>()
  for (;;) {
    const living = await store.join(node, aliveMs, (others) => clusterProblem(node, others) === null)
    if (clusterProblem(node, living) === null) break
    const proven = living.filter(({ id, seen_at }) => seen_at > (firstSeen.get(id) ?? Infinity))
    const problem = clusterProblem(node, proven)
    if (problem !== null) throw new ConfigError(problem)
    if (firstSeen.size === 0) log.info('waiting for another node of this database, which may have been killed')
    for (const { id, seen_at } of living) if (!firstSeen.has(id)) firstSeen.set(id, seen_at)
    await Bun.sleep(lookMs)
  }

  let lastProblem: string | null = null
  let beating: Promise<void> | null = null
  async function beat() {
    const problem = clusterProblem(node, await store.beat(node, aliveMs))
    // This node was paused and expired, and another one has started since.
    if (problem !== null && problem !== lastProblem)
      log.error({ reason: problem }, 'nodes of this database do not fit each other')
    lastProblem = problem
  }
  const timer = setInterval(() => {
    // If the database is down, the next heartbeat may succeed.
    beating ??= beat()
      .catch(() => {})
      .finally(() => (beating = null))
  }, beatMs)
  timer.unref()

  return {
    /** Why the living nodes do not fit each other, as of the last heartbeat; null if they do. */
    problem: () => lastProblem,

    /** Removes this node, so that no other node has to wait for it. */
    async leave() {
      clearInterval(timer)
      await beating
      await store.leave(node.id).catch(() => {})
    },
  }
}
