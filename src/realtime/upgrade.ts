import { Elysia } from 'elysia'
import { type Callers, requireConsented, requireVerified } from '../features/auth/callers.ts'
import { notSignedIn } from '../features/auth/tokens.ts'
import type { Config } from '../config.ts'
import type { Origins } from '../http/origins.ts'
import type { Limits } from '../lib/rate-limits.ts'
import { invalid, Refusal, type RefusalCode } from '../lib/refusal.ts'
import type { Hub } from './hub.ts'
import { newSocket } from './socket.ts'

/** How an upgrade may be refused. */
export const socketRefusals = [
  'bad_request',
  'unauthenticated',
  'token_expired',
  'suspended',
  'consents_required',
  'email_not_verified',
  'forbidden',
  'validation_failed',
  'rate_limited',
  'shutting_down',
  'busy',
] satisfies RefusalCode[]

/**
 * `GET /ws[?since=…]`, with the access token as the subprotocol `bearer.…` beside `convene`, or as `token` in the query. Uses
 * Bun's upgrade instead of Elysia's `.ws`, which parses frames before their size can be checked, and keeps the whole request in
 * memory while the socket is open.
 */
export const socketRoute = ({
  config,
  callers,
  origins,
  limits,
  hub,
  admission,
  now,
}: {
  config: Config
  callers: Callers
  origins: Origins
  limits: Limits
  hub: Hub
  admission: { socketTurn(): Promise<void> }
  now: () => number
}) =>
  new Elysia({ name: 'socket' }).get(
    '/ws',
    async ({ request, server, query, set }) => {
      const { token = tokenOffered(request.headers), since }: Record<string, string | undefined> = query
      if (!token) throw notSignedIn()
      await admission.socketTurn()
      const caller = await callers.byToken(token)
      requireConsented(config, caller)
      requireVerified(config, caller)
      if (!origins.allows(request.headers)) throw new Refusal('forbidden', 'This page may not open a socket here.')
      if (since !== undefined && !/^\d+$/.test(since))
        throw invalid('/since', 'Expected a seq: a whole number from 0', 'type')
      if (!isUpgrade(request.headers)) throw upgradeRequired()
      hub.refuseWhileDraining()
      // Limited because each opening and closing announces presence to all chats.
      await limits.take('socket', caller.id)
      const arrival = { token, since: since === undefined ? null : Math.min(Number(since), Number.MAX_SAFE_INTEGER) }
      const data = newSocket(caller, arrival, now())
      const headers = { 'x-request-id': String(set.headers['x-request-id']) }
      if (!server?.upgrade(request, { data, headers })) throw new Refusal('bad_request', 'The upgrade failed.')
    },
    {
      // OpenAPI cannot describe an upgrade: asyncapi-document.ts does.
      detail: { hide: true },
    },
  )

/**
 * The access token among the offered subprotocols. Browsers can set no other header on a WebSocket, and URLs end up in logs
 * and histories, where tokens must not be. Bun answers with the first subprotocol, which therefore has to be `convene`.
 */
function tokenOffered(headers: Headers): string | undefined {
  const [first, ...others] = (headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim())
  if (first !== 'convene') return undefined
  return others.find((name) => name.startsWith('bearer.'))?.slice('bearer.'.length)
}

const isUpgrade = (headers: Headers) =>
  headers.get('upgrade')?.toLowerCase() === 'websocket' && headers.get('sec-websocket-version') === '13'

const upgradeRequired = () =>
  new Refusal('upgrade_required', 'This is a WebSocket: upgrade the connection.', undefined, {
    upgrade: 'websocket',
    'sec-websocket-version': '13',
  })
