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
            'Confirm it with the `password`, or with fresh `init_data` if the account has a messenger; an account with neither must have logged in within the last 10 minutes (403 `forbidden`). Sessions, profile, preferences, position, photos, blocks and the reviews about you are removed at once and for good. Your messages become tombstones, and your reviews of others lose their author. The other members of your chats get a `chat` event that shows you as deleted (`name` is null); your messages are gone from the chat by then. Evidence of reports is kept until its retention period ends.',
          tags,
          refusals: ['wrong_password', 'init_data_invalid', 'init_data_expired', 'messenger_not_configured'],
        },
      },
    )
    .get('/api/v1/me/export', async ({ caller }) => fileResponse(await account.export(caller)), {
      limit: 'export',
      response: { 200: model.exported },
      detail: {
        summary: 'Everything that is stored about the caller',
        description:
          'One JSON document, streamed. About other people it contains only their names and what they sent to the caller. If the stream breaks off, the JSON is incomplete: ask again.',
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
