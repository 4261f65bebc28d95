import { networkOf } from '../../address.ts'
import type { Ids } from '../../ids.ts'
import { invalid, Refusal } from '../../refusal.ts'
import { iso } from '../../time.ts'
import type { Audit } from '../audit/service.ts'
import type { Legal } from '../legal/service.ts'
import { notSignedIn } from './tokens.ts'
import { type AccountStore, type Consent, type ConsentKind, consentKinds } from './store.ts'

export type Consents = ReturnType<typeof consentsService>

/** What a client sends of a person's consents: `true` gives one, `false` withdraws it. */
export type ConsentChoices = Partial<Record<ConsentKind, boolean>>

/** Where a request comes from. */
export type Client = { address: string; user_agent: string | null; language: string | null }

export const mandatory = ['terms', 'privacy', 'disclaimer'] as const

type Deps = { store: AccountStore; legal: Legal; audit: Audit; ids: Ids; now: () => number }

export function consentsService({ store, legal, audit, ids, now }: Deps) {
  return {
    /** The entries to write for these choices, naming the texts as they stand. */
    entries(userId: string, choices: ConsentChoices, client: Client): Consent[] {
      const at = now()
      return consentKinds.flatMap((kind) => {
        const accepted = choices[kind]
        if (accepted === undefined) return []
        // Marketing has no text of its own: the privacy text says what it means.
        const { version, text_hash } = legal.edition(kind === 'marketing' ? 'privacy' : kind, client.language)
        return [
          {
            id: ids.next(),
            user_id: userId,
            kind,
            accepted,
            version,
            text_hash,
            recorded_at: at,
            user_agent: client.user_agent?.slice(0, 300) ?? null,
            address: networkOf(client.address, { v4: 24, v6: 48 }),
          },
        ]
      })
    },

    /** Adds to the log; `false` is a withdrawal. Answers what was recorded. */
    async record(userId: string, choices: ConsentChoices, client: Client) {
      const entries = this.entries(userId, choices, client)
      if (entries.length === 0) throw invalid('/consents', `Expected one at least of ${consentKinds.join(', ')}`)
      if (!(await store.recordConsents(userId, entries))) throw notSignedIn()
      await audit.note('consents', userId, userId, { consents: choices })
      return { items: entries.map(consentView) }
    },

    /** The mandatory consents that the user has not given to the texts as they stand now. */
    async missing(userId: string): Promise<ConsentKind[]> {
      const given = await store.consents(userId)
      return mandatory.filter((kind) => {
        const last = given.find((consent) => consent.kind === kind)
        return !last?.accepted || last.version !== legal.version(kind)
      })
    },
  }
}

/** The consents of a registration. Refuses where a mandatory one is not exactly `true`, naming those. */
export function registrationConsents(given: unknown): ConsentChoices {
  const choices = (typeof given === 'object' ? given : null) as Record<string, unknown> | null
  const absent = mandatory.filter((kind) => choices?.[kind] !== true)
  if (absent.length > 0)
    throw new Refusal(
      'consents_required',
      'The terms, the privacy policy and the disclaimer have to be accepted.',
      absent.map((kind) => ({ path: `/consents/${kind}`, message: 'Expected true' })),
    )
  const marketing = choices?.marketing
  if (marketing !== undefined && typeof marketing !== 'boolean')
    throw invalid('/consents/marketing', 'Expected true or false')
  return { terms: true, privacy: true, disclaimer: true, marketing }
}

const consentView = ({ kind, accepted, version, recorded_at }: Consent) => ({
  kind,
  accepted,
  version,
  recorded_at: iso(recorded_at),
})
