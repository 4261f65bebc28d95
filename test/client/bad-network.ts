import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Numbers that look random and come again for the same seed. */
export function dice(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * A way to a server that cuts connections after any byte of either direction, delays what goes through, says everything to
 * the server twice, lets later connections overtake earlier ones in both directions, and keeps connections open for the
 * server that the client has lost. `calm` ends all of it.
 */
export async function badNetwork(target: URL, random: () => number) {
  const open = new Set<Socket>()
  const counts = { connections: 0, cuts: 0, doubled: 0, delayed: 0, overtaken: 0, kept: 0 }
  let held = 0
  let drained = Promise.withResolvers<void>()
  let isCalm = false

  const chance = (share: number) => !isCalm && random() < share
  // Most cuts fall among the first bytes: handshakes, headers and small frames.
  const someBytes = () => Math.floor(random() ** 3 * 4000)

  function to(): Socket {
    const socket = connect(Number(target.port), target.hostname)
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    return socket
  }

  function hold(socket: Socket, ms: number) {
    held++
    socket.pause()
    setTimeout(() => {
      socket.resume()
      if (--held > 0) return
      drained.resolve()
      drained = Promise.withResolvers()
    }, ms)
  }

  const server = createServer((client) => {
    counts.connections++
    open.add(client)
    const there = to()
    const twin = chance(0.15) ? to() : null
    if (twin) {
      counts.doubled++
      twin.resume()
    }
    const delayMs = chance(0.3) ? random() * 30 : 0
    if (delayMs) counts.delayed++
    // What this connection asks arrives after what later ones ask, or its answers after theirs.
    if (chance(0.25)) {
      counts.overtaken++
      hold(chance(0.5) ? there : client, random() * 100)
    }
    let sentLeft = chance(0.4) ? someBytes() : Infinity
    let receivedLeft = chance(0.4) ? someBytes() : Infinity

    function cut() {
      counts.cuts++
      client.destroy()
      // The server finds out later, or never until the end.
      if (chance(0.3)) counts.kept++
      else there.destroy()
    }
    const later = (work: () => void) => (delayMs ? setTimeout(work, delayMs) : work())
    client.on('data', (bytes: Buffer) => {
      const part = bytes.subarray(0, Math.min(bytes.length, sentLeft))
      sentLeft -= bytes.length
      later(() => {
        if (!there.destroyed) there.write(part)
        if (twin && !twin.destroyed) twin.write(part)
        if (sentLeft < 0) cut()
      })
    })
    there.on('data', (bytes: Buffer) => {
      const part = bytes.subarray(0, Math.min(bytes.length, receivedLeft))
      receivedLeft -= bytes.length
      later(() => {
        if (!client.destroyed) client.write(part)
        if (receivedLeft < 0) cut()
      })
    })
    client.on('error', () => {})
    client.on('close', () => {
      open.delete(client)
      twin?.destroy()
      if (!chance(0.3)) there.destroy()
    })
    there.on('close', () => later(() => client.destroy()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    counts,
    /** Resolves once nothing is held back that later connections may overtake. */
    drained: () => (held === 0 ? Promise.resolve() : drained.promise),
    /** Cuts everything that is open now. */
    cutAll() {
      for (const socket of [...open]) socket.destroy()
    },
    /** From now on everything arrives. */
    calm() {
      isCalm = true
      for (const socket of [...open]) socket.destroy()
    },
    close() {
      for (const socket of [...open]) socket.destroy()
      server.close()
    },
  }
}
