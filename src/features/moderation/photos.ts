import { Refusal } from '../../lib/refusal.ts'
import type { Audit } from '../audit/service.ts'
import { imageCheckName } from '../filter/rules.ts'
import { detailsOf } from '../safety/rules.ts'
import type { RuleReports } from '../safety/rule-reports.ts'
import type { Decisions } from './decisions.ts'
import type { ModerationStore } from './store.ts'

type Deps = {
  store: Pick<ModerationStore, 'heldForCheck'>
  decisions: Decisions
  ruleReports: Pick<RuleReports, 'file'>
  audit: Audit
  now: () => number
}

const reason =
  'Your profile photo is the same as an image that is not allowed here, or very similar to one. This was decided automatically.'

/** Decisions about images without a moderator: takes banned photos out of profiles, and releases messages after a check. */
export function bannedPhotos({ store, decisions, ruleReports, audit, now }: Deps) {
  const nobody = { judge_id: null, parties: [], suspends: false, decided_by: null }

  /** Carries out an automatic decision. False if the state has changed, or a moderator works on it. */
  async function carryOut(decision: Parameters<Decisions['carryOut']>[0]): Promise<boolean> {
    try {
      await decisions.carryOut(decision, 'This has been decided already.')
      return true
    } catch (error) {
      if (error instanceof Refusal && (error.code === 'conflict' || error.code === 'claimed')) return false
      throw error
    }
  }

  return {
    /** Delivers the messages that were held only until their image was checked, if it is allowed now. */
    async releaseChecked(): Promise<void> {
      for (const { message_id, report_id, sender_id } of await store.heldForCheck(detailsOf([imageCheckName])))
        await carryOut({
          at: now(),
          audit: audit.entry('report_resolved', null, sender_id, { report_id, action: 'release', by: 'image check' }),
          case: { ...nobody, subject_id: sender_id },
          report: { id: report_id, resolved_by: null, action: 'release', note: 'The image was checked.', until: null },
          // Nobody has read a text that was edited since it was sent.
          release: { message_id, edited_at: null },
        })
    },

    /**
     * Takes a photo out of the profile, with a notice against which its owner may appeal. The photo is kept as evidence of a
     * report for moderators. False if the profile shows another one by now.
     */
    async takeDownPhoto(userId: string, imageId: string): Promise<boolean> {
      // The report comes first, because its evidence is the profile as it is now.
      const report = await ruleReports.file('user', userId, ['Banned images'])
      if (report === null) return false
      const at = now()
      return carryOut({
        at,
        audit: audit.entry('photo_taken_down', null, userId, { report_id: report.id }),
        case: { ...nobody, subject_id: userId },
        takeDown: { user_id: userId, image_id: imageId },
        notice: decisions.noticeOf({ user_id: userId, action: 'remove_content', reason, decided_by: null }, at, report),
      })
    },
  }
}
