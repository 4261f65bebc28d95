import type { Ids } from '../../lib/ids.ts'
import { type FieldErrorCode, Refusal } from '../../lib/refusal.ts'
import { tidy } from '../../lib/text.ts'
import type { Push } from '../../realtime/events.ts'
import type { Caller } from '../auth/callers.ts'
import type { NotificationSchedule } from '../notifications/schedule.ts'
import type { Filter } from '../filter/service.ts'
import { imageCheckName } from '../filter/rules.ts'
import type { Verdict } from '../filter/verdicts.ts'
import { blocked, type Blocking } from '../safety/blocking.ts'
import type { RuleReports } from '../safety/rule-reports.ts'
import { type Content, contentOf, notYourPhoto } from './content.ts'
import { hasLink } from './links.ts'
import { type Membership, otherOf } from './membership.ts'
import type { newMessage } from './model.ts'
import type { Chat, ChatStore, Reported } from './store.ts'
import type { ChatViews } from './views.ts'

type MessagePhotos = {
  /** Why a sender may not show this image. */
  problemOf(imageId: string): Promise<FieldErrorCode>
  /** Removes those of the images that nothing shows any longer. */
  drop(imageIds: readonly string[]): Promise<void>
}

export type SendingDeps = {
  store: ChatStore
  views: ChatViews
  membership: Membership
  filter: Pick<Filter, 'message'>
  ruleReports: Pick<RuleReports, 'ofMessage'>
  blocking: Blocking
  photos: MessagePhotos
  push: Push
  schedule: NotificationSchedule
  ids: Ids
  now: () => number
  firstContact: 'open' | 'guarded'
}

// How many messages a user may send before the recipient answers, if the first contact is guarded.
const textsBeforeReply = 3

// Each edit keeps the older text, and a report copies all of them as evidence for moderators to read.
const maxEdits = 100

export function sending({
  store,
  views,
  membership: { chatOf, ownMessageOf },
  filter,
  ruleReports,
  blocking,
  photos,
  push,
  schedule,
  ids,
  now,
  firstContact,
}: SendingDeps) {
  /**
   * How many messages the sender may send before the recipient answers; null for any number. A guarded first contact allows
   * only texts without links.
   */
  async function limitBeforeReply(chat: Chat, otherId: string, { kind, text }: Pick<Content, 'kind' | 'text'>) {
    if (firstContact === 'open' || (await store.hasWritten(chat.id, otherId))) return null
    return kind !== 'text' || hasLink(text ?? '') ? 0 : textsBeforeReply
  }

  /** The verdict of the operator's rules about a message, or the refusal if a rule refuses it. */
  async function verdictOf(
    chat: Chat,
    sender_id: string,
    { text, photo_id }: Pick<Content, 'text' | 'photo_id'>,
  ): Promise<Verdict | Refusal> {
    try {
      return await filter.message({ sender_id, other_id: otherOf(chat, sender_id), chat_id: chat.id, text, photo_id })
    } catch (error) {
      if (error instanceof Refusal && error.code === 'content_refused') return error
      throw error
    }
  }

  /**
   * The report that a verdict asks for. For a held message it names only the rules that hold it; those that flag it too if it
   * is held only until its image is checked, because then a moderator must decide instead of the checker.
   */
  function reportOf(message: { id: string; sender_id: string }, { holds, flags }: Verdict): Reported | null {
    if (holds.length > 0) {
      const names = holds.every((name) => name === imageCheckName) ? [...holds, ...flags] : holds
      return { ...ruleReports.ofMessage(message, names, 'held'), held: true }
    }
    return flags.length > 0 ? { ...ruleReports.ofMessage(message, flags, 'rule'), held: false } : null
  }

  /** Stores a message, unless its `client_id` was used before. Returns the refusal if there is one. */
  async function append(caller: Caller, chat: Chat, content: Content, client_id: string | null) {
    const otherId = otherOf(chat, caller.id)
    const untilReply = await limitBeforeReply(chat, otherId, content)
    if (untilReply === 0) return awaitingReply()
    const verdict = await verdictOf(chat, caller.id, content)
    if (verdict instanceof Refusal) return verdict
    const { caution } = verdict
    const message = {
      ...{ id: ids.next(), chat_id: chat.id, sender_id: caller.id, caution },
      ...content,
      client_id,
      created_at: now(),
    }
    const reported = reportOf(message, verdict)
    const sent = await store.append(message, otherId, untilReply, schedule.dueAt(message.created_at), reported)
    switch (sent) {
      case 'blocked':
        return blocked()
      case 'awaiting_reply':
        return awaitingReply()
      case 'no_such_photo':
        return notYourPhoto(content.photo_id === null ? 'required' : await photos.problemOf(content.photo_id))
      case 'nobody_there':
        return new Refusal('conflict', 'The other user’s account is gone.')
      default:
        return sent
    }
  }

  return {
    /** Sends once per `client_id`: a retry returns the first message with `created` false, whatever has happened since. */
    async send(caller: Caller, chatId: string, body: (typeof newMessage)['static']) {
      const chat = await chatOf(caller, chatId)
      const client_id = tidy(body.client_id ?? '') || null
      const sent = await append(caller, chat, contentOf(body), client_id)
      if (sent instanceof Refusal) {
        // This may be a retry of a message that was stored when it was still allowed.
        const first = client_id === null ? null : await store.byClientId(caller.id, client_id)
        if (!first) throw sent
        return { message: views.message(first, caller.id), created: false }
      }
      const message = views.message(sent.message, caller.id)
      push.event('message', sent.message.created_at, sent.events, (userId) =>
        userId === caller.id ? message : views.message(sent.message, userId),
      )
      if (sent.created) schedule.wake()
      return { message, created: sent.created }
    },

    async edit(caller: Caller, messageId: string, text: string) {
      const { chat, message } = await ownMessageOf(caller, messageId)
      const otherId = otherOf(chat, caller.id)
      await blocking.refuseContact(caller.id, otherId)
      const tidied = tidy(text)
      if ((await limitBeforeReply(chat, otherId, { kind: message.kind, text: tidied })) === 0) throw awaitingReply()
      const at = now()
      const verdict = await verdictOf(chat, caller.id, { text: tidied, photo_id: null })
      if (verdict instanceof Refusal) throw verdict
      // The photo is unchanged, so its caution stays.
      const caution = verdict.caution ?? (message.kind === 'photo' ? (message.caution ?? null) : null)
      const rules = {
        onlyHeld: verdict.holds.length > 0,
        filing: verdict.flags.length > 0 ? ruleReports.ofMessage(message, verdict.flags, 'rule') : null,
      }
      const edited = await store.edit(chat, messageId, tidied, at, maxEdits, caution, rules)
      if (!edited) throw new Refusal('message_deleted', 'This message is deleted.')
      if (edited === 'blocked') throw blocked()
      if (edited === 'arrived')
        throw new Refusal(
          'content_refused',
          'A rule of this community does not allow this edit. Send it as a new message.',
        )
      if (edited === 'edited_too_often')
        throw new Refusal('conflict', `A message may be edited ${maxEdits} times: send another one.`)
      push.event('message_edited', at, edited.events, (userId) => views.message(edited.message, userId))
      if (rules.filing !== null) schedule.wake()
      return views.message(edited.message, caller.id)
    },

    /** Leaves a tombstone. Doing it again changes nothing. */
    async remove(caller: Caller, messageId: string) {
      const { chat } = await ownMessageOf(caller, messageId)
      const at = now()
      const removed = await store.remove(chat, messageId, at, schedule.takeBackId())
      if (!removed) return
      push.event('message_deleted', at, removed.events, (userId) => views.message(removed.message, userId))
      if (removed.photo_id !== null) await photos.drop([removed.photo_id])
    },
  }
}

const awaitingReply = () =>
  new Refusal('awaiting_reply', 'Before they answer you may send three text messages, without links or photos.')
