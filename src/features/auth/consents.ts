import { networkOf } from '../../lib/network-address.ts'
import type { Ids } from '../../lib/ids.ts'
import type { Limits } from '../../lib/rate-limits.ts'
import { invalid, Refusal } from '../../lib/refusal.ts'
import { iso } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import type { Legal } from '../legal/service.ts'
import { mandatory, repeats } from './rules.ts'
import { notSignedIn } from './tokens.ts'
import { type AccountStore, type Consent, type ConsentKind, consentKinds } from './store.ts'
import { isRecord } from '../../lib/record.ts'

export type Consents = ReturnType<typeof consentsService>

/** The consents in a request: `true` gives one, `false` withdraws it. */
export type ConsentChoices = Partial<Record<ConsentKind, boolean>>

/** Where a request comes from. */
export type Client = { address: string; user_agent: string | null; language: string | null }

type Deps = { store: AccountStore; legal: Legal; limits: Limits; audit: Audit; ids: Ids; now: () => number }

export function consentsService({ store, legal, limits, audit, ids, now }: Deps) {
  return {
    /** Log entries for these choices, which name the current version of each text. */
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

    /**
     * Adds to the log what has changed. Returns the current entries. Refuses with 429 after too many changes, because the
     * log is kept for good.
     */
    async record(userId: string, choices: ConsentChoices, client: Client) {
      const entries = this.entries(userId, choices, client)
      if (entries.length === 0)
        throw invalid('/consents', `Expected at least one of ${consentKinds.join(', ')}`, 'required')
      const before = await store.consents(userId)
      const newestIn = (consents: readonly Consent[], { kind }: Consent) => consents.find((one) => one.kind === kind)
      const repeated = entries.flatMap((entry) => {
        const newest = newestIn(before, entry)
        return newest && repeats(newest, entry) ? [newest] : []
      })
      if (repeated.length === entries.length) return { items: repeated.map(consentView) }
      await limits.take('consents', userId)
      const added = await store.recordConsents(userId, entries)
      if (!added) throw notSignedIn()
      if (added.length > 0)
        await audit.note('consents', userId, userId, {
          consents: Object.fromEntries(added.map(({ kind, accepted }) => [kind, accepted])),
        })
      const current = added.length === entries.length ? added : await store.consents(userId)
      return { items: entries.flatMap((entry) => newestIn(current, entry) ?? []).map(consentView) }
    },

    /** The mandatory consents that the user has not given to the current texts. */
    async missing(userId: string): Promise<ConsentKind[]> {
      const given = await store.consents(userId)
      return mandatory.filter((kind) => {
        const last = given.find((consent) => consent.kind === kind)
        return !last?.accepted || last.version !== legal.version(kind)
      })
    },
  }
}

/** The consents of a registration. Refuses, naming the fields, if a mandatory one is not exactly `true`. */
export function registrationConsents(given: unknown): ConsentChoices {
  const choices = isRecord(given) ? given : null
  const absent = mandatory.filter((kind) => choices?.[kind] !== true)
  if (absent.length > 0)
    throw new Refusal(
      'consents_required',
      'The terms, the privacy policy and the disclaimer have to be accepted.',
      absent.map((kind) => ({ path: `/consents/${kind}`, code: 'required' as const, message: 'Expected true' })),
    )
  const marketing = choices?.marketing
  if (marketing !== undefined && typeof marketing !== 'boolean')
    throw invalid('/consents/marketing', 'Expected true or false', 'type')
  return { terms: true, privacy: true, disclaimer: true, marketing }
}

const consentView = ({ kind, accepted, version, recorded_at }: Consent) => ({
  kind,
  accepted,
  version,
  recorded_at: iso(recorded_at),
})
