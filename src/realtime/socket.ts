import type { ServerWebSocket, WebSocketHandler } from 'bun'
import { type Caller, type Callers, requireConsented } from '../features/auth/callers.ts'
import type { Config } from '../config.ts'
import { Refusal, type RefusalCode } from '../lib/refusal.ts'
import { closing, type Owner } from './connection.ts'
import type { Cid } from './frame.ts'
import { heartbeatS, type Hub, typingEveryMs } from './hub.ts'
import { isRecord } from '../lib/record.ts'

type Typing = {
  /** Who may see that a user types in a chat: null across a block, `stranger` for a chat that is not theirs. */
  typingTo(userId: string, chatId: string): Promise<{ user_id: string } | 'stranger' | null>
}

const frameLimit = 16 * 1024
// Above this, Bun closes the socket (1009) before the whole frame is in memory.
const hardFrameLimit = 1024 * 1024
// Frames in a burst, and on average.
const burst = 100
const perSecond = 20
const cidLimit = 64

/** The state of a socket. */
export type SocketData = {
  id: string
  owner: Owner
  /** The parameters of the upgrade; null once the socket is open, because the token alone is longer than all the rest. */
  arrival: { token: string; since: number | null } | null
  /** Frames that the client may send now. */
  allowance: number
  counted_at: number
  /** Whether a new token of the client is being checked. */
  is_renewing: boolean
}

const ownerOf = ({ id, session_id, token_expires_at }: Caller): Owner => ({
  user_id: id,
  session_id,
  token_expires_at,
})

export const newSocket = (caller: Caller, arrival: SocketData['arrival'], now: number): SocketData => ({
  id: Bun.randomUUIDv7(),
  owner: ownerOf(caller),
  arrival,
  allowance: burst,
  counted_at: now,
  is_renewing: false,
})

type Deps = { config: Config; callers: Callers; hub: Hub; chats: Typing; now: () => number }

/** Bun's handlers for sockets. All are synchronous, because inbound frames have no backpressure. */
export function socketHandlers({ config, callers, hub, chats, now }: Deps): WebSocketHandler<SocketData> {
  type Ws = ServerWebSocket<SocketData>

  /** When users typed in chats, oldest first. */
  const typedAt = new Map<string, number>()

  function receive(ws: Ws, raw: string | Buffer) {
    const { id } = ws.data
    if (!countFrame(ws.data)) return
    if (Buffer.byteLength(raw) > frameLimit) return hub.cutOff(id, closing.frameTooLarge, 'frame too large')
    const refuse = (code: string, detail: string, cid?: Cid) => hub.reply(id, 'error', { code, detail }, cid)
    if (typeof raw !== 'string') return refuse('unsupported_media_type', 'Frames are text.')
    const frame = parse(raw)
    if (!frame) return refuse('malformed_body', 'A frame is a JSON object.')
    const { type, data } = frame
    const cid = frame.cid ?? undefined
    if (!isCid(cid)) return refuse('validation_failed', `cid is a text of up to ${cidLimit} characters, or a number.`)
    if (type === 'ping') return hub.reply(id, 'pong', {}, cid)
    if (type === 'auth') {
      const token = textIn(data, 'token')
      if (token === null) return refuse('validation_failed', 'auth takes { token }.', cid)
      if (ws.data.is_renewing) return refuse('busy', 'The token before this one is still being checked.', cid)
      ws.data.is_renewing = true
      return void renew(ws.data, token, cid).finally(() => (ws.data.is_renewing = false))
    }
    if (type === 'focus') {
      const foreground = isRecord(data) ? data.foreground : null
      if (typeof foreground !== 'boolean') return refuse('validation_failed', 'focus takes { foreground }.', cid)
      return hub.focus(id, foreground)
    }
    if (type !== 'typing') return refuse('validation_failed', 'Frames that are taken: ping, typing, auth, focus.', cid)
    const chatId = textIn(data, 'chat_id')
    if (chatId === null || !/^[0-9a-f-]{36}$/i.test(chatId))
      return refuse('validation_failed', 'typing takes { chat_id }.', cid)
    announceTyping(ws.data, chatId.toLowerCase(), ({ code, detail }) => refuse(code, detail, cid))
  }

  /** Counts a frame of any kind. Returns false and closes the socket if there were too many. */
  function countFrame(socket: SocketData): boolean {
    if (mayReceive(socket, now())) return true
    hub.cutOff(socket.id, closing.flood, 'too many frames')
    return false
  }

  /** Continues a socket under a new token of its user. A bad token changes nothing. */
  async function renew({ id, owner }: SocketData, token: string, cid: Cid | undefined) {
    try {
      const caller = await callers.byToken(token)
      requireConsented(config, caller)
      if (caller.id !== owner.user_id) {
        hub.reply(id, 'error', { code: 'forbidden', detail: 'This token belongs to another user.' }, cid)
        return hub.cutOff(id, closing.sessionEnded, 'another user')
      }
      if (!hub.renew(id, ownerOf(caller))) return
      // If the session ended while its token was checked, the socket still had the old session and was not closed.
      await callers.byToken(token).catch((error) => closeFor(id, error))
      const expires_in = Math.max(0, Math.floor((caller.token_expires_at - now()) / 1000))
      hub.reply(id, 'auth', { expires_in }, cid)
    } catch (error) {
      const why = error instanceof Refusal ? error : new Refusal('internal_error', 'Something went wrong.')
      if (why.code === 'suspended') return hub.end(id, 'suspended')
      const code = shownCodes[why.code] ?? why.code
      hub.reply(id, 'error', { code, detail: why.detail }, cid)
    }
  }

  /** At most one per second, user and chat, which also limits the look-ups. */
  function announceTyping({ owner: { user_id } }: SocketData, chatId: string, refuse: (why: Refusal) => void) {
    const at = now()
    const isRecent = (then: number) => at - then < typingEveryMs && at >= then
    for (const [key, then] of typedAt) {
      if (isRecent(then)) break
      typedAt.delete(key)
    }
    const key = `${user_id} ${chatId}`
    const last = typedAt.get(key)
    if (last !== undefined && isRecent(last)) return
    typedAt.delete(key)
    typedAt.set(key, at)
    chats
      .typingTo(user_id, chatId)
      .then((to) => {
        if (to === 'stranger') refuse(new Refusal('not_a_member', 'You are not in this chat.'))
        else if (to) return hub.tellTyping(to.user_id, { chat_id: chatId, user_id })
      })
      .catch((error) =>
        refuse(error instanceof Refusal ? error : new Refusal('internal_error', 'Something went wrong.')),
      )
  }

  /** Closes a socket whose owner is no longer allowed, or cannot be checked now. */
  function closeFor(id: string, error: unknown) {
    const code = error instanceof Refusal ? error.code : null
    if (code === 'suspended') hub.end(id, 'suspended')
    else if (code === 'unauthenticated') hub.end(id, 'ended')
    else if (code === 'consents_gate') hub.end(id, 'consents_required')
    else if (code === 'token_expired') hub.cutOff(id, closing.sessionEnded, 'token_expired')
    else hub.cutOff(id, closing.restart, 'try again')
  }

  return {
    maxPayloadLength: hardFrameLimit,
    // More than the hub allows, because Bun drops frames at this limit.
    backpressureLimit: 1024 * 1024,
    closeOnBackpressureLimit: true,
    idleTimeout: 2 * heartbeatS,
    sendPings: true,
    perMessageDeflate: false,
    open(ws) {
      const { id, owner, arrival } = ws.data
      if (arrival === null) return
      ws.data.arrival = null
      const { token, since } = arrival
      void hub.open(ws, owner, since)
      // A session that ended between the upgrade and now found no socket to close.
      callers
        .byToken(token)
        .then((caller) => requireConsented(config, caller))
        .catch((error) => closeFor(id, error))
    },
    message: (ws, raw) => void receive(ws, raw),
    // Bun itself has sent the pong.
    ping(ws) {
      if (countFrame(ws.data)) hub.closeIfBehind(ws.data.id)
    },
    pong: (ws) => void countFrame(ws.data),
    drain: (ws) => void hub.drained(ws.data.id),
    close: (ws) => hub.closed(ws.data.id),
  }
}

/** Whether one more frame is allowed, by a token bucket. */
function mayReceive(socket: SocketData, now: number): boolean {
  const elapsed = Math.max(0, now - socket.counted_at) / 1000
  socket.allowance = Math.min(burst, socket.allowance + elapsed * perSecond)
  socket.counted_at = now
  if (socket.allowance < 1) return false
  socket.allowance--
  return true
}

/** The codes that clients see for a refused token. */
const shownCodes: Partial<Record<RefusalCode, RefusalCode>> = {
  token_expired: 'unauthenticated',
  consents_gate: 'consents_required',
}

const isCid = (cid: unknown): cid is Cid | undefined =>
  cid === undefined || Number.isFinite(cid) || (typeof cid === 'string' && [...cid].length <= cidLimit)

/** A string field of a frame's data; null if there is none. */
function textIn(data: unknown, name: string): string | null {
  const value = isRecord(data) ? data[name] : null
  return typeof value === 'string' ? value : null
}

function parse(raw: string): { type?: unknown; cid?: unknown; data?: unknown } | null {
  try {
    const value: unknown = JSON.parse(raw)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
