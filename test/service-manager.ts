import { dlopen, ptr } from 'bun:ffi'

/** A service manager's socket, as systemd makes it, without waiting: Bun has no datagram sockets of files. */
export function openNotifySocket(path: string) {
  const c = dlopen('libc.so.6', {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    recv: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
    close: { args: ['i32'], returns: 'i32' },
  }).symbols
  const fd = c.socket(1, 2, 0)
  const address = Buffer.concat([Buffer.from([1, 0]), Buffer.from(`${path}\0`)])
  if (c.bind(fd, ptr(address), address.length) !== 0) throw new Error(`no socket at ${path}`)
  const messages: string[] = []
  const buffer = Buffer.alloc(4096)
  return {
    /** All that has arrived so far. */
    messages(): readonly string[] {
      for (let length; (length = Number(c.recv(fd, ptr(buffer), buffer.length, 0x40))) > 0;)
        messages.push(buffer.toString('utf8', 0, length))
      return messages
    },
    close: () => void c.close(fd),
  }
}
