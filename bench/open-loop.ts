import type { Socket } from 'bun'
import { percentile, type Request, type Run } from './load.ts'

type Connection = { socket: Socket<undefined>; due: number; received: string }

/** `ms` is how long each of the accepted waited. */
export type Found = { accepted: Run; ms: number[]; refused: number; others: number }

/**
 * Clients that ask at a steady rate whatever comes back, as many people do. What one waits begins when its request is due,
 * also where no connection was free. Bare TCP, as a client of HTTP would cost as much as the server.
 */
export async function openLoop(url: URL, requests: readonly Request[], connections: number) {
  let bytes = requests.map(written)
  let next = 0
  let free: Connection[] = []
  let waiting: number[] = []
  let answers: { status: number; ms: number }[] = []
  let isOver = false

  function go() {
    while (waiting.length > 0 && free.length > 0) {
      const connection = free.pop()!
      connection.due = waiting.shift()!
      connection.socket.write(bytes[next++ % bytes.length]!)
    }
  }

  async function open(connection: Connection = { socket: null!, due: 0, received: '' }) {
    connection.socket = await Bun.connect({
      hostname: url.hostname,
      port: Number(url.port),
      socket: {
        data(_, data) {
          connection.received += data.toString('latin1')
          const head = connection.received.indexOf('\r\n\r\n')
          const length = Number(/content-length: (\d+)/i.exec(connection.received)?.[1] ?? 0)
          if (head < 0 || connection.received.length < head + 4 + length) return
          answers.push({ status: Number(connection.received.slice(9, 12)), ms: performance.now() - connection.due })
          connection.received = ''
          free.push(connection)
          go()
        },
        // The server ends what has asked for nothing in a while. Who was waiting for an answer got none.
        close() {
          if (isOver) return
          const isFree = free.includes(connection)
          if (isFree) free = free.filter((other) => other !== connection)
          else answers.push({ status: 0, ms: performance.now() - connection.due })
          connection.received = ''
          void open(connection).then(() => free.push(connection))
        },
      },
    })
    return connection
  }
  const all = await Promise.all(Array.from({ length: connections }, () => open()))
  free = [...all]

  return {
    /** Other requests from now on. */
    ask(requests: readonly Request[]): void {
      bytes = requests.map(written)
    },

    /** At so many a second, for so many seconds. */
    async run(rate: number, seconds: number): Promise<Found> {
      answers = []
      const began = performance.now()
      for (let sent = 0; performance.now() - began < seconds * 1000;) {
        const due = Math.floor(((performance.now() - began) / 1000) * rate) + 1
        for (; sent < due; sent++) waiting.push(began + (sent / rate) * 1000)
        go()
        await Bun.sleep(1)
      }
      waiting = []
      while (free.length < all.length) await Bun.sleep(10)
      const accepted = answers.filter(({ status }) => status >= 200 && status < 300).map(({ ms }) => ms)
      const refused = answers.filter(({ status }) => status === 503 || status === 429).length

      return {
        accepted: {
          perSecond: accepted.length / seconds,
          p50: percentile(accepted, 0.5),
          p99: percentile(accepted, 0.99),
          answers: answers.length,
          failed: 0,
        },
        ms: accepted,
        refused: refused / seconds,
        others: answers.length - accepted.length - refused,
      }
    },

    close() {
      isOver = true
      for (const { socket } of all) socket.end()
    },
  }
}

const written = ({ method = 'GET', path, headers = {}, body = '' }: Request) =>
  [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
