import { Elysia } from 'elysia'
import type { Caller, Callers } from '../features/auth/callers.ts'
import { Refusal, type RefusalCode } from '../lib/refusal.ts'
import { callerOf } from './signed-in.ts'
import type { Visitor } from './visitor.ts'

export type MaybeSignedIn = ReturnType<typeof maybeSignedIn>

const noCaller: readonly RefusalCode[] = ['unauthenticated', 'token_expired', 'suspended']

/**
 * For public routes that hide some things from some users: `viewer` is the signed-in user, or null. An invalid token counts
 * as none, so that a browser whose session has ended can still read public pages.
 */
export const maybeSignedIn = ({ visitor, callers }: { visitor: Visitor; callers: Callers }) =>
  new Elysia({ name: 'maybe-signed-in' })
    .use(visitor)
    .derive(async ({ request, query }): Promise<{ viewer: Caller | null }> => {
      try {
        return { viewer: (await callerOf(callers, request.headers, query)).caller }
      } catch (refused) {
        if (refused instanceof Refusal && noCaller.includes(refused.code)) return { viewer: null }
        throw refused
      }
    })
    .as('scoped')
