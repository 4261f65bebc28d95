import { timingSafeEqual } from 'node:crypto'
import { Elysia, t } from 'elysia'
import { readJson } from '../../http/json-body.ts'
import type { FormVisitor } from '../../http/visitor.ts'
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
  formVisitor: FormVisitor
  /** Null if the messenger posts nothing here. */
  door: BotDoor | null
}

/**
 * A long message with links exceeds 64 KiB, all the more together with the message that it answers. Telegram repeats a refused
 * update and holds back later ones meanwhile, so one such message would silence the bot.
 */
const longestUpdate = 1024 * 1024

export const botRoutes = ({ formVisitor, door }: Deps) =>
  new Elysia({ name: 'bot' }).use(formVisitor).post(
    '/api/v1/messenger/updates/:path',
    async ({ params, headers, request }) => {
      // Before the body is read: a stranger must not make the server read a large one.
      const { receive } = admitted(door, params.path, headers['x-telegram-bot-api-secret-token'])
      await receive(await readJson(request, longestUpdate))
      return {}
    },
    {
      limit: 'bot_update',
      params: t.Object({ path: t.String() }),
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
