import { Elysia, t } from 'elysia'
import { id, pageQuery, uuid } from '../../http/schema.ts'
import type { SignedIn } from '../../http/signed-in.ts'
import * as model from './model.ts'
import type { Chats } from './service.ts'

const params = t.Object({ id })
const tags = ['chats']

export const chatRoutes = ({ signedIn, chats }: { signedIn: SignedIn; chats: Chats }) =>
  new Elysia({ name: 'chats' })
    .use(signedIn)
    .post(
      '/api/v1/chats',
      async ({ caller, body, status }) => {
        const { chat, created } = await chats.ensure(caller, body.user_id)
        return status(created ? 201 : 200, chat)
      },
      {
        limit: 'write',
        body: model.newChat,
        response: { 200: model.chat, 201: model.chat },
        detail: {
          summary: 'The chat with another user',
          description:
            '201 if it is new, 200 if the pair has one already. `blocked` if you blocked them, `not_found` if they blocked you. An account may begin 50 chats a day; existing ones are not counted.',
          tags,
          refusals: ['blocked', 'not_found', 'self_not_allowed'],
        },
      },
    )
    .get('/api/v1/chats', ({ caller, query }) => chats.list(caller, query), {
      query: t.Object(pageQuery),
      response: { 200: model.chatList },
      detail: { summary: 'The caller’s chats, the latest first', tags },
    })
    .get('/api/v1/chats/:id', ({ caller, params }) => chats.byId(caller, params.id), {
      params,
      response: { 200: model.chat },
      detail: { summary: 'One chat', tags, refusals: ['not_a_member', 'not_found'] },
    })
    .get('/api/v1/chats/:id/messages', ({ caller, params, query }) => chats.messages(caller, params.id, query), {
      params,
      query: t.Object({
        ...pageQuery,
        after: t.Optional(uuid('Expected a message’s id')),
      }),
      response: { 200: model.messageList },
      detail: {
        summary: 'Messages of a chat',
        description:
          'Newest first; `cursor` goes back in time. With `after`, the messages after that one, oldest first. Deleted messages stay as tombstones.',
        tags,
        refusals: ['not_a_member', 'not_found'],
      },
    })
    .post(
      '/api/v1/chats/:id/messages',
      async ({ caller, params, body, status }) => {
        const { message, created } = await chats.send(caller, params.id, body)
        return status(created ? 201 : 200, message)
      },
      {
        limit: ['send', 'send_day'],
        params,
        body: model.newMessage,
        response: { 200: model.message, 201: model.message },
        detail: {
          summary: 'Send a message',
          description:
            'Text, or a photo uploaded before with an optional caption. `client_id` makes a retry safe: a repeated one answers 200 with the first message, in whichever chat that was. `conflict` if the other user’s account is erased.',
          tags,
          refusals: ['not_a_member', 'blocked', 'awaiting_reply', 'conflict', 'content_refused', 'not_found'],
        },
      },
    )
    .put('/api/v1/chats/:id/read', ({ caller, params, body }) => chats.markRead(caller, params.id, body.up_to), {
      limit: 'send',
      params,
      body: model.readUpTo,
      response: { 200: model.readMarks },
      detail: {
        summary: 'Mark the other user’s messages as read',
        description:
          'All of them, or those up to the message `up_to`, which either of you may have written. If nothing was unread, and across a block, `read` is 0 and `read_at` null.',
        tags,
        refusals: ['not_a_member', 'not_found'],
      },
    })
    .put('/api/v1/messages/:id', ({ caller, params, body }) => chats.edit(caller, params.id, body.text), {
      limit: ['send', 'send_day'],
      params,
      body: model.messageEdit,
      response: { 200: model.message },
      detail: {
        summary: 'Edit a message',
        description: 'At most a hundred times: `conflict` after that.',
        tags,
        refusals: [
          'not_a_member',
          'not_the_owner',
          'blocked',
          'awaiting_reply',
          'not_found',
          'message_deleted',
          'conflict',
          'content_refused',
        ],
      },
    })
    .delete(
      '/api/v1/messages/:id',
      async ({ caller, params, status }) => status(204, await chats.remove(caller, params.id)),
      {
        limit: 'send',
        params,
        response: { 204: t.Void() },
        detail: {
          summary: 'Delete a message',
          description: 'A tombstone stays.',
          tags,
          refusals: ['not_a_member', 'not_the_owner', 'not_found'],
        },
      },
    )
