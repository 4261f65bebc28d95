import { Elysia } from 'elysia'
import type { Caller, Callers } from '../features/auth/callers.ts'
import { Refusal, type RefusalCode } from '../refusal.ts'
import { tokenOf } from './signed-in.ts'
import type { Visitor } from './visitor.ts'

export type MaybeSignedIn = ReturnType<typeof maybeSignedIn>

const noCaller: readonly RefusalCode[] = ['unauthenticated', 'token_expired', 'suspended']

/**
 * For public routes that show less to somebody who may not see all: `viewer` is whoever is signed in, or null. A token
 * that does not hold counts as none, as what is public needs none: a browser whose session has ended still reads it.
 */
export const maybeSignedIn = ({ visitor, callers }: { visitor: Visitor; callers: Callers }) =>
  new Elysia({ name: 'maybe-signed-in' })
    .use(visitor)
    .derive(async ({ request, query }): Promise<{ viewer: Caller | null }> => {
      const { token } = tokenOf(request.headers, query)
      if (!token) return { viewer: null }
      try {
        return { viewer: await callers.byToken(token) }
      } catch (refused) {
        if (refused instanceof Refusal && noCaller.includes(refused.code)) return { viewer: null }
        throw refused
      }
    })
    .as('scoped')
