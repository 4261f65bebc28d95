import { Elysia, t } from 'elysia'
import { id, pageQuery } from '../../http/schema.ts'
import type { SignedIn, SignedInAs } from '../../http/signed-in.ts'
import type { Visitor } from '../../http/visitor.ts'
import * as model from './model.ts'
import type { Moderator } from './moderators.ts'
import type { Notices } from './notices.ts'
import type { Moderation } from './service.ts'

type Deps = {
  visitor: Visitor
  signedIn: SignedIn
  /** Refuses everybody else before their request is validated. */
  asModerator: SignedInAs<Moderator>
  moderation: Moderation
  notices: Notices
}

const params = t.Object({ id })
const tags = ['moderation']

export const moderationRoutes = ({ visitor, signedIn, asModerator, moderation, notices }: Deps) =>
  new Elysia({ name: 'moderation' })
    .use(publicRoutes({ visitor, notices }))
    .use(noticeRoutes({ signedIn, notices }))
    .use(asModerator)
    .get('/api/v1/admin/reports', ({ admitted, query }) => moderation.reports(admitted, query), {
      query: model.reportQuery,
      response: { 200: model.reportQueue },
      detail: {
        summary: 'The queue of reports, those to be decided first at its beginning',
        description:
          'By `due_at`, or with `sort=created` oldest first. For moderators, each without what concerns themselves: reports about them, and of reviews of them. With `subject_id`, those about that user or what they wrote, except reviews: only the evidence tells who wrote one. `from` and `to`, which is excluded, are of the report; `decided_from` and `decided_to` of the decision. `outcome=measure` is everything but `dismiss` and `release`. `automated` are reports that led to a measure which no person decided, with `from` and `to` of the measure.',
        tags,
        refusals: ['forbidden'],
      },
    })
    .get('/api/v1/admin/reports/:id', ({ admitted, params }) => moderation.report(admitted, params.id), {
      params,
      response: { 200: model.report },
      detail: {
        summary: 'One report with its evidence',
        description:
          'For moderators; recorded in the audit log. `forbidden` for others, and for a report about yourself or of a review of you.',
        tags,
        refusals: ['forbidden', 'not_found'],
      },
    })
    .post(
      '/api/v1/admin/reports/next',
      async ({ admitted, body, status }) => {
        const report = await moderation.nextReport(admitted, body.kind ?? undefined)
        return report === null ? status(204, undefined) : status(200, report)
      },
      {
        limit: 'write',
        body: model.nextReport,
        response: { 200: model.report, 204: t.Void() },
        detail: {
          summary: 'Claim the report that is to be decided first',
          description:
            'Of the open ones that nobody has claimed, you among them, and that you may decide. It is yours for 15 minutes: no two moderators get the same. 204 where there is none. For moderators; recorded in the audit log.',
          tags,
          refusals: ['forbidden'],
        },
      },
    )
    .post('/api/v1/admin/reports/:id/claim', ({ admitted, params }) => moderation.claim(admitted, params.id), {
      limit: 'write',
      params,
      response: { 200: model.report },
      detail: {
        summary: 'Claim a report',
        description:
          'For 15 minutes from now; again claims it longer. `claimed` where somebody else works on it, `conflict` where it is resolved. For moderators: `forbidden` where you may not decide it. Recorded in the audit log.',
        tags,
        refusals: ['forbidden', 'not_found', 'conflict', 'claimed'],
      },
    })
    .delete(
      '/api/v1/admin/reports/:id/claim',
      async ({ admitted, params, status }) => status(204, await moderation.release(admitted, params.id)),
      {
        limit: 'write',
        params,
        response: { 204: t.Void() },
        detail: {
          summary: 'Give up a claim',
          description: 'Does nothing if there is none. `claimed` if it belongs to somebody else. For moderators.',
          tags,
          refusals: ['forbidden', 'not_found', 'claimed'],
        },
      },
    )
    .post(
      '/api/v1/admin/reports/:id/resolve',
      ({ admitted, params, body }) => moderation.resolve(admitted, params.id, body),
      {
        limit: 'write',
        params,
        body: model.resolution,
        response: { 200: model.report },
        detail: {
          summary: 'Settle a report',
          description:
            '`warn`, `remove_content` and `suspend` tell the user concerned, with a notice and its event. `remove_content` leaves a tombstone of a message, takes a review away, and clears what the owner wrote into a profile. For moderators: `forbidden` for others, for a report that you filed, one about yourself or of a review of you, for one about a moderator or an admin without being an admin, and for suspending an admin. `conflict` where it is resolved already, or the account concerned is erased; `claimed` where somebody else works on it. With `undo_s` the decision is in `pending` until it takes effect.',
          tags,
          refusals: ['forbidden', 'not_found', 'conflict', 'claimed'],
        },
      },
    )
    .delete(
      '/api/v1/admin/reports/:id/resolve',
      async ({ admitted, params, status }) => status(204, await moderation.undo(admitted, params.id)),
      {
        limit: 'write',
        params,
        response: { 204: t.Void() },
        detail: {
          summary: 'Take back a decision',
          description:
            'Within the `undo_s` seconds of your own decision; `conflict` after that, and where none waits. For moderators.',
          tags,
          refusals: ['forbidden', 'not_found', 'conflict'],
        },
      },
    )
    .post('/api/v1/admin/users/:id/warn', ({ admitted, params, body }) => moderation.warn(admitted, params.id, body), {
      limit: 'write',
      params,
      body: model.warning,
      response: { 200: model.warned },
      detail: {
        summary: 'Warn a user',
        description:
          'Without a report: they get a notice, against which they may appeal. For moderators: `forbidden` for others, for warning yourself, and a moderator or an admin without being an admin. `conflict` where the account was erased meanwhile.',
        tags,
        refusals: ['forbidden', 'not_found', 'conflict'],
      },
    })
    .post(
      '/api/v1/admin/users/:id/suspend',
      ({ admitted, params, body }) => moderation.suspend(admitted, params.id, body),
      {
        limit: 'write',
        params,
        body: model.suspension,
        response: { 200: model.suspensionState },
        detail: {
          summary: 'Suspend a user',
          description:
            'At once: tokens and sockets stop, and nearby shows them no more. Again changes the reason and the end. For moderators: `forbidden` for others, for suspending yourself, a moderator without being an admin, or an admin.',
          tags,
          refusals: ['forbidden', 'not_found'],
        },
      },
    )
    .post(
      '/api/v1/admin/users/:id/unsuspend',
      ({ admitted, params, body }) => moderation.unsuspend(admitted, params.id, body),
      {
        limit: 'write',
        params,
        body: model.unsuspension,
        response: { 200: model.suspensionState },
        detail: {
          summary: 'Lift a suspension',
          description:
            'Where there is none, nothing changes. For moderators. `conflict` where somebody else was faster.',
          tags,
          refusals: ['forbidden', 'not_found', 'conflict'],
        },
      },
    )
    .get('/api/v1/admin/appeals', ({ admitted, query }) => moderation.appeals(admitted, query), {
      query: model.appealQuery,
      response: { 200: model.appealQueue },
      detail: {
        summary: 'Appeals of others, oldest first',
        description:
          'Of a period with `from` and `to`, which is excluded, as in the transparency report. For moderators.',
        tags,
        refusals: ['forbidden'],
      },
    })
    .post(
      '/api/v1/admin/appeals/:id/resolve',
      ({ admitted, params, body }) => moderation.resolveAppeal(admitted, params.id, body),
      {
        limit: 'write',
        params,
        body: model.appealResolution,
        response: { 200: model.resolvedAppeal },
        detail: {
          summary: 'Settle an appeal',
          description:
            'Upheld, it lifts the suspension that it is about, if that one still stands; what was removed stays removed. The user is told by a notice. For moderators: `forbidden` for others, for an appeal of a moderator or an admin without being an admin, and for one against your own decision where somebody else could settle it. `conflict` where it is resolved already.',
          tags,
          refusals: ['forbidden', 'not_found', 'conflict'],
        },
      },
    )
    .get(
      '/api/v1/admin/audit',
      async ({ admitted, query: { format = 'json', ...query } }) =>
        format === 'json'
          ? Response.json(await moderation.auditLog(admitted, query))
          : auditFile(format, await moderation.auditFile(admitted, format, query)),
      {
        query: model.auditQuery,
        response: { 200: model.auditList },
        detail: {
          summary: 'The audit log, newest first',
          description:
            '`from` and `to` are included. `format=jsonl` and `csv` answer all entries of the filter as one file, without pages; that is in the log itself. For moderators.',
          tags,
          refusals: ['forbidden'],
          responses: {
            200: {
              description: 'The entries',
              content: {
                'application/x-ndjson': { schema: { type: 'string' } },
                'text/csv': { schema: { type: 'string' } },
              },
            },
          },
        },
      },
    )

const auditFile = (format: 'jsonl' | 'csv', content: AsyncIterable<Uint8Array<ArrayBuffer>>) =>
  new Response(content, {
    headers: {
      'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
      'content-disposition': `attachment; filename="audit.${format}"`,
      'cache-control': 'no-store',
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
        description:
          'What was decided, why, until when, and how to appeal. What admins announce to everybody is among them, with the action `announce` and the text in `reason`. A suspended user’s token is good for this.',
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
          'Once for each notice. A suspended user’s token is good for this until it expires; after that there is `POST /api/v1/auth/appeals`. `conflict` where it is appealed already.',
        tags,
        refusals: ['not_found', 'conflict'],
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
            'With what one would log in with; it begins no session. `conflict` where the account is not suspended, or the suspension is appealed already.',
          tags,
          refusals: [
            'invalid_credentials',
            'init_data_invalid',
            'init_data_expired',
            'conflict',
            'messenger_not_configured',
          ],
          security: [],
        },
      },
    )
