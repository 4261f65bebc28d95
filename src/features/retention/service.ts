import type { EventStore } from '../../realtime/store.ts'
import { days } from '../../lib/time.ts'
import type { BotStore } from '../bot/store.ts'
import type { EmailStore } from '../email/store.ts'
import type { PasskeyStore } from '../passkeys/store.ts'
import { type Kept, retentionMs, type RetentionDays, usualRetention } from './periods.ts'
import type { RetentionStore } from './store.ts'

type Deps = {
  store: RetentionStore
  events: Pick<EventStore, 'purge'>
  emails: Pick<EmailStore, 'removeExpired'>
  /** Removes up to that many channels of ended sessions, and records of notifications that were shown long ago. */
  oldChannels(limit: number): Promise<number>
  bot: Pick<BotStore, 'removeUpdates'>
  passkeys: Pick<PasskeyStore, 'removeOldChallenges'>
  eventRetentionDays: number
  /** The periods in force, which may change while the server runs. */
  retention?: () => RetentionDays
  now: () => number
}

const usually = (kind: Kept) => retentionMs(kind, usualRetention)

/** How long data is kept by default. The privacy notice states the same periods. */
export const kept = {
  endedSessions: usually('ended_sessions'),
  unusedSessions: usually('unused_sessions'),
  consentOrigins: usually('consent_origins'),
  evidence: usually('evidence'),
  messageVersions: usually('message_versions'),
  positions: usually('positions'),
  auditEntries: usually('audit_entries'),
  // Longer than the messenger keeps an update, which is a day.
  botUpdates: 7 * days,
  // The longest period of a rule about repeated texts.
  openers: 7 * days,
  // The period within which reports count together to hide a user.
  reportOrigins: days,
  ageRefusals: days,
}

// Some milliseconds of work, so that requests can run in between.
const batch = 500

/** Removes data whose retention period is over. Each method returns how many rows. */
export function retentionService({
  store,
  events,
  emails,
  oldChannels,
  bot,
  passkeys,
  eventRetentionDays,
  retention = () => usualRetention,
  now,
}: Deps) {
  const before = (kind: Kept) => now() - retentionMs(kind, retention())

  async function inBatches(remove: (limit: number) => Promise<number>): Promise<number> {
    for (let removed = 0; ;) {
      const count = await remove(batch)
      removed += count
      if (count < batch) return removed
    }
  }

  return {
    channels: () => inBatches(oldChannels),
    emailLinks: () => inBatches((limit) => emails.removeExpired(now(), limit)),
    botUpdates: () => inBatches((limit) => bot.removeUpdates(now() - kept.botUpdates, limit)),
    usedChallenges: () => inBatches((limit) => passkeys.removeOldChallenges(now(), limit)),
    events: () => events.purge(now() - eventRetentionDays * days),
    sessions: () =>
      inBatches((limit) =>
        store.sessions({ ended: before('ended_sessions'), lastUsed: before('unused_sessions') }, limit),
      ),
    consentOrigins: () => inBatches((limit) => store.consentOrigins(before('consent_origins'), limit)),
    evidence: () => inBatches((limit) => store.evidence(before('evidence'), limit)),
    messageVersions: () => inBatches((limit) => store.messageVersions(before('message_versions'), limit)),
    positions: () => inBatches((limit) => store.positions(before('positions'), limit)),
    reportOrigins: () => inBatches((limit) => store.reportOrigins(now() - kept.reportOrigins, limit)),
    ageRefusals: () => inBatches((limit) => store.ageRefusals(now() - kept.ageRefusals, limit)),
    openers: () => inBatches((limit) => store.openers(now() - kept.openers, limit)),
    auditEntries: () => inBatches((limit) => store.auditEntries(before('audit_entries'), limit)),
  }
}
