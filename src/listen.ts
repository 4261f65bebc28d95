import type { Server } from 'bun'
import type { App } from './app.ts'
import { ConfigError } from './config.ts'
import { serverError } from './http/errors.ts'
import { type SocketData, socketHandlers } from './realtime/socket.ts'
import type { Services } from './services.ts'
import { codeOf } from './lib/errors.ts'

/** Opens the port for HTTP and sockets and returns the base URL. Throws ConfigError if the port cannot be opened. */
export function listen(app: App, services: Services, { host, port }: { host: string; port: number }): URL {
  try {
    app.listen({
      hostname: host,
      port,
      idleTimeout: 60,
      // Elysia's default would silently let a second server share the port.
      reusePort: false,
      websocket: socketHandlers(services),
    })
  } catch (error) {
    throw cannotListen(error, host, port)
  }
  const { server } = app
  if (server === null) throw new Error('listen() has started no server')
  acceptSockets(services, server)
  return server.url
}

function acceptSockets({ hub, announcements }: Services, server: Pick<Server<SocketData>, 'publish'>) {
  hub.start((topic, frame) => void server.publish(topic, frame, false))
  // What is active now must not be sent as new with the first change.
  announcements.reread()
}

type Place = { unix: string } | { hostname: string; port: number; reusePort: true }
type Handler = (request: Request, server: Server<SocketData>) => Response | Promise<Response>

/**
 * The same for one thread of several: on a Unix socket, or on a port that it shares with others. `first` sees each request
 * before the app, and answers null where the app is to answer it.
 */
export function listenAsThread(
  app: App,
  services: Services,
  place: Place,
  first: (...asked: Parameters<Handler>) => ReturnType<Handler> | null = () => null,
): Server<SocketData> {
  app.compile()
  const handle: (request: Request) => Response | Promise<Response> = app.fetch
  try {
    const common = {
      development: false,
      error: serverError(services.log),
      websocket: socketHandlers(services),
      fetch: (request: Request, server: Server<SocketData>) => first(request, server) ?? handle(request),
    }
    // Its type leaves this out for a Unix socket, where it holds too: otherwise an answer may take ten seconds.
    const patience: object = { idleTimeout: 60 }
    const server =
      'unix' in place
        ? Bun.serve({ ...common, ...place, ...patience })
        : Bun.serve({ ...common, ...place, ...patience })
    app.server = server
    acceptSockets(services, server)
    return server
  } catch (error) {
    throw 'unix' in place ? error : cannotListen(error, place.hostname, place.port)
  }
}

/** Throws ConfigError where the port cannot be had now. */
export function refuseTakenPort({ host, port }: { host: string; port: number }) {
  try {
    Bun.listen({ hostname: host, port, socket: { data() {} } }).stop(true)
  } catch (error) {
    throw cannotListen(error, host, port)
  }
}

function cannotListen(error: unknown, host: string, port: number): unknown {
  const because = (message: string) => new ConfigError(message, { cause: error })
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return because(`port ${port} is used by another program on ${host}: stop that one, or set PORT to another port`)
    case 'EADDRNOTAVAIL':
      return because(`HOST must be an address of this machine, and ${host} is not one`)
    case 'EACCES':
      return because(`this user may not open PORT ${port}: choose one from 1024 on`)
    default:
      // The error for a malformed address has no code.
      return because(`HOST must be an address of this machine, and ${host} cannot be listened on`)
  }
}
