import { Refusal } from '../../lib/refusal.ts'
import { hours } from '../../lib/time.ts'
import { usualDistance } from '../media/pdq.ts'
import type { Review } from '../reviews/store.ts'
import type { RuleReports } from '../safety/rule-reports.ts'
import type { ReportTarget } from '../safety/store.ts'
import type { CurrentRules } from './current.ts'
import { collapsed, fold } from './fold.ts'
import type { CompiledRules, Matcher } from './matcher.ts'
import { isShort, type RecentTexts } from './recent.ts'
import { type Author, hasScope, imageCheckName, inScope } from './rules.ts'
import type { FilterStore, Rule, RuleSubject } from './store.ts'

export type VerdictDeps = {
  store: Pick<FilterStore, 'noteOpener'>
  rules: Pick<CurrentRules, 'current'>
  /** Null if there is no such account yet, as during registration. */
  author(userId: string): Promise<Author | null>
  /** Whether a user has ever written in a chat. */
  hasWritten(chatId: string, userId: string): Promise<boolean>
  ruleReports: Pick<RuleReports, 'file'>
  images: {
    /** The distance to the nearest banned image; Infinity if it is more than `most`. */
    distanceTo(imageId: string, most: number): Promise<number>
    /** The answer of the operator's checker about an image; null if there is none and none is needed. */
    checkOf(imageId: string): Promise<{ action: string; label: string } | null>
  }
  /** What the sender of a message has just sent in its chat. */
  recent: RecentTexts
  /** Called when a report could not be filed. */
  failed(error: unknown): void
  /** Keys the hashes of texts that are counted. */
  key: Uint8Array | Buffer
  now: () => number
}

/** The outcome of the rules for a text that none of them refuses. */
export type Verdict = {
  /** Names of the rules that hold it. */
  holds: readonly string[]
  /** Names of the rules that report it. */
  flags: readonly string[]
  /** The warning that the recipient sees. */
  caution: string | null
}

const nothing: Verdict = { holds: [], flags: [], caution: null }

type SentText = {
  sender_id: string
  other_id: string
  chat_id: string
  text: string | null
  photo_id?: string | null
}

/** The rule about banned images that applies if the operator has none. */
const bannedImages: Rule & { public_text: string } = {
  id: '00000000-0000-7000-8000-000000000004',
  name: 'Banned images',
  on: true,
  applies_to: ['message', 'photo'],
  match: { type: 'image' },
  action: 'refuse',
  public_text: 'This image is not allowed here.',
  scope: {},
}

const defaultRefusal = 'A rule of this community does not allow this.'
const defaultCaution = 'Be careful: do not send money or personal details to somebody whom you have not met.'

/** Applies the rules in force to texts and images. */
export function verdicts({ rules: { current }, now, ...deps }: VerdictDeps) {
  /** The rules whose scope includes the author, at that time. */
  async function scoped(rules: readonly Rule[], userId: string | null, at = now()): Promise<readonly Rule[]> {
    if (!rules.some(hasScope)) return rules
    const author = (userId === null ? null : await deps.author(userId)) ?? { created_at: at, verified: false }
    return rules.filter((rule) => inScope(rule, author, at))
  }

  function verdictOf(rules: readonly Rule[]): Verdict {
    if (rules.length === 0) return nothing
    const refusing = rules.find(({ action }) => action === 'refuse')
    if (refusing) throw new Refusal('content_refused', refusing.public_text ?? defaultRefusal)
    const noting = rules.find(({ action }) => action === 'note')
    const namesOf = (action: Rule['action']) => rules.filter((rule) => rule.action === action).map(({ name }) => name)
    return {
      holds: namesOf('hold'),
      flags: namesOf('flag'),
      caution: noting ? (noting.public_text ?? defaultCaution) : null,
    }
  }

  /** The rules about repeated texts whose limit the sender reaches with this message. */
  async function repeatedBy(rules: readonly Rule[], message: SentText): Promise<Rule[]> {
    if (message.text === null) return []
    const text = collapsed(fold(message.text).replaceAll(/[^\p{L}\p{N}]+/gu, ''))
    if (rules.length === 0 || text === '') return []
    const text_hash = new Bun.CryptoHasher('sha256', deps.key).update(text).digest('base64url')
    const opener = { user_id: message.sender_id, text_hash, chat_id: message.chat_id, at: now() }
    const reached: Rule[] = []
    for (const rule of rules) {
      const { match } = rule
      if (match.type !== 'repeated') continue
      const people = await deps.store.noteOpener(opener, now() - match.within_h * hours)
      if (people >= match.people) reached.push(rule)
    }
    return reached
  }

  /** Those of the rules about images that match an image; `bannedImages` if none of them includes the author. */
  async function ofImage(
    rules: readonly Rule[],
    userId: string,
    distanceTo: (most: number) => number | Promise<number>,
  ): Promise<readonly Rule[]> {
    const distance = await distanceTo(Math.max(...[...rules, bannedImages].map(limitOf)))
    if (distance === Infinity) return []
    const own = await scoped(rules, userId)
    return (own.length > 0 ? own : [bannedImages]).filter((rule) => distance <= limitOf(rule))
  }

  /** Adds the checker's answer about an image. The image is held while there is no answer. */
  async function withCheck(verdict: Verdict, imageId: string): Promise<Verdict> {
    const checked = await deps.images.checkOf(imageId)
    if (checked === null || checked.action === 'allow') return verdict
    if (checked.action === 'refuse') throw new Refusal('content_refused', bannedImages.public_text)
    const name = checked.label === '' ? imageCheckName : `${imageCheckName}: ${checked.label}`
    return checked.action === 'flag'
      ? { ...verdict, flags: [...verdict.flags, name] }
      : { ...verdict, holds: [...verdict.holds, name] }
  }

  /** The verdict about a message. `recent` are the short ones that its sender has sent before it. */
  async function ofMessage(
    { message: always, first_message: first }: CompiledRules,
    message: SentText,
    recent: readonly string[],
  ): Promise<Verdict> {
    const { text, photo_id = null } = message
    const found = new Set(text === null || always.isEmpty ? [] : matchingJoined(always, recent, text))
    const images = [...always.images]
    const ifFirst = first.isEmpty || text === null ? [] : matchingJoined(first, recent, text)
    const mattersIfFirst = ifFirst.length + first.repeated.length > 0 || (photo_id !== null && first.images.length > 0)
    if (mattersIfFirst && !(await deps.hasWritten(message.chat_id, message.other_id))) {
      for (const rule of [...ifFirst, ...(await repeatedBy(first.repeated, message))]) found.add(rule)
      images.push(...first.images)
    }
    const ofText = found.size === 0 ? [] : await scoped([...found], message.sender_id)
    const nearest = (most: number) => deps.images.distanceTo(photo_id ?? '', most)
    const ofPhoto = photo_id === null ? [] : await ofImage(images, message.sender_id, nearest)
    const verdict = verdictOf([...ofText, ...ofPhoto])
    return photo_id === null ? verdict : withCheck(verdict, photo_id)
  }

  /** Files the reports that a verdict asks for. The text is stored already, so that a failure is only logged. */
  async function report(target: ReportTarget, id: string, { flags }: Pick<Verdict, 'flags'>): Promise<void> {
    if (flags.length > 0) await deps.ruleReports.file(target, id, flags).catch(deps.failed)
  }

  return {
    /** The verdict about a text of a profile or a review. Refuses with `content_refused`. */
    async text(subject: RuleSubject, userId: string | null, text: string | null | undefined): Promise<Verdict> {
      if (text == null) return nothing
      const set = current()
      const { compiled } = set instanceof Promise ? await set : set
      if (compiled[subject].isEmpty) return nothing
      return verdictOf(await scoped(compiled[subject].matching(text), userId))
    },

    /** The same for the photo that a profile is about to show. */
    async photo(userId: string, imageId: string): Promise<Verdict> {
      const set = current()
      const { compiled } = set instanceof Promise ? await set : set
      const nearest = (most: number) => deps.images.distanceTo(imageId, most)
      const verdict = verdictOf(await ofImage(compiled.photo.images, userId, nearest))
      const checked = await withCheck(verdict, imageId)
      // A profile cannot show a photo to its owner only, so a held one is refused.
      if (checked.holds.length > 0)
        throw new Refusal(
          'content_refused',
          'This image has not been checked yet: try again later, or choose another one.',
        )
      return checked
    },

    /** What the rules ask for about a photo that a profile shows already, because the bank may have new hashes. */
    async shownPhoto(userId: string, nearest: (most: number) => number): Promise<Rule['action'][]> {
      const set = current()
      const { compiled } = set instanceof Promise ? await set : set
      return (await ofImage(compiled.photo.images, userId, nearest)).map(({ action }) => action)
    },

    /** The same for a message: a text, or a photo with its caption. */
    async message(message: SentText): Promise<Verdict> {
      const set = current()
      const { compiled } = set instanceof Promise ? await set : set
      const { chat_id, sender_id, text, photo_id = null } = message
      const hasTextRules = !compiled.message.isEmpty || !compiled.first_message.isEmpty
      if (!hasTextRules || text === null) return photo_id === null ? nothing : ofMessage(compiled, message, [])
      const recent = isShort(text) ? await deps.recent.of(chat_id, sender_id) : []
      // Before the verdict, as two parts may be sent at once.
      const forget = deps.recent.note(chat_id, sender_id, text)
      let isDelivered = false
      try {
        const verdict = await ofMessage(compiled, message, recent)
        isDelivered = verdict.holds.length === 0
        return verdict
      } finally {
        if (!isDelivered) forget()
      }
    },

    report,

    /** Reports a review that appears now, if rules flag it, or would refuse it by now. Scopes apply as of when it was written. */
    async reportAppeared(
      { id, reviewer_id, text }: Pick<Review, 'id' | 'reviewer_id' | 'text'>,
      writtenAt: number,
    ): Promise<void> {
      const set = current()
      const { compiled } = set instanceof Promise ? await set : set
      const found = await scoped(text === null ? [] : compiled.review.matching(text), reviewer_id, writtenAt)
      await report('review', id, { flags: found.map(({ name }) => name) })
    },
  }
}

/**
 * The rules that a text matches by itself, or joined with the sender's last message, the last two and so on. A rule that the
 * messages before match without the text does not count for that join, because it has been applied already.
 */
function matchingJoined(matcher: Matcher, recent: readonly string[], text: string): readonly Rule[] {
  const found = new Set(matcher.matching(text))
  for (const i of recent.keys()) {
    const before = recent.slice(i)
    const together = matcher.matchingTogether([...before, text])
    if (together.length === 0) continue
    const applied = new Set([...before.flatMap(matcher.matching), ...matcher.matchingTogether(before)])
    for (const rule of together) if (!applied.has(rule)) found.add(rule)
  }
  return [...found]
}

/** The largest distance at which a rule about images matches. */
const limitOf = ({ match }: Rule): number =>
  match.type === 'image' ? (match.distance ?? usualDistance) : usualDistance
