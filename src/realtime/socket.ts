import type { ServerWebSocket, WebSocketHandler } from 'bun'
import { Elysia } from 'elysia'
import type { Callers } from '../features/auth/callers.ts'
import { notSignedIn } from '../features/auth/tokens.ts'
import type { Config } from '../config.ts'
import type { Origins } from '../http/origins.ts'
import { requireConsented } from '../http/signed-in.ts'
import type { Limits } from '../limits.ts'
import { invalid, Refusal } from '../refusal.ts'
import { closing, type Owner } from './connection.ts'
import { type Cid, heartbeatS, type Hub } from './hub.ts'

type Typing = {
  /** Who is to see that a user types in a chat: nobody across a block. A stranger types in none. */
  typingTo(userId: string, chatId: string): Promise<{ user_id: string } | 'stranger' | null>
}

const frameLimit = 16 * 1024
// Over this Bun itself closes the socket (1009), before the frame is whole in memory.
const hardFrameLimit = 1024 * 1024
// A burst of so many frames, and so many a second in the long run.
const burst = 100
const perSecond = 20
const typingEveryMs = 1000

/** What a socket carries: who opened it, and what it may still do. */
export type SocketData = {
  id: string
  owner: Owner
  token: string
  since: number | null
  /** Frames that it may send now. */
  allowance: number
  counted_at: number
  /** When typing in a chat was last looked at. */
  typed_at: Map<string, number> | null
}

/**
 * `GET /ws?token=…[&since=…]`. Upgraded by Bun itself rather than by Elysia's `.ws`, which parses frames before their size
 * can be looked at and keeps the whole request for as long as the socket is open.
 */
export const socketRoute = ({
  config,
  callers,
  origins,
  limits,
  hub,
  now,
}: {
  config: Config
  callers: Callers
  origins: Origins
  limits: Limits
  hub: Hub
  now: () => number
}) =>
  new Elysia({ name: 'socket' }).get(
    '/ws',
    async ({ request, server, query, set }) => {
      const { token, since } = query as Record<string, string | undefined>
      if (!token) throw notSignedIn()
      const caller = await callers.byToken(token)
      requireConsented(config, caller)
      if (!origins.allows(request.headers)) throw new Refusal('forbidden', 'This page may not open a socket here.')
      if (since !== undefined && !/^\d{1,15}$/.test(since))
        throw invalid('/since', 'Expected a seq: a whole number from 0')
      if (!asksForSocket(request.headers)) throw upgradeRequired()
      hub.refuseWhileDraining()
      // Each opening and closing tells presence to everybody with whom there is a chat.
      await limits.take('socket', caller.id)
      const data: SocketData = {
        id: Bun.randomUUIDv7(),
        owner: { user_id: caller.id, session_id: caller.session_id, token_expires_at: caller.token_expires_at },
        token,
        since: since === undefined ? null : Number(since),
        allowance: burst,
        counted_at: now(),
        typed_at: null,
      }
      const headers = { 'x-request-id': String(set.headers['x-request-id']) }
      if (!server?.upgrade(request, { data, headers })) throw new Refusal('bad_request', 'The upgrade failed.')
    },
    {
      detail: {
        summary: 'A WebSocket of events as they happen',
        description:
          'The first frame is `hello`. With `since`, the number of the last event that one has, every later one follows; `resume` is `gap` where that is too long ago: read again over HTTP. The page that opens it has to be of an allowed origin. Send `ping` and `typing`.',
        tags: ['realtime'],
        limit: 'socket',
        security: [{ socket: [] }],
        parameters: [{ name: 'since', in: 'query', required: false, schema: { type: 'integer', minimum: 0 } }],
        responses: { 101: { description: 'The socket is open' } },
        refusals: [
          'bad_request',
          'unauthenticated',
          'token_expired',
          'suspended',
          'consents_gate',
          'forbidden',
          'validation_failed',
          'upgrade_required',
          'shutting_down',
        ],
      },
    },
  )

const asksForSocket = (headers: Headers) =>
  headers.get('upgrade')?.toLowerCase() === 'websocket' && headers.get('sec-websocket-version') === '13'

const upgradeRequired = () =>
  new Refusal('upgrade_required', 'This is a WebSocket: upgrade the connection.', undefined, {
    upgrade: 'websocket',
    'sec-websocket-version': '13',
  })

type Deps = { config: Config; callers: Callers; hub: Hub; chats: Typing; now: () => number }

/** What Bun does with the sockets. All of it is synchronous: inbound frames know no backpressure. */
export function socketHandlers({ config, callers, hub, chats, now }: Deps): WebSocketHandler<SocketData> {
  type Ws = ServerWebSocket<SocketData>

  function receive(ws: Ws, raw: string | Buffer) {
    const { id } = ws.data
    if (!mayReceive(ws.data, now())) return hub.cutOff(id, closing.flood, 'too many frames')
    if (Buffer.byteLength(raw) > frameLimit) return hub.cutOff(id, closing.frameTooLarge, 'frame too large')
    const refuse = (code: string, detail: string, cid?: Cid) => ws.send(hub.passing('error', { code, detail }, cid))
    if (typeof raw !== 'string') return refuse('unsupported_media_type', 'Frames are text.')
    const frame = parse(raw)
    if (!frame) return refuse('malformed_body', 'A frame is a JSON object.')
    const { type, data } = frame
    const cid = typeof frame.cid === 'string' || typeof frame.cid === 'number' ? frame.cid : undefined
    if (type === 'ping') return ws.send(hub.passing('pong', {}, cid))
    if (type !== 'typing') return refuse('validation_failed', 'Frames that are taken: ping, typing.', cid)
    const chatId = typeof data === 'object' && data !== null && 'chat_id' in data ? data.chat_id : null
    if (typeof chatId !== 'string' || !/^[0-9a-f-]{36}$/i.test(chatId))
      return refuse('validation_failed', 'typing takes { chat_id }.', cid)
    announceTyping(ws.data, chatId.toLowerCase(), ({ code, detail }) => refuse(code, detail, cid))
  }

  /** At most one a second and chat goes on, so that a look-up costs no more than that either. */
  function announceTyping(socket: SocketData, chatId: string, refuse: (why: Refusal) => void) {
    const at = now()
    socket.typed_at ??= new Map()
    const last = socket.typed_at.get(chatId)
    if (last !== undefined && at - last < typingEveryMs && at >= last) return
    if (socket.typed_at.size > 100) socket.typed_at.clear()
    socket.typed_at.set(chatId, at)
    const { user_id } = socket.owner
    chats.typingTo(user_id, chatId).then(
      (to) => {
        if (to === 'stranger') refuse(new Refusal('not_a_member', 'You are not in this chat.'))
        else if (to) hub.pass(to.user_id, 'typing', { chat_id: chatId, user_id })
      },
      (error) => refuse(error instanceof Refusal ? error : new Refusal('internal_error', 'Something went wrong.')),
    )
  }

  return {
    maxPayloadLength: hardFrameLimit,
    // Far over what the hub allows: Bun would drop a frame there without a word.
    backpressureLimit: 8 * 1024 * 1024,
    idleTimeout: 2 * heartbeatS,
    sendPings: true,
    perMessageDeflate: false,
    open(ws) {
      const { id, owner, token, since } = ws.data
      void hub.open(
        {
          id,
          send: (frame) => ws.send(frame),
          subscribe: (topic) => ws.subscribe(topic),
          close: (code, reason) => ws.close(code, reason),
          terminate: () => ws.terminate(),
          getBufferedAmount: () => ws.getBufferedAmount(),
        },
        owner,
        since,
      )
      // What ended between the upgrade and now found no socket to close.
      callers
        .byToken(token)
        .then((caller) => requireConsented(config, caller))
        .catch((error) => hub.cutOff(id, ...endOf(error)))
    },
    message: (ws, raw) => void receive(ws, raw),
    drain: (ws) => void hub.drained(ws.data.id),
    close: (ws) => hub.closed(ws.data.id),
  }
}

/** How a socket ends whose owner is not let in any more, or of whom that cannot be known now. */
function endOf(error: unknown): [code: number, reason: string] {
  const code = error instanceof Refusal ? error.code : null
  if (code === 'suspended') return [closing.suspended, 'suspended']
  if (code === 'unauthenticated' || code === 'token_expired' || code === 'consents_gate')
    return [closing.sessionEnded, 'session ended']
  return [closing.restart, 'try again']
}

/** Whether one more frame is fine: a bucket that fills again with time. */
function mayReceive(socket: SocketData, now: number): boolean {
  const elapsed = Math.max(0, now - socket.counted_at) / 1000
  socket.allowance = Math.min(burst, socket.allowance + elapsed * perSecond)
  socket.counted_at = now
  if (socket.allowance < 1) return false
  socket.allowance--
  return true
}

function parse(raw: string): { type?: unknown; cid?: unknown; data?: unknown } | null {
  try {
    const value: unknown = JSON.parse(raw)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
