import { connect, type Socket } from 'node:net'

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
  const socket: Socket = connect({ host: base.hostname, port: Number(base.port), noDelay: true })
  const chunks: Buffer[] = []
  let open = true
  const closed = new Promise<void>((resolve) =>
    socket.on('close', () => {
      open = false
      resolve()
    }),
  )
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  // A reset is one way to be closed.
  socket.on('error', () => {}).on('data', (chunk: Buffer) => void chunks.push(chunk))
  return {
    write: (bytes) => void (open && socket.write(bytes)),
    received: () => Buffer.concat(chunks).toString('latin1'),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    isOpen: () => open,
    closed,
    end: () => void socket.destroy(),
  }
}

/** One whole request on a connection of its own, as given to the last byte. Answers all that came back, up to the close. */
export async function exchange(base: URL, bytes: string | Uint8Array, withinMs = 10_000): Promise<string> {
  const wire = await openWire(base)
  wire.write(bytes)
  await Promise.race([wire.closed, Bun.sleep(withinMs)])
  wire.end()
  return wire.received()
}

/** The status of an HTTP answer as it came; null where none came. */
export const statusOf = (answer: string): number | null =>
  Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? Number.NaN) || null

export const upgradeRequest = (base: URL, token: string, query = '') =>
  `GET /ws?token=${token}${query} HTTP/1.1\r\nHost: ${base.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
