import { timingSafeEqual } from 'node:crypto'
import { Elysia, t } from 'elysia'
import type { Visitor } from '../../http/visitor.ts'
import { Refusal } from '../../lib/refusal.ts'

/** Where the messenger posts updates, and the secrets that it must present. */
type BotDoor = {
  /** The last part of the path. */
  path: string
  /** The header `X-Telegram-Bot-Api-Secret-Token`. */
  secret: string
  receive(update: unknown): Promise<unknown>
}

type Deps = {
  visitor: Visitor
  /** Null if the messenger posts nothing here. */
  door: BotDoor | null
}

export const botRoutes = ({ visitor, door }: Deps) =>
  new Elysia({ name: 'bot' }).use(visitor).post(
    '/api/v1/messenger/updates/:path',
    async ({ params, headers, body }) => {
      await admitted(door, params.path, headers['x-telegram-bot-api-secret-token']).receive(body)
      return {}
    },
    {
      limit: 'bot_update',
      params: t.Object({ path: t.String() }),
      body: t.Unknown(),
      response: { 200: t.Object({}) },
      detail: { hide: true },
    },
  )

/** A caller who knows only one of the two gets 404, as for an unknown path. */
function admitted(door: BotDoor | null, path: string, secret: string | undefined): BotDoor {
  if (door === null || !isSame(path, door.path) || !isSame(secret ?? '', door.secret))
    throw new Refusal('not_found', 'There is nothing here.')
  return door
}

const digest = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest()
const isSame = (given: string, expected: string) => timingSafeEqual(digest(given), digest(expected))
