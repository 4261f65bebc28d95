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
        summary: 'The queue of reports, most urgent first',
        description:
          'Sorted by `due_at`, or with `sort=created` oldest first and with `sort=newest` newest first. For moderators; reports about yourself and about reviews of you are left out. With `subject_id`, reports about that user or what they wrote, except reviews: only the evidence names the author of one. `from` and `to` (excluded) limit the time of the report, `decided_from` and `decided_to` that of the decision. `outcome=measure` is everything except `dismiss` and `release`. `automated` finds reports with a measure that no person decided; `from` and `to` are the time of the measure then.',
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
          'For moderators; recorded in the audit log. `forbidden` for others, and for a report about yourself or a review of you.',
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
          summary: 'Claim the most urgent report',
          description:
            'Chooses among the open reports that nobody has claimed, not even you, and that you may decide. The claim lasts 15 minutes, and no two moderators get the same report. 204 if there is none. For moderators; recorded in the audit log.',
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
          'For 15 minutes from now; repeat it to extend the claim. `claimed` if somebody else works on it, `conflict` if it is resolved. For moderators: `forbidden` if you may not decide it. Recorded in the audit log.',
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
          summary: 'Resolve a report',
          description:
            '`warn`, `remove_content` and `suspend` send the user concerned a notice and its event. `remove_content` leaves a tombstone of a message, removes a review, and clears what the owner wrote into a profile. For moderators: `forbidden` for others, for a report that you filed, for one about yourself or a review of you, for one about a moderator or an admin unless you are an admin, and for suspending an admin. `conflict` if it is resolved already, if it became a report of somebody underage since you opened it, or the account concerned is erased; `claimed` if somebody else works on it. With `undo_s` the decision is in `pending` until it takes effect.',
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
            'Within the `undo_s` seconds after your own decision; `conflict` later, or if none is pending. For moderators.',
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
          'Without a report. The user gets a notice and may appeal against it. For moderators: `forbidden` for others, for warning yourself, and for warning a moderator or an admin unless you are an admin. `conflict` if the account has just been erased.',
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
            'Takes effect at once: tokens and sockets stop working, and nearby no longer shows the user. Repeat it to change the reason and the end. For moderators: `forbidden` for others, for suspending yourself, for suspending a moderator unless you are an admin, and for suspending an admin.',
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
          description: 'Does nothing if there is none. For moderators. `conflict` if somebody else was faster.',
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
          'With `from` and `to` (excluded), those of a period, as in the transparency report. For moderators.',
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
          summary: 'Resolve an appeal',
          description:
            'Upholding it lifts the suspension that it is about, if that is still in force; removed content is not restored. The user gets a notice. For moderators: `forbidden` for others, for an appeal of a moderator or an admin unless you are an admin, and for one against your own decision if somebody else could resolve it. `conflict` if it is resolved already.',
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
            '`from` and `to` are included. `format=jsonl` and `csv` return all matching entries as one file, without pages; such an export is itself recorded in the log. For moderators.',
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
          'What was decided, why, until when, and how to appeal. Announcements of admins to everybody are among them, with the action `announce` and the text in `reason`. The token of a suspended user is accepted.',
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
          'Once for each notice. The token of a suspended user is accepted until it expires; after that, use `POST /api/v1/auth/appeals`. `conflict` if you have appealed already.',
        tags,
        refusals: ['not_found', 'conflict'],
      },
    })
    .get('/api/v1/appeals', ({ caller, query }) => notices.appeals(caller, query), {
      query: t.Object(pageQuery),
      response: { 200: model.appealList },
      detail: {
        summary: 'The caller’s appeals, newest first',
        description: 'The token of a suspended user is accepted.',
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
          summary: 'Appeal against a suspension without being logged in',
          description:
            'Takes the credentials of a login, but begins no session. `conflict` if the account is not suspended, or you have appealed already.',
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
