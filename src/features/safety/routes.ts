import { Elysia, t } from 'elysia'
import { id, pageQuery } from '../../http/schema.ts'
import type { SignedIn } from '../../http/signed-in.ts'
import { block, blockList, filedReport, newBlock, newReport, reportList } from './model.ts'
import type { Safety } from './service.ts'

const tags = ['safety']

export const safetyRoutes = ({ signedIn, safety }: { signedIn: SignedIn; safety: Safety }) =>
  new Elysia({ name: 'safety' })
    .use(signedIn)
    .post(
      '/api/v1/blocks',
      async ({ caller, body, status }) => {
        const blocked = await safety.block(caller, body.user_id)
        return status(blocked.created ? 201 : 200, blocked.block)
      },
      {
        limit: ['write', 'block'],
        body: newBlock,
        response: { 200: block, 201: block },
        detail: {
          summary: 'Block a user',
          description:
            'Works both ways and at once: neither finds, opens, writes to or sees the other. Repeating it answers 200 with the same block.',
          tags,
          refusals: ['not_found', 'self_not_allowed'],
        },
      },
    )
    .get('/api/v1/blocks', ({ caller, query }) => safety.blocks(caller, query), {
      query: t.Object(pageQuery),
      response: { 200: blockList },
      detail: { summary: 'The caller’s blocks, newest first', tags },
    })
    .delete(
      '/api/v1/blocks/:id',
      async ({ caller, params, status }) => status(204, await safety.unblock(caller, params.id)),
      {
        limit: 'write',
        params: t.Object({ id }),
        response: { 204: t.Void() },
        detail: {
          summary: 'Lift a block',
          description: '`not_found` also for a block of somebody else.',
          tags,
          refusals: ['not_found'],
        },
      },
    )
    .post(
      '/api/v1/reports',
      async ({ caller, client, body, status }) => {
        const { report, created } = await safety.report(caller, body, client)
        return status(created ? 201 : 200, report)
      },
      {
        limit: 'report',
        body: newReport,
        response: { 200: filedReport, 201: filedReport },
        detail: {
          summary: 'Report a user, a message or a review',
          description:
            'The content is kept as evidence as it is now; a message with its five neighbours on each side. While your report about the same target is open, another one answers 200 with the first, and adds its details to it; `underage` replaces its reason. Works across a block. Three reports about a user within a day, or one that they are a child, hide them until a moderator has decided. `not_a_member` for a message in somebody else’s chat, `validation_failed` for no target or several.',
          tags,
          refusals: ['not_a_member', 'not_found', 'self_not_allowed'],
        },
      },
    )
    .get('/api/v1/reports', ({ caller, query }) => safety.reports(caller, query), {
      query: t.Object(pageQuery),
      response: { 200: reportList },
      detail: {
        summary: 'The caller’s reports, newest first',
        description: '`action` is the decision.',
        tags,
      },
    })
