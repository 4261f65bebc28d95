import type { TestApp } from './app.ts'
import { until } from './until.ts'

/** A client of `/ws` that keeps every frame, for tests. */
export type Client = {
  frames: any[]
  socket: WebSocket
  /** The first frame that fits, now or later. */
  until(fits: (frame: any) => boolean, what?: string): Promise<any>
  /** Resolves with the close code. */
  closed: Promise<number>
  closeReason: Promise<string>
  send(frame: unknown): void
  /** Resolves once the server has answered a ping: all that it sent to this socket before has arrived by then. */
  pong(): Promise<void>
  /** The numbers of the durable events received, in the order of arrival. */
  seqs(): number[]
}

export function connect(base: URL, token: string, query = '', headers: Record<string, string> = {}): Client {
  const url = new URL(`/ws?token=${token}${query}`, base)
  url.protocol = 'ws:'
  const socket = new WebSocket(url, { headers } as unknown as string[])
  const frames: any[] = []
  const waiting = new Set<() => void>()
  socket.onmessage = ({ data }) => {
    frames.push(JSON.parse(data as string))
    for (const look of [...waiting]) look()
  }
  const end = Promise.withResolvers<{ code: number; reason: string }>()
  socket.onclose = end.resolve
  socket.onerror = () => {}
  const send = (frame: unknown) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  const client: Client = {
    frames,
    socket,
    closed: end.promise.then(({ code }) => code),
    closeReason: end.promise.then(({ reason }) => reason),
    until(fits, what = 'a frame') {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`no ${what} among ${JSON.stringify(frames.map(({ type, seq }) => [type, seq]))}`))
        }, 20_000)
        const look = () => {
          const frame = frames.find(fits)
          if (!frame) return
          clearTimeout(timer)
          waiting.delete(look)
          resolve(frame)
        }
        waiting.add(look)
        look()
      })
    },
    send,
    async pong() {
      const cid = crypto.randomUUID()
      send({ type: 'ping', cid })
      await client.until((frame) => frame.type === 'pong' && frame.cid === cid, 'pong')
    },
    seqs: () => frames.filter(({ seq, type }) => seq !== undefined && type !== 'hello').map(({ seq }) => seq),
  }
  return client
}

export const ofType = (type: string) => (frame: any) => frame.type === type

/** What a client was told of somebody's presence, in turn: true online, false not. */
export const presenceOf = ({ frames }: Client, { id }: { id: string }): boolean[] =>
  frames
    .filter(({ type, data }) => type === 'presence' && data.user_id === id)
    .map(({ data }) => data.online)
    // Who comes while others do is told twice: of whom they find, and of whom they hear.
    .filter((online, i, all) => online !== all[i - 1])

/** Waits until what is not stored, such as typing, reaches somebody's socket, on whichever node it is. */
export async function joined({ nodes }: TestApp, { id }: { id: string }, { frames }: Client) {
  const type = `marker ${crypto.randomUUID()}`
  await until(() => {
    const isHeard = nodes.some(({ services }) => services.shared?.hears(id) ?? true)
    if (isHeard && frames.some(ofType(type))) return true
    for (const { services } of nodes) services.hub.listener.relayed(id, JSON.stringify({ type }))
    return false
  }, 'the socket gets what is not stored')
}
