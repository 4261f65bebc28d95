import { Elysia, t } from 'elysia'
import type { SignedIn } from '../../http/signed-in.ts'
import type { Visitor } from '../../http/visitor.ts'
import * as model from './model.ts'
import type { Emails } from './service.ts'

type Deps = { visitor: Visitor; signedIn: SignedIn; emails: Emails }

const tags = ['auth']

export const emailRoutes = ({ visitor, signedIn, emails }: Deps) =>
  new Elysia({ name: 'email' })
    .use(publicRoutes({ visitor, emails }))
    .use(signedIn)
    .post(
      '/api/v1/me/email/verify',
      async ({ caller, set }) => {
        await emails.sendVerification(caller)
        set.status = 202
      },
      {
        limit: 'verify_mail',
        response: { 202: t.Void() },
        detail: {
          summary: 'Send the verification mail again',
          description: 'Sends nothing if the address is verified.',
          tags,
          refusals: ['not_found', 'mail_not_configured'],
        },
      },
    )
    .put(
      '/api/v1/me/email',
      async ({ caller, body, client, set }) => {
        await emails.change(caller, body, client)
        set.status = 202
      },
      {
        limit: 'email_change',
        body: model.change,
        response: { 202: t.Void() },
        detail: {
          summary: 'Change the e-mail address',
          description:
            'The new address gets a link, and the change happens when it is used. With the present address, a change that was asked for before is taken back. The old address gets a notice with a link that undoes the change for 7 days. Give the `password` if the account has one; otherwise the session must be younger than 10 minutes (403 `forbidden`).',
          tags,
          refusals: ['wrong_password', 'mail_not_configured'],
        },
      },
    )

const publicRoutes = ({ visitor, emails }: Omit<Deps, 'signedIn'>) =>
  new Elysia({ name: 'email-public' })
    .use(visitor)
    .post(
      '/api/v1/auth/password/forgot',
      async ({ body, set }) => {
        await emails.forgot(body)
        set.status = 202
      },
      {
        limit: 'mail_link',
        body: model.forgotten,
        response: { 202: t.Void() },
        detail: {
          summary: 'Ask for a link to a new password',
          description: 'Neither the answer nor its timing reveals whether there is such an account.',
          tags,
          refusals: ['mail_not_configured'],
          security: [],
        },
      },
    )
    .post('/api/v1/auth/password/reset', async ({ body, status }) => status(204, await emails.reset(body)), {
      limit: 'mail_link',
      body: model.reset,
      response: { 204: t.Void() },
      detail: {
        summary: 'Set a new password by a link',
        description: 'Ends every session. The address that the link was sent to counts as verified.',
        tags,
        refusals: ['link_invalid'],
        security: [],
      },
    })
    .post('/api/v1/auth/email/verify', ({ body }) => emails.verify(body), {
      limit: 'mail_link',
      body: model.link,
      response: { 200: model.verified },
      detail: {
        summary: 'Verify an address by a link, or change to it',
        tags,
        refusals: ['link_invalid', 'email_taken'],
        security: [],
      },
    })
    .post('/api/v1/auth/email/undo', ({ body }) => emails.undo(body), {
      limit: 'mail_link',
      body: model.link,
      response: { 200: model.undone },
      detail: {
        summary: 'Undo the change of an address by a link',
        description:
          'Restores the old address and ends every session. An account that has registered the address since loses it, unless it has verified it: `email_taken`.',
        tags,
        refusals: ['link_invalid', 'email_taken'],
        security: [],
      },
    })
