import { Elysia } from 'elysia'

/**
 * Asks whoever keeps connections, such as a proxy, to let go of them while the server is about to stop: what comes later
 * comes by a new connection, and so finds another node.
 */
export const draining = ({ hub }: { hub: { isClosing(): boolean } }) =>
  new Elysia({ name: 'draining' }).onRequest(({ set }) => {
    if (hub.isClosing()) set.headers.connection = 'close'
  })
