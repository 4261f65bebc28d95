import { closing, type Connection } from './connection.ts'

/** A user's sockets on this node, and how far their topic has come. */
export type Audience = {
  /** Oldest first. Replaced, never changed. An array, because a set takes some 300 bytes for what is mostly one socket. */
  connections: readonly Connection[]
  /** Number of the last event published on the topic; null until a socket has joined. */
  published: number | null
  /** Counts the notifications of new events. */
  news: number
  /** The read of what the topic has missed, while it runs. */
  advancing: Promise<void> | null
}

export type Sockets = ReturnType<typeof openSockets>

// Unread bytes after which a socket is closed; its events wait in storage.
const bufferLimit = 256 * 1024
const closeTimeoutMs = 5000

export const topicOf = (userId: string) => `user:${userId}`
export const isBehind = (connection: Connection) => connection.socket.getBufferedAmount() > bufferLimit

/** The sockets of this process, by id and by user: sends to them and closes them. */
export function openSockets() {
  const connections = new Map<string, Connection>()
  const audiences = new Map<string, Audience>()
  let publish: (topic: string, frame: string) => void = () => {}
  let onLastClosed: (userId: string) => void = () => {}
  let onFocusChanged: (userId: string) => void = () => {}

  const isForeground = (audience: Audience | undefined) =>
    audience !== undefined && audience.connections.some(({ background }) => !background)

  /** Removes a socket that is closed, or about to be. */
  function remove(connection: Connection) {
    if (connection.closed) return
    connection.closed = true
    connection.drained?.()
    connections.delete(connection.socket.data.id)
    const { user_id } = connection.owner
    const audience = audiences.get(user_id)
    if (audience) audience.connections = audience.connections.filter((other) => other !== connection)
    if (audience?.connections.length !== 0) {
      if (!connection.background && !isForeground(audience)) onFocusChanged(user_id)
      return
    }
    audiences.delete(user_id)
    onLastClosed(user_id)
  }

  function close(connection: Connection, code: number, reason: string) {
    if (connection.closed) return
    remove(connection)
    connection.socket.close(code, reason)
    // A client that does not read never receives the close frame.
    setTimeout(() => connection.socket.terminate(), closeTimeoutMs).unref()
  }

  /** Closes a socket whose client does not read. */
  function closeIfBehind(connection: Connection) {
    if (isBehind(connection)) close(connection, closing.tooSlow, 'too slow')
  }

  return {
    /** Sets the server's function for publishing to a topic. */
    start(publisher: typeof publish) {
      publish = publisher
    },

    /** Sets the function to call when a user's last socket on this node has closed. */
    whenLastCloses(listener: typeof onLastClosed) {
      onLastClosed = listener
    },

    /** Sets the function to call when a user with sockets here gets the first one in the foreground, or loses the last. */
    whenFocusChanges(listener: typeof onFocusChanged) {
      onFocusChanged = listener
    },

    /** Whether a user looks at a socket of this node. */
    isForeground: (userId: string) => isForeground(audiences.get(userId)),

    /** An app has come to the foreground, or gone from it. */
    focus(connection: Connection, foreground: boolean) {
      const { user_id } = connection.owner
      const before = isForeground(audiences.get(user_id))
      connection.background = !foreground
      if (isForeground(audiences.get(user_id)) !== before) onFocusChanged(user_id)
    },

    get: (socketId: string) => connections.get(socketId),
    all: () => [...connections.values()],
    size: () => connections.size,

    has: (userId: string) => audiences.has(userId),
    users: () => audiences.keys(),
    userCount: () => audiences.size,
    audienceOf: (userId: string) => audiences.get(userId),
    /** A user's sockets on this node, oldest first. */
    ofUser: (userId: string): readonly Connection[] => audiences.get(userId)?.connections ?? [],

    /** Adds a socket, which receives no events until it has caught up. Returns whether it is the user's first one here. */
    add(connection: Connection): boolean {
      const { user_id } = connection.owner
      connections.set(connection.socket.data.id, connection)
      const audience = audiences.get(user_id)
      const wasForeground = isForeground(audience)
      if (audience) {
        audience.connections = [...audience.connections, connection]
        if (!wasForeground) onFocusChanged(user_id)
      } else audiences.set(user_id, { connections: [connection], published: null, news: 0, advancing: null })
      return !audience
    },

    remove,
    close,
    closeIfBehind,

    /** Sends a frame to one socket. */
    send(connection: Connection, frame: string) {
      if (connection.closed) return
      connection.socket.send(frame)
      closeIfBehind(connection)
    },

    /** Publishes a frame to every socket that has joined a user's topic. */
    deliver(userId: string, frame: string) {
      const audience = audiences.get(userId)
      if (!audience) return
      publish(topicOf(userId), frame)
      for (const connection of audience.connections) if (connection.joined) closeIfBehind(connection)
    },
  }
}
