import slotOf from 'cluster-key-slot'
import { Cluster, type Redis } from 'ioredis'
import type { Connected } from './connect.ts'

type Connection = {
  client: Redis
  /** How many times it was opened; null while it is closed. */
  open: number | null
  opened: number
  heard: Set<string>
  /** Channels that are not subscribed to yet. */
  missing: Set<string>
}

// Channels per SUBSCRIBE.
const atOnce = 1000
const everywhere = ''

type Deps = Connected & {
  /** These channels are subscribed from now on; earlier messages on them were missed. */
  onHeard(channels: readonly string[]): void
  onMessage(channel: string, message: string): void
  /** A connection has opened or was lost. */
  onChange(): void
}

/**
 * The channels that this node subscribes to: one for each user with a socket here. On a cluster, each is on the node of its
 * slot. Resubscribes after a loss itself, instead of letting the library do it, because it has to know from when on messages
 * arrive again.
 */
export function openHearing({ commands, sharded, subscriber, onHeard, onMessage, onChange }: Deps) {
  const wanted = new Set<string>()
  /** By node of a cluster. A single connection if channels are not sharded. */
  const connections = new Map<string, Connection>()
  /** Channels whose slot no node has now. */
  const nowhere = new Set<string>()
  const waiting = new Set<Connection>()
  let slots: (string | undefined)[] = []

  const nodeOf = (channel: string) =>
    sharded && commands instanceof Cluster ? commands.slots[slotOf(channel)]?.[0] : everywhere

  function connectionTo(node: string): Connection {
    const existing = connections.get(node)
    if (existing) return existing
    const client = subscriber(node)
    const connection: Connection = { client, open: null, opened: 0, heard: new Set(), missing: new Set() }
    connections.set(node, connection)
    client.on('ready', () => {
      connection.open = ++connection.opened
      subscribe(connection)
      onChange()
    })
    client.on('close', () => {
      connection.open = null
      for (const channel of connection.heard) connection.missing.add(channel)
      connection.heard.clear()
      onChange()
    })
    client.on(sharded ? 'smessage' : 'message', onMessage)
    // The slot has moved to another node.
    client.on('moved', () => {
      if (commands instanceof Cluster) commands.refreshSlotsCache()
    })
    return connection
  }

  function place(channel: string) {
    const node = nodeOf(channel)
    if (node === undefined) return nowhere.add(channel)
    const connection = connectionTo(node)
    if (connection.heard.has(channel)) return
    connection.missing.add(channel)
    if (connection.open === null) return
    // Batched by turn of the event loop.
    if (waiting.size === 0) setImmediate(subscribeWaiting)
    waiting.add(connection)
  }

  function subscribeWaiting() {
    const connectionsNow = [...waiting]
    waiting.clear()
    for (const connection of connectionsNow) subscribe(connection)
  }

  function subscribe(connection: Connection) {
    if (connection.open === null) return
    const channels = [...connection.missing]
    connection.missing.clear()
    for (let i = 0; i < channels.length; i += atOnce) void subscribeTo(connection, channels.slice(i, i + atOnce))
  }

  async function subscribeTo(connection: Connection, channels: string[]) {
    const { client, open } = connection
    const asked = sharded
      ? channels.map((channel) => client.ssubscribe(channel))
      : Array<Promise<unknown>>(channels.length).fill(client.subscribe(...channels))
    const outcomes = await Promise.allSettled(asked)
    const heard: string[] = []
    for (const [i, channel] of channels.entries()) {
      if (!wanted.has(channel)) continue
      if (outcomes[i]?.status === 'fulfilled' && connection.open === open) {
        connection.heard.add(channel)
        heard.push(channel)
      } else {
        connection.missing.add(channel)
      }
    }
    if (heard.length > 0) onHeard(heard)
  }

  /** Resubscribes to the channels of slots that have moved to another node. */
  function followSlots() {
    if (!sharded || !(commands instanceof Cluster)) return
    const before = slots
    slots = commands.slots.map(([master]) => master)
    if (slots.length === before.length && slots.every((master, slot) => master === before[slot])) return
    for (const [node, { client, heard, missing }] of connections) {
      for (const channel of [...heard, ...missing].filter((each) => nodeOf(each) !== node)) {
        heard.delete(channel)
        missing.delete(channel)
        if (wanted.has(channel)) place(channel)
      }
      if (slots.includes(node)) continue
      connections.delete(node)
      client.disconnect()
    }
  }

  return {
    hear(channel: string) {
      wanted.add(channel)
      place(channel)
    },

    leave(channel: string) {
      wanted.delete(channel)
      nowhere.delete(channel)
      const connection = connections.get(nodeOf(channel) ?? everywhere)
      if (!connection) return
      connection.heard.delete(channel)
      connection.missing.delete(channel)
      if (connection.open === null) return
      const { client } = connection
      const left = sharded ? client.sunsubscribe(channel) : client.unsubscribe(channel)
      left.catch(() => {})
    },

    isHeard: (channel: string) => connections.get(nodeOf(channel) ?? everywhere)?.heard.has(channel) === true,

    /** Whether every connection that is needed is open. */
    isWhole: () => [...connections.values()].every(({ open }) => open !== null),

    /** Called regularly: finds dead connections, and retries what failed. */
    tend() {
      followSlots()
      for (const channel of [...nowhere]) {
        nowhere.delete(channel)
        place(channel)
      }
      for (const connection of connections.values()) {
        if (connection.open === null) continue
        connection.client.ping().catch(() => {})
        subscribe(connection)
      }
    },

    close() {
      for (const { client } of connections.values()) client.disconnect()
    },
  }
}
