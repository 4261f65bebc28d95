import type { Logger } from 'pino'
import { iso, seconds } from '../lib/time.ts'
import type { EphemeralData } from './events.ts'
import { ephemeralFrame } from './frame.ts'
import type { LastSeen } from './last-seen.ts'
import type { Nodes } from './nodes.ts'
import type { Sockets } from './sockets.ts'

/** Whether users are online, and when they last were, in milliseconds since 1970: null if never, or erased. */
export type Presence = {
  of(userIds: readonly string[]): Promise<Map<string, { online: boolean; last_seen_at: number | null }>>
}

/** How long a user still counts as online after their last socket has closed. */
const usualCalmMs = 10 * seconds

type Deps = {
  sockets: Pick<Sockets, 'has' | 'isForeground' | 'deliver' | 'whenLastCloses' | 'whenFocusChanges'>
  /** The users who are told about a user's presence. */
  peers(userId: string): Promise<string[]>
  /** Null if this is the only node. */
  nodes: Pick<Nodes, 'syncPresence' | 'online' | 'foreground' | 'relay'> | null
  lastSeen: LastSeen
  calmMs?: number
  log: Logger
  now: () => number
}

/**
 * Who is online, and who is told. A user stays online for some seconds after their last socket has closed, so that a
 * reconnection, to any node, announces nothing. A user who was suspended or erased goes offline at once.
 */
export function openPresence({ sockets, peers, nodes, lastSeen, calmMs = usualCalmMs, log, now }: Deps) {
  /** Users whose last socket here has closed, until they count as offline. */
  const lingering = new Map<string, Timer>()
  let closed = false

  const isHere = (userId: string) => sockets.has(userId) || lingering.has(userId)
  const presenceFrame = (data: EphemeralData['presence']) => ephemeralFrame(now(), 'presence', data)
  const nobody: ReadonlySet<string> = new Set()
  const elsewhere = async (userIds: readonly string[]) =>
    nodes === null || userIds.length === 0 ? nobody : nodes.online(userIds)

  async function announce(userId: string, online: boolean) {
    try {
      const [concerned, seen] = await Promise.all([peers(userId), online ? null : lastSeen.of([userId])])
      // The user has come back, which is announced separately.
      if (isHere(userId) && !online) return
      const at = seen === null ? now() : seen.get(userId)
      const frame = presenceFrame({ user_id: userId, online, last_seen_at: at === undefined ? null : iso(at) })
      for (const peer of concerned) {
        sockets.deliver(peer, frame)
        // Sent without asking Redis who is online: after an outage it may not know yet.
        nodes?.relay(peer, frame)
      }
    } catch (error) {
      log.error({ err: error }, 'could not announce presence')
    }
  }

  function leave(userId: string) {
    if (closed) return
    if (nodes) void nodes.syncPresence(userId)
    else void announce(userId, false)
  }

  sockets.whenLastCloses((userId) => {
    lastSeen.note(userId)
    if (closed) return
    const lingers = setTimeout(() => {
      lingering.delete(userId)
      leave(userId)
    }, calmMs)
    lingering.set(userId, lingers.unref())
    // The user still counts as online, but no longer as looking at the app.
    void nodes?.syncPresence(userId)
  })
  sockets.whenFocusChanges((userId) => void nodes?.syncPresence(userId))

  return {
    isHere,

    /**
     * Whether a user looks at the app: has a socket, on any node, whose app has not said that it is in the background. False
     * if that is unknown, as a superfluous notification is better than a missing one.
     */
    isForeground: async (userId: string): Promise<boolean> =>
      sockets.isForeground(userId) || (nodes !== null && (await nodes.foreground(userId))),

    /** A user's first socket on this node has opened. Resolves when the other nodes can know. */
    async came(userId: string): Promise<void> {
      lastSeen.note(userId)
      const lingers = lingering.get(userId)
      clearTimeout(lingers)
      lingering.delete(userId)
      if (nodes) await nodes.syncPresence(userId)
      else if (lingers === undefined) void announce(userId, true)
    },

    /** Skips the wait for a user who has no sockets left and cannot come back. */
    leaveNow(userId: string) {
      const lingers = lingering.get(userId)
      if (lingers === undefined) return
      clearTimeout(lingers)
      lingering.delete(userId)
      leave(userId)
    },

    /** Another node or Redis reports that a user came or went: announces it if it is still true. */
    async cameOrWent(userId: string, online: boolean) {
      const isOnline = isHere(userId) || (await elsewhere([userId])).has(userId)
      if (isOnline === online) await announce(userId, online)
    },

    /** A frame for each of a user's peers who is online. */
    async greetings(userId: string): Promise<string[]> {
      const concerned = await peers(userId)
      const away = await elsewhere(concerned.filter((peer) => !isHere(peer)))
      return concerned
        .filter((peer) => isHere(peer) || away.has(peer))
        .map((peer) => presenceFrame({ user_id: peer, online: true, last_seen_at: iso(now()) }))
    },

    async of(userIds: readonly string[]) {
      const absent = userIds.filter((userId) => !isHere(userId))
      const [away, seen] = await Promise.all([elsewhere(absent), lastSeen.of(absent)])
      const at = now()
      return new Map(
        userIds.map((userId) => {
          const online = isHere(userId) || away.has(userId)
          return [userId, { online, last_seen_at: online ? at : (seen.get(userId) ?? null) }]
        }),
      )
    },

    /** Stops all announcements. The other nodes wait before they announce that this node's users went offline. */
    close() {
      closed = true
      for (const lingers of lingering.values()) clearTimeout(lingers)
      lingering.clear()
    },
  }
}

export type OpenPresence = ReturnType<typeof openPresence>
