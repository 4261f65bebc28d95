import type { App } from './app.ts'
import { socketHandlers } from './realtime/socket.ts'
import type { Services } from './services.ts'

/** Opens the port for HTTP and sockets. Throws where it is taken. Answers the base URL. */
export function listen(app: App, services: Services, { host, port }: { host: string; port: number }): URL {
  app.listen({
    hostname: host,
    port,
    idleTimeout: 60,
    // Elysia's default would let a second server share the port without a word.
    reusePort: false,
    websocket: socketHandlers(services),
  })
  const server = app.server!
  services.hub.attach((topic, frame) => void server.publish(topic, frame, false))
  return server.url
}
