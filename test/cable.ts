import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** What becomes of bytes that a client sends: they go on; they do not, and the connection is cut; they do, and it is. */
export type Fate = 'pass' | 'cut' | 'pass, then cut'

/**
 * A cable to a server on this machine, which can be cut: a port of its own whose connections go on to that one. `watch`
 * sees what clients send.
 */
export async function cable(port: number, watch: (sent: string) => Fate = () => 'pass') {
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const there = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [client, there],
      [there, client],
    ] as const) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
    there.on('data', (bytes) => client.write(bytes))
    client.on('data', (bytes) => {
      const fate = watch(bytes.toString('latin1'))
      if (fate === 'pass') return void there.write(bytes)
      // Nothing of the answer may come back.
      there.removeAllListeners('data').resume()
      if (fate === 'cut') return void client.destroy()
      there.write(bytes)
      // PostgreSQL has taken it once it says something; then both ends go.
      there.once('data', () => client.destroy())
    })
  })
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', () => resolve()))
  await listen(0)
  const own = (server.address() as AddressInfo).port
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: own,
    /** Ends every connection. New ones are taken. */
    cut,
    /** Ends every connection, and takes none. */
    async unplug() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      cut()
      await closed
    },
    plug: () => listen(own),
  }
}
