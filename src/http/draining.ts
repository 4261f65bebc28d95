import { Elysia } from 'elysia'

/**
 * Asks clients and proxies to close their connections while the server drains, so that later requests go to another node.
 */
export const draining = ({ hub }: { hub: { isDraining(): boolean } }) =>
  new Elysia({ name: 'draining' }).onRequest(({ set }) => {
    if (hub.isDraining()) set.headers.connection = 'close'
  })
