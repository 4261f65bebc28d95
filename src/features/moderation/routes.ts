import { Elysia, t } from 'elysia'
import type { SignedIn } from '../../http/signed-in.ts'
import type { Visitor } from '../../http/visitor.ts'
import { pageQuery } from '../../http/page.ts'
import { id } from '../profile/model.ts'
import * as model from './model.ts'
import type { Notices } from './notices.ts'
import type { Moderation } from './service.ts'

type Deps = { visitor: Visitor; signedIn: SignedIn; moderation: Moderation; notices: Notices }

const params = t.Object({ id })
const tags = ['moderation']

export const moderationRoutes = ({ visitor, signedIn, moderation, notices }: Deps) =>
  new Elysia({ name: 'moderation' })
    .use(publicRoutes({ visitor, notices }))
    .use(noticeRoutes({ signedIn, notices }))
    .use(signedIn)
    .get('/api/v1/admin/reports', ({ caller, query }) => moderation.reports(caller, query), {
      query: model.reportQuery,
      response: { 200: model.reportQueue },
      detail: {
        summary: 'The queue of reports, oldest first',
        description: 'For moderators. Refusals: 403 `forbidden`.',
        tags,
      },
    })
    .get('/api/v1/admin/reports/:id', ({ caller, params }) => moderation.report(caller, params.id), {
      params,
      response: { 200: model.report },
      detail: {
        summary: 'One report with its evidence',
        description: 'For moderators; recorded in the audit log. Refusals: 403 `forbidden`, 404 `not_found`.',
        tags,
      },
    })
    .post(
      '/api/v1/admin/reports/:id/resolve',
      ({ caller, params, body }) => moderation.resolve(caller, params.id, body),
      {
        limit: 'write',
        params,
        body: model.resolution,
        response: { 200: model.report },
        detail: {
          summary: 'Settle a report',
          description:
            '`warn`, `remove_content` and `suspend` tell the user concerned, with a notice and its event. `remove_content` leaves a tombstone of a message, takes a review away, and clears what the owner wrote into a profile. For moderators. Refusals: 403 `forbidden` (no moderator, a report about yourself, suspending a moderator without being an admin, or an admin), 404 `not_found`, 409 `conflict` (resolved already, or the account concerned is erased), 422 `validation_failed`.',
          tags,
        },
      },
    )
    .post(
      '/api/v1/admin/users/:id/suspend',
      ({ caller, params, body }) => moderation.suspend(caller, params.id, body),
      {
        limit: 'write',
        params,
        body: model.suspension,
        response: { 200: model.suspensionState },
        detail: {
          summary: 'Suspend a user',
          description:
            'At once: tokens and sockets stop, and nearby shows them no more. Again changes the reason and the end. For moderators. Refusals: 403 `forbidden` (no moderator, yourself, a moderator without being an admin, an admin), 404 `not_found`, 422 `validation_failed`.',
          tags,
        },
      },
    )
    .post(
      '/api/v1/admin/users/:id/unsuspend',
      ({ caller, params, body }) => moderation.unsuspend(caller, params.id, body),
      {
        limit: 'write',
        params,
        body: model.unsuspension,
        response: { 200: model.suspensionState },
        detail: {
          summary: 'Lift a suspension',
          description:
            'Where there is none, nothing changes. For moderators. Refusals: 403 `forbidden`, 404 `not_found`, 409 `conflict` (somebody else was faster).',
          tags,
        },
      },
    )
    .get('/api/v1/admin/appeals', ({ caller, query }) => moderation.appeals(caller, query), {
      query: model.appealQuery,
      response: { 200: model.appealQueue },
      detail: { summary: 'Appeals, oldest first', description: 'For moderators. Refusals: 403 `forbidden`.', tags },
    })
    .post(
      '/api/v1/admin/appeals/:id/resolve',
      ({ caller, params, body }) => moderation.resolveAppeal(caller, params.id, body),
      {
        limit: 'write',
        params,
        body: model.appealResolution,
        response: { 200: model.resolvedAppeal },
        detail: {
          summary: 'Settle an appeal',
          description:
            'Upheld, it lifts the suspension that it is about, if that one still stands; what was removed stays removed. The user is told by a notice. For moderators. Refusals: 403 `forbidden`, 404 `not_found`, 409 `conflict` (resolved already), 422 `validation_failed`.',
          tags,
        },
      },
    )
    .get('/api/v1/admin/audit', ({ caller, query }) => moderation.auditLog(caller, query), {
      query: model.auditQuery,
      response: { 200: model.auditList },
      detail: {
        summary: 'The audit log, newest first',
        description: '`from` and `to` are included. For moderators. Refusals: 403 `forbidden`.',
        tags,
      },
    })

const noticeRoutes = ({ signedIn, notices }: Pick<Deps, 'signedIn' | 'notices'>) =>
  new Elysia({ name: 'notices' })
    .use(signedIn)
    .get('/api/v1/me/notices', ({ caller, query }) => notices.list(caller, query), {
      query: t.Object(pageQuery),
      response: { 200: model.noticeList },
      detail: {
        summary: 'Decisions of moderation about the caller, newest first',
        description: 'What was decided, why, until when, and how to appeal. A suspended user’s token is good for this.',
        tags,
      },
    })
    .post('/api/v1/appeals', async ({ caller, body, status }) => status(201, await notices.appeal(caller, body)), {
      limit: 'write',
      body: model.newAppeal,
      response: { 201: model.appeal },
      detail: {
        summary: 'Appeal against a decision',
        description:
          'Once for each notice. A suspended user’s token is good for this until it expires; after that there is `POST /api/v1/auth/appeals`. Refusals: 404 `not_found`, 409 `conflict` (appealed already), 422 `validation_failed`.',
        tags,
      },
    })
    .get('/api/v1/appeals', ({ caller, query }) => notices.appeals(caller, query), {
      query: t.Object(pageQuery),
      response: { 200: model.appealList },
      detail: {
        summary: 'The caller’s appeals, newest first',
        description: 'A suspended user’s token is good for this.',
        tags,
      },
    })

const publicRoutes = ({ visitor, notices }: Pick<Deps, 'visitor' | 'notices'>) =>
  new Elysia({ name: 'appeals-public' })
    .use(visitor)
    .post(
      '/api/v1/auth/appeals',
      async ({ body, client, status }) => status(201, await notices.appealSuspension(body, client)),
      {
        limit: 'login',
        body: model.newAppealWithLogin,
        response: { 201: model.appeal },
        detail: {
          summary: 'Appeal against the suspension that keeps one from logging in',
          description:
            'With what one would log in with; it begins no session. Refusals: 401 `invalid_credentials`, `init_data_invalid` or `init_data_expired`, 409 `conflict` (not suspended, or appealed already), 422 `validation_failed`, 429, 503 `busy` or `messenger_not_configured`.',
          tags,
          security: [],
        },
      },
    )
