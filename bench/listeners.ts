import type { Socket } from 'bun'
import { answer, child, variantOf } from './child.ts'

/**
 * Opens WebSockets and counts the text frames that come, in a process of its own and on bare connections: a client that
 * parsed what it gets would be slower than the servers. Told by its parent what to open; asked by it for the count.
 */
export type Order = (({ open: string[] } | { comeBack: string[] }) & { greeting: Greeting }) | 'count'
export type Tally = { opened: number } | { frames: number } | Returned

/** How long it took until each had its first frame, and how often an upgrade was refused, by the code of the problem. */
export type Returned = { ms: number; refused: Record<string, number> }

/** What a client says before it is served, in turns: a text to wait for, a text to send, …, the last text to wait for. */
export type Greeting = {
  protocol?: string
  script?: string[]
  /** The first frame is what a client came back for. */
  awaitsFrame?: boolean
}

/** What has come of a frame: the bytes of a header that is not whole yet, and how many of the payload are still to come. */
type Data = { upgraded: boolean; header: number[]; rest: number; heard: string | null }

let frames = 0

function count(data: Data, chunk: Uint8Array) {
  let at = 0
  if (!data.upgraded) {
    const end = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).indexOf('\r\n\r\n')
    if (end < 0) throw new Error('an upgrade came in pieces')
    data.upgraded = true
    at = end + 4
  }
  while (at < chunk.length) {
    if (data.rest > 0) {
      const step = Math.min(data.rest, chunk.length - at)
      data.rest -= step
      at += step
      continue
    }
    const { header } = data
    header.push(chunk[at++]!)
    const short = header[1] === undefined ? null : header[1] & 0x7f
    const whole = short === 126 ? 4 : short === 127 ? 10 : 2
    if (header.length < whole) continue
    data.rest = short! < 126 ? short! : header.slice(2).reduce((sum, byte) => sum * 256 + byte, 0)
    if ((header[0]! & 0x0f) === 1) frames++
    data.header = []
  }
}

/** What an upgrade was answered with instead. */
class Refused extends Error {
  constructor(
    readonly code: string,
    readonly afterMs: number,
  ) {
    super(`no upgrade: ${code}`)
  }
}

function refusal(answer: string): Refused {
  const code = /"code":"(\w+)"/.exec(answer)?.[1] ?? answer.slice(0, 200)
  return new Refused(code, Number(/^retry-after: (\d+)/im.exec(answer)?.[1] ?? Number.NaN) * 1000)
}

/** A text frame of a client. Its mask is zero, so that the text stays as it is. */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 0xff]
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), payload])
}

async function open(url: URL, { protocol, script = [] }: Greeting): Promise<Socket<Data>> {
  const upgraded = Promise.withResolvers<void>()
  let turn = 0
  /** Says what comes next for as long as what it waits for has been heard. */
  const talk = (socket: Socket<Data>) => {
    while (turn < script.length) {
      const at = socket.data.heard!.indexOf(script[turn]!)
      if (at < 0) return
      socket.data.heard = socket.data.heard!.slice(at + script[turn]!.length)
      const say = script[turn + 1]
      if (say !== undefined) socket.write(textFrame(say))
      turn += 2
    }
    socket.data.heard = null
    upgraded.resolve()
  }
  const socket = await Bun.connect<Data>({
    hostname: url.hostname,
    port: Number(url.port),
    socket: {
      data(socket, chunk) {
        if (!socket.data.upgraded) {
          const answer = Buffer.from(chunk).toString('latin1')
          if (!answer.startsWith('HTTP/1.1 101')) return upgraded.reject(refusal(answer))
        }
        count(socket.data, chunk)
        if (socket.data.heard === null) return
        socket.data.heard += Buffer.from(chunk).toString('latin1')
        talk(socket)
      },
      error: (_, error) => upgraded.reject(error),
      close: () => upgraded.reject(new Error('it was closed')),
    },
    data: { upgraded: false, header: [], rest: 0, heard: '' },
  })
  socket.write(
    `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n` +
      (protocol === undefined ? '\r\n' : `Sec-WebSocket-Protocol: ${protocol}\r\n\r\n`),
  )
  await upgraded.promise.catch((error) => {
    socket.end()
    throw error
  })
  return socket
}

/** Opens all at once. One that is refused with a Retry-After comes again then, as every client does. */
async function comeBack(urls: readonly string[], greeting: Greeting): Promise<Returned> {
  const began = performance.now()
  const refused: Record<string, number> = {}
  const one = async (url: URL) => {
    for (;;)
      try {
        return void sockets.push(await open(url, greeting))
      } catch (error) {
        const code = error instanceof Refused ? error.code : 'no connection'
        refused[code] = (refused[code] ?? 0) + 1
        await Bun.sleep(error instanceof Refused && error.afterMs > 0 ? error.afterMs : 1000)
      }
  }
  const before = frames
  await Promise.all(urls.map((url) => one(new URL(url))))
  while (greeting.awaitsFrame && frames - before < urls.length) await Bun.sleep(10)
  return { ms: performance.now() - began, refused }
}

const sockets: Socket<Data>[] = []

if (variantOf(['listeners']))
  answer(async (order: Order): Promise<Tally> => {
    if (order === 'count') return { frames }
    if ('comeBack' in order) return comeBack(order.comeBack, order.greeting)
    for (let i = 0; i < order.open.length; i += 50)
      sockets.push(...(await Promise.all(order.open.slice(i, i + 50).map((url) => open(new URL(url), order.greeting)))))
    return { opened: sockets.length }
  })

/** Opens these sockets in a process of its own. */
export async function listeners(urls: readonly string[], greeting: Greeting = {}) {
  const { ask, stop } = await child<Order, Tally>(import.meta.path, 'listeners')
  await ask({ open: [...urls], greeting })
  return {
    frames: async () => ((await ask('count')) as { frames: number }).frames,
    comeBack: async (urls: readonly string[]) => (await ask({ comeBack: [...urls], greeting })) as Returned,
    close: stop,
  }
}
