import type { EventStore } from '../../realtime/store.ts'
import { days } from '../../lib/time.ts'
import type { BotStore } from '../bot/store.ts'
import type { EmailStore } from '../email/store.ts'
import type { PasskeyStore } from '../passkeys/store.ts'
import type { RetentionStore } from './store.ts'

type Deps = {
  store: RetentionStore
  events: Pick<EventStore, 'purge'>
  emails: Pick<EmailStore, 'removeExpired'>
  /** Removes up to that many channels of sessions that are over, and notes of what devices have shown for long. */
  oldChannels(limit: number): Promise<number>
  bot: Pick<BotStore, 'removeUpdates'>
  passkeys: Pick<PasskeyStore, 'removeOldChallenges'>
  eventRetentionDays: number
  now: () => number
}

/** How long things are kept; the privacy notice says the same. */
export const kept = {
  endedSessions: 30 * days,
  unusedSessions: 90 * days,
  consentOrigins: 180 * days,
  evidence: 180 * days,
  messageVersions: 30 * days,
  positions: 365 * days,
  auditEntries: 730 * days,
  // The messenger keeps an update for a day.
  botUpdates: 7 * days,
  // As far back as a rule may count.
  openers: 7 * days,
}

// Some milliseconds of work: requests come in between.
const batch = 500

/** Removes what has been kept long enough. Each answers how much that was. */
export function retentionService({ store, events, emails, oldChannels, bot, passkeys, eventRetentionDays, now }: Deps) {
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
        store.sessions({ ended: now() - kept.endedSessions, lastUsed: now() - kept.unusedSessions }, limit),
      ),
    consentOrigins: () => inBatches((limit) => store.consentOrigins(now() - kept.consentOrigins, limit)),
    evidence: () => inBatches((limit) => store.evidence(now() - kept.evidence, limit)),
    messageVersions: () => inBatches((limit) => store.messageVersions(now() - kept.messageVersions, limit)),
    positions: () => inBatches((limit) => store.positions(now() - kept.positions, limit)),
    openers: () => inBatches((limit) => store.openers(now() - kept.openers, limit)),
    auditEntries: () => inBatches((limit) => store.auditEntries(now() - kept.auditEntries, limit)),
  }
}
