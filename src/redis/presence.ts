import type { Logger } from 'pino'
import type { Commands } from './connect.ts'

// Joins, or leaves, the nodes where a user has sockets; answers the other ones, as one step.
const join = `local others = redis.call('SMEMBERS', KEYS[1]) redis.call('SADD', KEYS[1], ARGV[1]) return others`
const leave = `redis.call('SREM', KEYS[1], ARGV[1]) return redis.call('SMEMBERS', KEYS[1])`

type Scripts = Record<'conveneJoin' | 'conveneLeave', (key: string, node: string) => Promise<string[]>>

const atOnce = 200
const tombstoneS = 86_400

type Deps = {
  commands: Commands
  /** What every key begins with. */
  prefix: string
  /** How long a node that says nothing is taken for alive. */
  aliveMs: number
  isHere(userId: string): boolean
  cameOrWent(userId: string, online: boolean): void
  log: Logger
}

/**
 * Who has a socket on which node. A node says every few seconds that it lives; its people are online while it does, and
 * once it does not, the others take them out and say that they went.
 *
 * Keys: a set of nodes for each user, a set of users for each node, the set of all nodes, and for each node one key that
 * expires. A node whose people were taken out while it could not reach Redis goes on under another name.
 */
export function openPresence({ commands, prefix, aliveMs, isHere, cameOrWent, log }: Deps) {
  commands.defineCommand('conveneJoin', { numberOfKeys: 1, lua: join })
  commands.defineCommand('conveneLeave', { numberOfKeys: 1, lua: leave })
  const scripts = commands as unknown as Scripts

  // In one slot of a cluster, as one transaction writes them.
  const nodesKey = `${prefix}{nodes}`
  const aliveKey = (node: string) => `${nodesKey}:${node}`
  const tombstoneKey = (node: string) => `${nodesKey}:gone:${node}`
  const nodesOf = (userId: string) => `${prefix}online:${userId}`
  const usersOf = (node: string) => `${prefix}users:${node}`

  let self: string = crypto.randomUUID()
  /** Who is told to Redis as being here, and how often it was lost before that. */
  const told = new Map<string, number>()
  let losses = 0
  const settling = new Set<string>()
  const unsettled = new Set<string>()
  /** Whether other nodes live, as far as it is known. */
  let alive = new Map<string, boolean>()
  const burying = new Set<string>()
  let steadySince = performance.now()

  /** Brings what Redis knows of a user in line with whether they are here, and says so where that changes it for all. */
  async function settle(userId: string) {
    if (settling.has(userId)) return
    settling.add(userId)
    try {
      for (;;) {
        const here = isHere(userId)
        const before = told.get(userId)
        if (here ? before === losses : before === undefined) break
        const [at, node] = [losses, self]
        if (here) await commands.sadd(usersOf(node), userId)
        const others = await scripts[here ? 'conveneJoin' : 'conveneLeave'](nodesOf(userId), node)
        if (!here) await commands.srem(usersOf(node), userId)
        // Meanwhile it was taken for dead: what this told is gone.
        if (node !== self) continue
        if (here) told.set(userId, at)
        else told.delete(userId)
        // Told again after a loss, which nobody was told of.
        if (here && before !== undefined) continue
        if (!(await anyAlive(others, node))) cameOrWent(userId, here)
      }
      unsettled.delete(userId)
    } catch {
      unsettled.add(userId)
    } finally {
      settling.delete(userId)
    }
  }

  async function settleAll(userIds: readonly string[]) {
    for (let i = 0; i < userIds.length; i += atOnce) await Promise.all(userIds.slice(i, i + atOnce).map(settle))
  }

  async function anyAlive(nodes: readonly string[], except = self): Promise<boolean> {
    const others = nodes.filter((node) => node !== except)
    if (others.some((node) => alive.get(node))) return true
    const unknown = others.filter((node) => !alive.has(node))
    const found = await Promise.all(unknown.map((node) => commands.exists(aliveKey(node))))
    for (const [i, node] of unknown.entries()) alive.set(node, found[i] === 1)
    return found.includes(1)
  }

  /** Says that this node lives, finds out which others do, and takes out the people of those that do not. */
  async function beat() {
    const outcomes = await commands
      .multi()
      .set(aliveKey(self), 1, 'PX', aliveMs)
      .sadd(nodesKey, self)
      .exists(tombstoneKey(self))
      .smembers(nodesKey)
      .exec()
    for (const [error] of outcomes!) if (error) throw error
    const [isGone, nodes] = [outcomes![2]![1] === 1, outcomes![3]![1] as string[]]
    if (isGone) {
      const before = self
      self = crypto.randomUUID()
      for (const userId of told.keys()) unsettled.add(userId)
      told.clear()
      await commands.del(aliveKey(before))
      return beat()
    }
    const others = nodes.filter((node) => node !== self)
    const found = await Promise.all(others.map((node) => commands.exists(aliveKey(node))))
    alive = new Map(others.map((node, i) => [node, found[i] === 1]))
    // After a loss the others need as long to say that they live.
    if (performance.now() - steadySince > aliveMs) for (const node of others) if (!alive.get(node)) void bury(node)
    await settleAll([...unsettled])
  }

  /** Takes the people of a dead node out. Several nodes may do that at once: each takes others. */
  async function bury(node: string) {
    if (burying.has(node)) return
    burying.add(node)
    try {
      await commands.set(tombstoneKey(node), 1, 'EX', tombstoneS)
      for (;;) {
        const userIds = await commands.spop(usersOf(node), atOnce)
        if (userIds.length === 0) break
        await Promise.all(
          userIds.map(async (userId) => {
            await scripts.conveneLeave(nodesOf(userId), node)
            cameOrWent(userId, false)
          }),
        )
      }
      if ((await commands.srem(nodesKey, node)) === 1) log.info({ node }, 'a node is gone')
    } catch (error) {
      // The next round goes on with it.
      log.debug({ err: error }, 'the people of a node that is gone could not be taken out')
    } finally {
      burying.delete(node)
    }
  }

  return {
    beat,

    settle: (userId: string) => void settle(userId),

    /** Redis was away, and may have lost everything: the next beat tells all of it again. */
    regained() {
      losses++
      steadySince = performance.now()
      for (const userId of told.keys()) unsettled.add(userId)
    },

    /** Those of these users who have a socket on another node. */
    async online(userIds: readonly string[]): Promise<Set<string>> {
      const nodes = await Promise.all(userIds.map((userId) => commands.smembers(nodesOf(userId))))
      const online = new Set<string>()
      for (const [i, userId] of userIds.entries()) if (await anyAlive(nodes[i]!)) online.add(userId)
      return online
    },
  }
}
