import { Elysia, t } from 'elysia'
import type { RefusalCode } from '../../lib/refusal.ts'
import { shortListQuery } from '../../http/schema.ts'
import type { SignedIn } from '../../http/signed-in.ts'
import type { FormVisitor, Visitor } from '../../http/visitor.ts'
import * as model from './model.ts'
import type { Notifications } from './service.ts'

type Deps = { visitor: Visitor; formVisitor: FormVisitor; signedIn: SignedIn; notifications: Notifications }

const tags = ['notifications']
const unconfigured: RefusalCode[] = ['provider_not_configured']

export const notificationRoutes = ({ visitor, formVisitor, signedIn, notifications }: Deps) =>
  new Elysia({ name: 'notifications' })
    .use(publicRoutes({ visitor, notifications }))
    .use(oneClickRoutes({ formVisitor, notifications }))
    .use(signedIn)
    .get('/api/v1/me/notifications', ({ caller }) => notifications.preferences(caller), {
      response: { 200: model.preferences },
      detail: { summary: 'The caller’s notification preferences', tags },
    })
    .put('/api/v1/me/notifications', ({ caller, body }) => notifications.savePreferences(caller, body), {
      limit: 'write',
      body: model.preferencesChange,
      response: { 200: model.preferences },
      detail: {
        summary: 'Change the notification preferences',
        description:
          'Absent fields keep their values. In quiet hours nothing is sent, by the local time of `time_zone`, summer time included. Notices about the account are always sent. `digest` sends a daily mail to a verified address about messages that have been unread for more than 12 hours.',
        tags,
      },
    })
    .put('/api/v1/chats/:id/mute', ({ caller, params, body }) => notifications.mute(caller, params.id, body.until), {
      limit: 'write',
      params: model.params,
      body: model.mute,
      response: { 200: model.mutedChat },
      detail: {
        summary: 'Mute a chat',
        description: 'Until a time or `forever`; null unmutes it. Only its notifications stop.',
        tags,
        refusals: ['not_a_member', 'not_found'],
      },
    })
    .get('/api/v1/me/channels', ({ caller, query }) => notifications.channels(caller, query), {
      query: t.Object(shortListQuery),
      response: { 200: model.channelList },
      detail: { summary: 'The devices that notifications of the caller go to', tags },
    })
    .post(
      '/api/v1/me/channels',
      async ({ caller, body, client, status }) => {
        const { channel, created } = await notifications.addChannel(caller, body, client)
        return status(created ? 201 : 200, channel)
      },
      {
        limit: 'write',
        body: model.newChannel,
        response: { 200: model.channel, 201: model.channel },
        detail: {
          summary: 'Register a device for notifications',
          description:
            'The device belongs to the session and is removed when that ends. 200 if it is registered already. An account has at most 10: `conflict` beyond that, and for `telegram` if the account has no messenger or the bot may not write to it.',
          tags,
          refusals: ['conflict', ...unconfigured],
        },
      },
    )
    .post(
      '/api/v1/me/channels/:id/test',
      async ({ caller, params, set }) => {
        await notifications.testChannel(caller, params.id)
        set.status = 202
      },
      {
        limit: 'write',
        params: model.params,
        response: { 202: t.Void() },
        detail: {
          summary: 'Send a test to a device',
          description: 'Sent at once, regardless of the preferences. 3 an hour.',
          tags,
          refusals: ['not_found', ...unconfigured],
        },
      },
    )
    .delete(
      '/api/v1/me/channels/:id',
      async ({ caller, params, status }) => status(204, await notifications.removeChannel(caller, params.id)),
      {
        limit: 'write',
        params: model.params,
        response: { 204: t.Void() },
        detail: { summary: 'Remove a device', tags, refusals: ['not_found'] },
      },
    )

const publicRoutes = ({ visitor, notifications }: Pick<Deps, 'visitor' | 'notifications'>) =>
  new Elysia({ name: 'notifications-public' })
    .use(visitor)
    .get('/api/v1/notifications/keys', () => notifications.keys(), {
      limit: 'read',
      response: { 200: model.keys },
      detail: {
        summary: 'The keys that a client needs to register a device',
        description: 'Null or false if this server does not send to such devices.',
        tags,
        security: [],
      },
    })
    .post(
      '/api/v1/notifications/unsubscribe',
      async ({ body, status }) => status(204, await notifications.unsubscribe(body.token)),
      {
        limit: 'unsubscribe',
        body: model.unsubscribe,
        response: { 204: t.Void() },
        detail: {
          summary: 'End the digest by the link of a mail',
          description: 'Repeating it changes nothing.',
          tags,
          refusals: ['link_invalid'],
          security: [],
        },
      },
    )

/** The endpoint that mail programs post to (RFC 8058). The token is in the URL; the body is a form and is not read. */
const oneClickRoutes = ({ formVisitor, notifications }: Pick<Deps, 'formVisitor' | 'notifications'>) =>
  new Elysia({ name: 'one-click-unsubscribe', detail: { hide: true } })
    .use(formVisitor)
    .post(
      '/unsubscribe',
      async ({ query, status }) => status(204, await notifications.unsubscribe(query.token ?? '')),
      {
        limit: 'unsubscribe',
        query: t.Object({ token: t.Optional(t.String({ maxLength: 200 })) }),
        response: { 204: t.Void() },
      },
    )
