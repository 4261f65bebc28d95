import type { Ids } from '../../ids.ts'
import { Refusal } from '../../refusal.ts'
import { iso } from '../../time.ts'
import type { Audit } from '../audit/service.ts'
import type { Legal } from '../legal/service.ts'
import { type AccountStore, type Consent, type ConsentKind, consentKinds } from './store.ts'

export type Consents = ReturnType<typeof consentsService>

/** What a client sends of a person's consents. */
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
            address: truncatedAddress(client.address),
          },
        ]
      })
    },

    /** Adds to the log; `false` is a withdrawal. Answers what was recorded. */
    async record(userId: string, choices: ConsentChoices, client: Client) {
      const entries = this.entries(userId, choices, client)
      if (entries.length === 0)
        throw new Refusal('validation_failed', 'No consent was given or withdrawn.', [
          { path: '/consents', message: `Expected one at least of ${consentKinds.join(', ')}` },
        ])
      await store.recordConsents(entries)
      await audit.record('consents', userId, userId, { consents: choices })
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

/** Refuses where a mandatory consent is not exactly `true`, naming those. */
export function requireConsents(choices: ConsentChoices | undefined) {
  const absent = mandatory.filter((kind) => choices?.[kind] !== true)
  if (absent.length === 0) return
  throw new Refusal(
    'consents_required',
    'The terms, the privacy policy and the disclaimer have to be accepted.',
    absent.map((kind) => ({ path: `/consents/${kind}`, message: 'Expected true' })),
  )
}

const consentView = ({ kind, accepted, version, recorded_at }: Consent) => ({
  kind,
  accepted,
  version,
  recorded_at: iso(recorded_at),
})

/** The network that an address belongs to: /24 of IPv4, /48 of IPv6. Null for what is no address. */
export function truncatedAddress(address: string): string | null {
  const v4 = /^(?:::ffff:)?(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/i.exec(address)
  if (v4) return `${v4[1]}.0/24`
  if (!address.includes(':')) return null
  const [head = ''] = address.split('::', 1)
  const groups = head === '' ? [] : head.split(':')
  const network = [0, 1, 2].map((i) => groups[i] || '0').join(':')
  return `${network}::/48`
}
