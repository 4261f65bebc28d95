import { days } from '../../lib/time.ts'
import { hasKey, keysOf, recordOf } from '../../lib/record.ts'

/**
 * How long each kind of data is kept, in days, and between which bounds an operator may choose. The upper bounds are what the
 * purpose still justifies (GDPR, article 5(1)(e)), the lower ones what a right of somebody needs.
 */
export const periods = {
  // A stolen session is looked for in the list of those that have ended.
  ended_sessions: { days: 30, min: 7, max: 90 },
  unused_sessions: { days: 90, min: 7, max: 365 },
  // Article 7(1) GDPR: the operator must be able to show that a consent was given, and from where it came helps for a while.
  consent_origins: { days: 180, min: 30, max: 365 },
  // Articles 20 and 21 of the Digital Services Act: decisions can be appealed for six months.
  evidence: { days: 180, min: 180, max: 365 },
  // A report has to come while they are there.
  message_versions: { days: 30, min: 7, max: 90 },
  positions: { days: 365, min: 1, max: 365 },
  // What staff did has to be examinable as long as a decision can be appealed.
  audit_entries: { days: 730, min: 180, max: 1825 },
} as const satisfies Record<string, { days: number; min: number; max: number }>

export type Kept = keyof typeof periods

/** Days of each kind. */
export type RetentionDays = Readonly<Record<Kept, number>>

export const usualRetention: RetentionDays = recordOf(keysOf(periods), (kind) => periods[kind].days)

/** Every kind with its default, as `RETENTION` writes them, and its bounds. */
export const periodsShown = Object.entries(periods)
  .map(([kind, { days, min, max }]) => `${kind}=${days}d (${min} to ${max})`)
  .join(', ')

/** Reads a list such as `positions=30d,evidence=200d`. Throws an Error that says what it must be. */
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
