import { Cluster } from 'ioredis'
import type { Logger } from 'pino'
import type { Commands } from './connect.ts'

// Atomically adds this node to, or removes it from, the nodes where a user has sockets, and returns the other ones.
const join = `local others = redis.call('SMEMBERS', KEYS[1]) redis.call('SADD', KEYS[1], ARGV[1]) return others`
const leave = `redis.call('SREM', KEYS[1], ARGV[1]) return redis.call('SMEMBERS', KEYS[1])`

// The nodes of many users in one command.
const nodesOfEach = `local found = {} for i, key in ipairs(KEYS) do found[i] = redis.call('SMEMBERS', key) end return found`

const atOnce = 200
/** In place of the number of losses: Redis has been asked, but has not answered yet. */
const unconfirmed = -1
const tombstoneS = 86_400

type Deps = {
  commands: Commands
  /** The prefix of every key. */
  prefix: string
  /** How long a silent node counts as alive. */
  aliveMs: number
  /** Whether this node already has users, because it started while Redis was away. */
  isLate: boolean
  isHere(userId: string): boolean
  isForeground(userId: string): boolean
  cameOrWent(userId: string, online: boolean): void
  log: Logger
}

/**
 * Which users have a socket on which node. A node sends a heartbeat every few seconds. If it stops, the other nodes remove its
 * users and announce that they went offline.
 *
 * Keys: per user, a set of the nodes with a socket of theirs, and a set of those nodes where none is in the foreground; per
 * node, a set of its users and a key that expires; and one set of all nodes. A node whose users were removed while it could
 * not reach Redis continues under another name.
 */
export function openPresence({ commands, prefix, aliveMs, isLate, isHere, isForeground, cameOrWent, log }: Deps) {
  commands.defineCommand('conveneJoin', { numberOfKeys: 1, lua: join })
  commands.defineCommand('conveneLeave', { numberOfKeys: 1, lua: leave })
  commands.defineCommand('conveneNodesOfEach', { lua: nodesOfEach })

  // All in one slot of a cluster, because one transaction writes them.
  const nodesKey = `${prefix}{nodes}`
  const aliveKey = (node: string) => `${nodesKey}:${node}`
  const tombstoneKey = (node: string) => `${nodesKey}:gone:${node}`
  const nodesOf = (userId: string) => `${prefix}online:${userId}`
  /** The nodes where a user has sockets, but none in the foreground. */
  const awayOn = (userId: string) => `${prefix}away:${userId}`
  const usersOf = (node: string) => `${prefix}users:${node}`

  let self: string = crypto.randomUUID()
  /** Whether Redis has taken a heartbeat under this name. */
  let hasBeaten = false
  let hasFailed = false
  /** Users registered in Redis as being here, with the number of losses before that. */
  const registered = new Map<string, number>()
  /** The same for users who have no socket in the foreground here. */
  const registeredAway = new Map<string, number>()
  let losses = 0
  const syncing = new Map<string, Promise<void>>()
  const unsynced = new Set<string>()
  /** Whether other nodes are alive, as far as is known. */
  let alive = new Map<string, boolean>()
  const removing = new Set<string>()
  let steadySince = performance.now()
  /** After a loss, other nodes may not be subscribed again until then, and miss announcements. */
  let missedUntil = isLate ? steadySince + aliveMs : 0
  /** Users who came or went in that time: announced once more after it. */
  const announceAgain = new Set<string>()

  /** Registers in Redis whether a user is here, and announces it if that changes whether they are online anywhere. */
  function sync(userId: string): Promise<void> {
    const running = syncing.get(userId)
    if (running) return running
    const { promise, resolve } = Promise.withResolvers<void>()
    syncing.set(userId, promise)
    void register(userId).then(resolve)
    return promise
  }

  async function register(userId: string) {
    try {
      for (;;) {
        const here = isHere(userId)
        const before = registered.get(userId)
        const [at, node] = [losses, self]
        const away = here && !isForeground(userId)
        if (away ? registeredAway.get(userId) !== losses : registeredAway.has(userId)) {
          if (away) registeredAway.set(userId, unconfirmed)
          await commands[away ? 'sadd' : 'srem'](awayOn(userId), node)
          if (node !== self) continue
          if (away) registeredAway.set(userId, at)
          else registeredAway.delete(userId)
          continue
        }
        if (here ? before === losses : before === undefined) break
        if (here) {
          // If the answer is lost, they may be registered all the same.
          if (before === undefined) registered.set(userId, unconfirmed)
          await commands.sadd(usersOf(node), userId)
        }
        const others = await commands[here ? 'conveneJoin' : 'conveneLeave'](nodesOf(userId), node)
        if (!here) await commands.srem(usersOf(node), userId)
        // The other nodes expired us: register again.
        if (node !== self) continue
        if (here) registered.set(userId, at)
        else registered.delete(userId)
        // Registered again after a loss: the user was online all the time.
        if (here && before !== undefined && before !== unconfirmed) continue
        if (await anyAlive(others, node)) continue
        if (performance.now() < missedUntil) announceAgain.add(userId)
        cameOrWent(userId, here)
      }
      unsynced.delete(userId)
    } catch {
      unsynced.add(userId)
    } finally {
      syncing.delete(userId)
    }
  }

  /** In one command, except on a cluster, where the keys are on different nodes. */
  const nodesOfAll = (keys: readonly string[]) =>
    commands instanceof Cluster
      ? Promise.all(keys.map((key) => commands.smembers(key)))
      : commands.conveneNodesOfEach(keys.length, ...keys)

  async function syncAll(userIds: readonly string[]) {
    for (let i = 0; i < userIds.length; i += atOnce) await Promise.all(userIds.slice(i, i + atOnce).map(sync))
  }

  async function anyAlive(nodes: readonly string[], except = self): Promise<boolean> {
    const others = nodes.filter((node) => node !== except)
    if (others.some((node) => alive.get(node))) return true
    const unknown = others.filter((node) => !alive.has(node))
    const found = await Promise.all(unknown.map((node) => commands.exists(aliveKey(node))))
    for (const [i, node] of unknown.entries()) alive.set(node, found[i] === 1)
    return found.includes(1)
  }

  /** Sends this node's heartbeat, finds the nodes whose heartbeat has expired, and removes their users. */
  async function beat() {
    const isAfterFailure = hasFailed
    hasFailed = true
    const outcomes = await commands
      .multi()
      .set(aliveKey(self), 1, 'PX', aliveMs)
      .sadd(nodesKey, self)
      .exists(tombstoneKey(self))
      .smembers(nodesKey)
      .exec()
    for (const [error] of outcomes ?? []) if (error) throw error
    hasFailed = false
    const [, [, added] = [], [, gone] = [], [, members] = []] = outcomes ?? []
    const nodes: string[] = Array.isArray(members) ? members : []
    if (gone === 1) {
      const before = self
      self = crypto.randomUUID()
      hasBeaten = false
      for (const userId of registered.keys()) unsynced.add(userId)
      registered.clear()
      registeredAway.clear()
      await commands.del(aliveKey(before))
      return beat()
    }
    // Redis has lost its data without losing the connection, or has refused heartbeats, probably those of all nodes.
    if (hasBeaten && (added === 1 || isAfterFailure)) regained()
    hasBeaten = true
    const others = nodes.filter((node) => node !== self)
    const found = await Promise.all(others.map((node) => commands.exists(aliveKey(node))))
    alive = new Map(others.map((node, i) => [node, found[i] === 1]))
    // After a loss, the other nodes need that long to send their heartbeats.
    if (performance.now() - steadySince > aliveMs)
      for (const node of others) if (!alive.get(node)) void removeUsersOf(node)
    await syncAll([...unsynced])
    if (performance.now() < missedUntil) return
    for (const userId of announceAgain) cameOrWent(userId, isHere(userId))
    announceAgain.clear()
  }

  /** Removes the users of a dead node. Several nodes may do this at once, each for different users. */
  async function removeUsersOf(node: string) {
    if (removing.has(node)) return
    removing.add(node)
    try {
      await commands.set(tombstoneKey(node), 1, 'EX', tombstoneS)
      for (;;) {
        const userIds = await commands.spop(usersOf(node), atOnce)
        if (userIds.length === 0) break
        await Promise.all(
          userIds.map(async (userId) => {
            await commands.srem(awayOn(userId), node)
            await commands.conveneLeave(nodesOf(userId), node)
            cameOrWent(userId, false)
          }),
        )
      }
      if ((await commands.srem(nodesKey, node)) === 1) log.info({ node }, 'a node is gone')
    } catch (error) {
      // The next heartbeat continues.
      log.debug({ err: error }, 'could not remove the users of a node that is gone')
    } finally {
      removing.delete(node)
    }
  }

  /** Redis was down and may have lost its data: the next heartbeat registers everybody again. */
  function regained() {
    losses++
    steadySince = performance.now()
    missedUntil = steadySince + aliveMs
    for (const userId of registered.keys()) unsynced.add(userId)
  }

  return {
    beat,

    sync,

    regained,

    /** Whether a user has a socket in the foreground on another node. */
    async foreground(userId: string): Promise<boolean> {
      const [nodes, away] = await Promise.all([commands.smembers(nodesOf(userId)), commands.smembers(awayOn(userId))])
      return anyAlive(nodes.filter((node) => !away.includes(node)))
    },

    /** Those of these users who have a socket on another node. */
    async online(userIds: readonly string[]): Promise<Set<string>> {
      const online = new Set<string>()
      for (let i = 0; i < userIds.length; i += atOnce) {
        const some = userIds.slice(i, i + atOnce)
        const nodes = await nodesOfAll(some.map(nodesOf))
        for (const [j, userId] of some.entries()) if (await anyAlive(nodes[j] ?? [])) online.add(userId)
      }
      return online
    },
  }
}
