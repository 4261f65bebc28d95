/** A raw connection, for what no well-behaved client does. */
export type Wire = {
  write(bytes: string | Uint8Array): void
  /** All that came so far. */
  received(): string
  /** Stops and takes up reading: what is not read fills the buffers of both sides. */
  pause(): void
  resume(): void
  isOpen(): boolean
  /** Resolves once the other side has closed, or the connection is broken. */
  closed: Promise<void>
  end(): void
}

/** Connects. Throws where nobody listens. */
export async function openWire(base: URL): Promise<Wire> {
  const chunks: Buffer[] = []
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  // What the kernel does not take at once.
  let unsent: Uint8Array = new Uint8Array()
  let open = true
  const socket = await Bun.connect({
    hostname: base.hostname,
    port: Number(base.port),
    socket: {
      data: (_, chunk) => void chunks.push(Buffer.from(chunk)),
      drain: () => flush(),
      close() {
        open = false
        close()
      },
      // A reset is one way to be closed.
      error() {},
    },
  })
  const flush = () => {
    if (open && unsent.length > 0) unsent = unsent.subarray(Math.max(0, socket.write(unsent)))
  }
  return {
    write(bytes) {
      const more = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
      unsent = unsent.length === 0 ? more : Buffer.concat([unsent, more])
      flush()
    },
    received: () => Buffer.concat(chunks).toString('latin1'),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    isOpen: () => open,
    closed,
    end: () => void socket.terminate(),
  }
}

/** One whole request on a connection of its own, as given to the last byte. Answers all that came back, up to the close. */
export async function exchange(base: URL, bytes: string | Uint8Array, withinMs = 30_000): Promise<string> {
  const wire = await openWire(base)
  wire.write(bytes)
  await Promise.race([wire.closed, Bun.sleep(withinMs)])
  wire.end()
  return wire.received()
}

/** The status of an HTTP answer as it came; null where none came. */
export const statusOf = (answer: string): number | null =>
  Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? Number.NaN) || null

export const upgradeRequest = (base: URL, token: string) =>
  `GET /ws?token=${token} HTTP/1.1\r\nHost: ${base.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
