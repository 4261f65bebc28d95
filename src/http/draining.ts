import { Elysia } from 'elysia'

/**
 * Asks whoever keeps connections, such as a proxy, to let go of them while the server is about to stop: what comes later
 * comes by a new connection, and so finds another node.
 */
export const draining = ({ hub }: { hub: { isDraining(): boolean } }) =>
  new Elysia({ name: 'draining' }).onRequest(({ set }) => {
    if (hub.isDraining()) set.headers.connection = 'close'
  })
