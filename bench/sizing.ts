import { markdown, number } from './report.ts'

/** Microseconds of CPU for each answer, of the node and of PostgreSQL; what Redis takes is only counted for a send. */
export type Cost = { node: number; postgres: number }
export type Costs = {
  send: Cost & { redis: number }
  listMessages: Cost
  listChats: Cost
  nearby: Cost
  /** Bytes on disk with indexes: of a message, of an event, and of everything that an account has. */
  bytes: { message: number; event: number; account: number }
}

/** What a community does. Change these for another one. */
export const habits = {
  /** Of all accounts, those who are there on a day. */
  active: 0.2,
  /** Sent by each of them a day; for each, the list of messages and that of chats are read once. */
  messages: 20,
  /** Searches of each of them a day. */
  searches: 5,
  /** Of two messages one is followed by a mark as read, which costs as much as a send. */
  writesForMessage: 1.5,
  eventsForMessage: 3,
  /** The busiest hour, in times of the mean. */
  peak: 4,
  /** Of those who are there on a day, those who have a socket at the peak. */
  connected: 0.25,
  keptDays: { messages: 365, events: 7 },
}

/** What one machine of each kind is given, and how much of its CPU may be in use at the peak. */
export const machines = {
  inUse: 0.5,
  node: { cores: 1, sockets: 50_000 },
  postgres: { cores: 16, bytes: 2e12 },
  redis: { cores: 1, bytes: 8e9, bytesForConnected: 680 },
}

const day = 86_400

export type Sizing = ReturnType<typeof sizing>

/** How many machines so many accounts take at the peak. */
export function sizing(users: number, { send, listMessages, listChats, nearby, bytes }: Costs) {
  const active = users * habits.active
  const sends = (active * habits.messages * habits.peak) / day
  const searches = (active * habits.searches * habits.peak) / day
  const sockets = active * habits.connected
  /** Cores in use: µs a second ÷ 1,000,000. */
  const cores = (of: keyof Cost) =>
    (sends * (habits.writesForMessage * send[of] + listMessages[of] + listChats[of])) / 1e6
  const searchCores = { node: (searches * nearby.node) / 1e6, postgres: (searches * nearby.postgres) / 1e6 }
  const storage =
    users * bytes.account +
    active *
      habits.messages *
      (habits.keptDays.messages * bytes.message + habits.keptDays.events * habits.eventsForMessage * bytes.event)
  const usable = (kind: { cores: number }) => kind.cores * machines.inUse
  // Every shard is asked by every search, so that share of a server is gone whatever their number.
  const left = usable(machines.postgres) - searchCores.postgres
  return {
    users,
    sends,
    searches,
    events: sends * habits.eventsForMessage,
    sockets,
    // Two, so that one may fail.
    nodes: Math.max(
      2,
      Math.ceil((cores('node') + searchCores.node) / usable(machines.node)),
      Math.ceil(sockets / machines.node.sockets),
    ),
    /** Null where searches alone are more than a shard can do: they need standbys of each. */
    shards:
      left <= 0 ? null : Math.max(Math.ceil(cores('postgres') / left), Math.ceil(storage / machines.postgres.bytes)),
    postgresCores: cores('postgres') + searchCores.postgres,
    redisParts: Math.max(
      Math.ceil((sends * habits.writesForMessage * send.redis) / 1e6 / usable(machines.redis)),
      Math.ceil((sockets * machines.redis.bytesForConnected) / machines.redis.bytes),
    ),
    storage,
  }
}

const size = (bytes: number) => (bytes >= 1e12 ? `${number(bytes / 1e12)} TB` : `${number(bytes / 1e9)} GB`)

export const sizingTable = (all: readonly Sizing[]) =>
  markdown(
    ['accounts', ...all.map(({ users }) => number(users))],
    [
      ['sends a second at the peak', ...all.map(({ sends }) => number(sends))],
      ['events a second at the peak', ...all.map(({ events }) => number(events))],
      ['searches a second at the peak', ...all.map(({ searches }) => number(searches))],
      ['sockets', ...all.map(({ sockets }) => number(sockets))],
      ['nodes', ...all.map(({ nodes }) => number(nodes))],
      ['cores of PostgreSQL in use', ...all.map(({ postgresCores }) => number(postgresCores))],
      ['database shards', ...all.map(({ shards }) => (shards === null ? 'searches need standbys' : number(shards)))],
      ['parts of Redis', ...all.map(({ redisParts }) => number(redisParts))],
      ['storage after a year, without photos', ...all.map(({ storage }) => size(storage))],
    ],
  )
