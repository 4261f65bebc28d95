import { dlopen, ptr } from 'bun:ffi'

/** What systemd gives a service of `Type=notify`. */
export type Notification = { socket: string; watchdogMs: number | null }

type ServiceManager = {
  /** The server answers requests now, at its start or after a reload. */
  ready(status: string): void
  reloading(): void
  stopping(): void
  status(text: string): void
  /** From now on, the watchdog is fed only when this resolves. */
  feedAfter(answer: () => Promise<unknown>): void
}

const silent: ServiceManager = { ready() {}, reloading() {}, stopping() {}, status() {}, feedAfter() {} }

const monotonic = 1
const AF_UNIX = 1
const SOCK_DGRAM = 2
const SOCK_CLOEXEC = 0o2000000
// No signal and no waiting, because notifications must not stop or block the server.
const MSG_DONTWAIT_NOSIGNAL = 0x40 | 0x4000

/**
 * Reports the server's state to the service manager with the protocol of sd_notify, and feeds its watchdog from the event loop,
 * so that a hanging server is restarted. Does nothing without a socket. Ignores failures, which could not be reported anyway.
 *
 * The socket is a datagram socket, which Bun has no API for, so this calls the C library.
 */
export function openServiceManager(given: Notification | null): ServiceManager {
  const send = given === null || process.platform !== 'linux' ? null : sender(given.socket)
  if (given === null || send === null) return silent
  const { watchdogMs } = given
  let isReady = false
  let answered = (): Promise<unknown> => Promise.resolve()
  const feed = () =>
    void answered().then(
      () => send.message('WATCHDOG=1'),
      () => {},
    )
  if (watchdogMs !== null) setInterval(() => isReady && feed(), watchdogMs / 2).unref()
  return {
    ready(status) {
      isReady = true
      send.message(`READY=1\nSTATUS=${status}`)
    },
    reloading: () => send.message(`RELOADING=1\nMONOTONIC_USEC=${send.monotonicUs()}`),
    stopping: () => send.message('STOPPING=1\nSTATUS=finishing requests'),
    status: (text) => send.message(`STATUS=${text}`),
    feedAfter(answer) {
      answered = answer
    },
  }
}

const libraries = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']

function openLibrary() {
  for (const library of libraries)
    try {
      return dlopen(library, {
        socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
        sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
        clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' },
      }).symbols
    } catch {
      // Another C library.
    }
  return null
}

function sender(socket: string) {
  // A path, or the name of an abstract socket after an @.
  if (!/^[@/]./.test(socket)) return null
  const c = openLibrary()
  const fd = c?.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) ?? -1
  if (c === null || fd < 0) return null
  const path = Buffer.from(socket.startsWith('@') ? `\0${socket.slice(1)}` : `${socket}\0`)
  const address = Buffer.alloc(2 + path.length)
  address.writeUInt16LE(AF_UNIX)
  path.copy(address, 2)
  return {
    message(text: string) {
      const bytes = Buffer.from(text)
      c.sendto(fd, ptr(bytes), bytes.length, MSG_DONTWAIT_NOSIGNAL, ptr(address), address.length)
    },
    /** The clock that the service manager compares with. */
    monotonicUs(): bigint {
      const time = new BigInt64Array(2)
      c.clock_gettime(monotonic, ptr(time))
      const [seconds = 0n, nanoseconds = 0n] = time
      return seconds * 1_000_000n + nanoseconds / 1000n
    },
  }
}
