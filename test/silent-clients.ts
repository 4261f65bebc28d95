import { dlopen, ptr } from 'bun:ffi'

const streamSocket = 1
const internet = 2
const socketLevel = 1
const receiveBuffer = 8

/**
 * Connections that each send a request, or the beginning of one, and then read nothing. The system keeps little of an answer
 * for them, which Bun's own sockets cannot ask for. 10 ms lie between two, so that each request is dealt with by itself.
 */
export async function openSilentClients(count: number, port: number, request: string) {
  const c = dlopen('libc.so.6', {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
    connect: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    send: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
    close: { args: ['i32'], returns: 'i32' },
  }).symbols
  const address = Buffer.from([internet, 0, port >> 8, port & 255, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
  const bytes = Buffer.from(request)
  const small = new Int32Array([4096])
  const opened: number[] = []
  for (let i = 0; i < count; i++) {
    const fd = c.socket(internet, streamSocket, 0)
    opened.push(fd)
    c.setsockopt(fd, socketLevel, receiveBuffer, ptr(small), small.byteLength)
    if (c.connect(fd, ptr(address), address.length) !== 0) throw new Error('no connection')
    c.send(fd, ptr(bytes), bytes.length, 0)
    await Bun.sleep(10)
  }
  return { close: () => opened.forEach((fd) => c.close(fd)) }
}
