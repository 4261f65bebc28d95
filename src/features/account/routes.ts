import { Elysia, t } from 'elysia'
import type { SessionCookies } from '../../http/session-cookie.ts'
import type { SignedIn } from '../../http/signed-in.ts'
import * as model from './model.ts'
import type { Account } from './service.ts'

type Deps = { signedIn: SignedIn; account: Account; cookies: SessionCookies }

const tags = ['account']

export const accountRoutes = ({ signedIn, account, cookies }: Deps) =>
  new Elysia({ name: 'account' })
    .use(signedIn)
    .delete(
      '/api/v1/me',
      async ({ caller, body, client, set }) => {
        await account.erase(caller, body, client)
        cookies.clear(set.headers)
        set.status = 204
      },
      {
        limit: 'write',
        body: model.erasure,
        response: { 204: t.Void() },
        detail: {
          summary: 'Erase the account',
          description:
            'Confirm it with the `password`, or with fresh `init_data` of the messenger where the account has one; an account with neither has to have logged in within the last 10 minutes (403 `forbidden`). At once and for good: sessions, profile, preferences, position, photos, blocks and the reviews about you go. Your messages become tombstones, your reviews of others lose their author; the others in your chats get a `chat` event that shows you as deleted (`name` is null): what you wrote is gone from the chat then. Evidence of reports stays until its time is over.',
          tags,
          refusals: ['wrong_password', 'init_data_invalid', 'init_data_expired', 'messenger_not_configured'],
        },
      },
    )
    .get('/api/v1/me/export', async ({ caller }) => fileResponse(await account.export(caller)), {
      limit: 'export',
      response: { 200: model.exported },
      detail: {
        summary: 'All that is stored about the caller',
        description:
          'As one JSON document, sent while it is read. Of others it holds what they sent to the caller, and their names. If it breaks off, it is no whole JSON: ask again.',
        tags,
      },
    })

const fileResponse = (content: AsyncIterable<Uint8Array<ArrayBuffer>>) =>
  new Response(content, {
    headers: {
      'content-type': 'application/json',
      'content-disposition': 'attachment; filename="convene-export.json"',
      'cache-control': 'no-store',
    },
  })
