import { days } from '../../lib/time.ts'
import { hasKey, keysOf, recordOf } from '../../lib/record.ts'

/**
 * How long each kind of data is kept, in days, and the bounds of an operator's choice. The purpose still justifies the upper
 * bounds (GDPR, article 5(1)(e)), and people's rights need the lower ones.
 */
export const periods = {
  // Ended sessions help to investigate a stolen one.
  ended_sessions: { days: 30, min: 7, max: 90 },
  unused_sessions: { days: 90, min: 7, max: 365 },
  // Article 7(1) GDPR: the operator must be able to show that a consent was given; its origin helps for a while.
  consent_origins: { days: 180, min: 30, max: 365 },
  // Articles 20 and 21 of the Digital Services Act: decisions can be appealed for six months.
  evidence: { days: 180, min: 180, max: 365 },
  // Reports can only include them as evidence while they are kept.
  message_versions: { days: 30, min: 7, max: 90 },
  positions: { days: 365, min: 1, max: 365 },
  // Actions of staff must be traceable as long as a decision can be appealed.
  audit_entries: { days: 730, min: 180, max: 1825 },
} as const satisfies Record<string, { days: number; min: number; max: number }>

export type Kept = keyof typeof periods

/** The chosen days of each kind. */
export type RetentionDays = Readonly<Record<Kept, number>>

export const usualRetention: RetentionDays = recordOf(keysOf(periods), (kind) => periods[kind].days)

/** Every kind with its default, in the form of the setting `RETENTION`, and its bounds. */
export const periodsShown = Object.entries(periods)
  .map(([kind, { days, min, max }]) => `${kind}=${days}d (${min} to ${max})`)
  .join(', ')

/** Parses a list such as `positions=30d,evidence=200d`. Throws an Error that explains the expected form. */
export function readRetention(list: string): RetentionDays {
  const form = `must be a list such as positions=90d,audit_entries=365d, of these: ${Object.keys(periods).join(', ')}`
  const chosen = new Map<Kept, number>()
  for (const entry of list.split(',')) {
    const [, name = '', count] = /^\s*(\w+)=(\d{1,5})d\s*$/.exec(entry) ?? []
    if (!hasKey(periods, name) || chosen.has(name)) throw new Error(form)
    const { min, max } = periods[name]
    if (Number(count) < min || Number(count) > max) throw new Error(`must keep ${name} from ${min} to ${max} days`)
    chosen.set(name, Number(count))
  }
  return { ...usualRetention, ...Object.fromEntries(chosen) }
}

export const retentionMs = (kind: Kept, chosen: RetentionDays) => chosen[kind] * days
