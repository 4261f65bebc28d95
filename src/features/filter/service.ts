import type { Ids } from '../../lib/ids.ts'
import type { Page, Paging } from '../../lib/paging.ts'
import { Refusal } from '../../lib/refusal.ts'
import { tidy } from '../../lib/text.ts'
import { hours, iso } from '../../lib/time.ts'
import type { Nodes } from '../../realtime/nodes.ts'
import type { Audit } from '../audit/service.ts'
import type { ReportTarget } from '../safety/store.ts'
import { fold } from './fold.ts'
import type { HashesOf } from '../image-bank/service.ts'
import type { Bank } from '../image-bank/bank.ts'
import { usualDistance } from '../media/pdq.ts'
import { openCurrentRules } from './current.ts'
import { compileRules, type Matcher } from './matcher.ts'
import { areSlow } from './patterns.ts'
import { isShort, joined, type RecentTexts } from './recent.ts'
import {
  type Author,
  hasScope,
  imageCheckName,
  inScope,
  refuseProblems,
  type RuleInput,
  ruleProblems,
  setProblem,
} from './rules.ts'
import type { FilterStore, Rule, RuleSubject, RuleVersion } from './store.ts'

export type Filter = ReturnType<typeof filterService>

type Deps = {
  store: FilterStore
  /** Null for somebody who has no account yet. */
  author(userId: string): Promise<Author | null>
  /** Whether a user has ever written in a chat. */
  hasWritten(chatId: string, userId: string): Promise<boolean>
  report(target: ReportTarget, id: string, ruleNames: readonly string[]): Promise<void>
  images: {
    current(): Bank | Promise<Bank>
    hashesOf: HashesOf
    /** What a checker says of an image; null where it has said nothing, and need not. */
    checkOf(imageId: string): Promise<{ action: string; label: string } | null>
  }
  /** What the sender of a message has just sent in its chat. */
  recent: RecentTexts
  /** Told of a report that could not be filed. */
  failed(error: unknown): void
  nodes: Pick<Nodes, 'rulesChanged'> | null
  /** Keys the hashes of texts that are counted. */
  key: Uint8Array | Buffer
  audit: Audit
  paging: Paging
  ids: Ids
  now: () => number
}

type Admin = { id: string | null }

/** What rules say of a text that is not refused. */
export type Verdict = {
  /** Names of the rules that hold it. */
  holds: readonly string[]
  /** Names of the rules that report it. */
  flags: readonly string[]
  /** What the recipient is told. */
  caution: string | null
}

const nothing: Verdict = { holds: [], flags: [], caution: null }

const keptVersions = 50
const attempts = 5

/** What decides about a banned image where no rule about images does. */
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

/** The operator's rules about what people write: kept in versions, and decided on every node by the newest one. */
export function filterService(deps: Deps) {
  const { store, nodes, audit, ids, now } = deps
  const { keyOf, pageOf } = deps.paging
  const { newest, current, forget } = openCurrentRules({ store, now })

  /** Keeps those whose scope has the author in it. */
  async function scoped(rules: readonly Rule[], userId: string | null): Promise<readonly Rule[]> {
    if (!rules.some(hasScope)) return rules
    const author = (userId === null ? null : await deps.author(userId)) ?? { created_at: now(), verified: false }
    return rules.filter((rule) => inScope(rule, author, now()))
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

  /** The rules for repeated texts that the sender has reached with this one. */
  async function repeatedBy(rules: readonly Rule[], message: SentText): Promise<Rule[]> {
    if (message.text === null) return []
    const text = fold(message.text).replaceAll(/[^\p{L}\p{N}]+/gu, '')
    if (rules.length === 0 || text === '') return []
    const text_hash = new Bun.CryptoHasher('sha256', deps.key).update(text).digest('base64url')
    const opener = { user_id: message.sender_id, text_hash, chat_id: message.chat_id, at: now() }
    const reached: Rule[] = []
    for (const rule of rules) {
      const { match } = rule
      if (match.type !== 'repeated') continue
      const people = await store.noteOpener(opener, now() - match.within_h * hours)
      if (people >= match.people) reached.push(rule)
    }
    return reached
  }

  /** Those of the rules about images that an image comes under. */
  async function ofImage(rules: readonly Rule[], imageId: string): Promise<readonly Rule[]> {
    const known = deps.images.current()
    const bank = known instanceof Promise ? await known : known
    if (bank.size === 0) return []
    const hashes = await deps.images.hashesOf(imageId)
    if (hashes === null || hashes === 'no_such_image') return []
    return underRules(rules, (most) => bank.nearest(hashes, most))
  }

  /** Adds what a checker says of an image. One that waits for its answer is held. */
  async function withCheck(verdict: Verdict, imageId: string): Promise<Verdict> {
    const checked = await deps.images.checkOf(imageId)
    if (checked === null || checked.action === 'allow') return verdict
    if (checked.action === 'refuse') throw new Refusal('content_refused', bannedImages.public_text)
    const name = checked.label === '' ? imageCheckName : `${imageCheckName}: ${checked.label}`
    return checked.action === 'flag'
      ? { ...verdict, flags: [...verdict.flags, name] }
      : { ...verdict, holds: [...verdict.holds, name] }
  }

  /** Changes the newest set into another one. Of two at once, each is made from the outcome of the other. */
  async function change(
    admin: Admin,
    kind: RuleVersion['change'],
    made: (rules: readonly Rule[]) => { rules: Rule[]; rule: Rule | null },
  ): Promise<Rule | null> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const before = await newest()
      const { rules, rule } = made(before.rules)
      const problem = setProblem(rules) ?? slowProblem(rules)
      if (problem !== null) refuseProblems([{ path: '/match', code: 'out_of_range', message: problem }])
      const version = before.version + 1
      const about = { version, ...(rule === null ? { rules: rules.length } : { rule_id: rule.id, name: rule.name }) }
      const entry = audit.entry(`rule_${kind}`, admin.id, null, about)
      const row = {
        version,
        change: kind,
        rule_id: rule?.id ?? null,
        rule_count: rules.length,
        actor_id: admin.id,
        at: now(),
      }
      if (!(await store.add(row, rules, entry, keptVersions))) continue
      forget()
      await nodes?.rulesChanged()
      return rule
    }
    throw new Refusal('conflict', 'The rules are being changed by others: look at them again.')
  }

  const indexOf = (rules: readonly Rule[], id: string) => {
    const index = rules.findIndex((rule) => rule.id === id)
    if (index < 0) throw new Refusal('not_found', 'There is no such rule.')
    return index
  }

  return {
    /** Another node has changed the rules, or may have. */
    forget,

    /** Refuses what somebody wrote about themselves or somebody else, or says what else follows. */
    async text(subject: RuleSubject, userId: string | null, text: string | null | undefined): Promise<Verdict> {
      if (text == null) return nothing
      const set = current()
      const { compiled } = set instanceof Promise ? await set : set
      if (compiled[subject].isEmpty) return nothing
      return verdictOf(await scoped(compiled[subject].matching(text), userId))
    },

    /** The same of the photo that somebody's profile is to show. */
    async photo(userId: string, imageId: string): Promise<Verdict> {
      const set = current()
      const { compiled } = set instanceof Promise ? await set : set
      const verdict = verdictOf(await scoped(await ofImage(compiled.photo.images, imageId), userId))
      const checked = await withCheck(verdict, imageId)
      // A profile has no place in which its owner alone sees a photo.
      if (checked.holds.length > 0)
        throw new Refusal(
          'content_refused',
          'This image is still to be looked at: try again later, or take another one.',
        )
      return checked
    },

    /** What the rules say of a photo that a profile shows, of which some hashes of the bank may have come later. */
    async shownPhoto(userId: string, nearest: (most: number) => number): Promise<Rule['action'][]> {
      const set = current()
      const { compiled } = set instanceof Promise ? await set : set
      return (await scoped(underRules(compiled.photo.images, nearest), userId)).map(({ action }) => action)
    },

    /** The same of a message: a text, or a photo with its caption. */
    async message(message: SentText): Promise<Verdict> {
      const set = current()
      const { compiled } = set instanceof Promise ? await set : set
      const { message: always, first_message: first } = compiled
      const { text, photo_id = null, chat_id, sender_id } = message
      const hasTextRules = !always.isEmpty || !first.isEmpty
      if (!hasTextRules && photo_id === null) return nothing
      const recent = hasTextRules && text !== null && isShort(text) ? await deps.recent.of(chat_id, sender_id) : []
      if (hasTextRules && text !== null) deps.recent.note(chat_id, sender_id, text)
      const found = new Set(text === null || always.isEmpty ? [] : matchingJoined(always, recent, text))
      const images = [...always.images]
      const perhaps = first.isEmpty || text === null ? [] : matchingJoined(first, recent, text)
      const mayBeFirst = perhaps.length + first.repeated.length > 0 || (photo_id !== null && first.images.length > 0)
      if (mayBeFirst && !(await deps.hasWritten(message.chat_id, message.other_id))) {
        for (const rule of [...perhaps, ...(await repeatedBy(first.repeated, message))]) found.add(rule)
        images.push(...first.images)
      }
      if (photo_id !== null) for (const rule of await ofImage(images, photo_id)) found.add(rule)
      const verdict = found.size === 0 ? nothing : verdictOf(await scoped([...found], message.sender_id))
      return photo_id === null ? verdict : withCheck(verdict, photo_id)
    },

    /** Files the reports that a verdict asks for. The text is stored already, so that a failure is only logged. */
    async report(target: ReportTarget, id: string, { flags }: Pick<Verdict, 'flags'>): Promise<void> {
      if (flags.length > 0) await deps.report(target, id, flags).catch(deps.failed)
    },

    async list() {
      const { version, rules } = await newest()
      return { version, items: rules.map(ruleView) }
    },

    async add(admin: Admin, input: RuleInput) {
      refuseProblems(ruleProblems(input))
      const rule = tidied({ ...input, id: ids.next() })
      await change(admin, 'created', (rules) => ({ rules: [...rules, rule], rule }))
      return ruleView(rule)
    },

    async replace(admin: Admin, id: string, input: RuleInput) {
      refuseProblems(ruleProblems(input))
      const rule = tidied({ ...input, id })
      await change(admin, 'changed', (rules) => ({ rules: rules.with(indexOf(rules, id), rule), rule }))
      return ruleView(rule)
    },

    async remove(admin: Admin, id: string): Promise<void> {
      await change(admin, 'deleted', (rules) => {
        const rule = rules[indexOf(rules, id)] ?? null
        return { rules: rules.filter((other) => other.id !== id), rule }
      })
    },

    /** Replaces all rules, and keeps the ids that are given. */
    async replaceAll(admin: Admin, inputs: readonly (RuleInput & { id?: string | null })[]): Promise<number> {
      const seen = new Set<string>()
      const problems = inputs.flatMap((input, i) => {
        const isRepeated = input.id != null && seen.has(input.id)
        if (input.id != null) seen.add(input.id)
        return [
          ...(isRepeated ? [{ path: '/id', code: 'duplicate' as const, message: 'Expected each id once' }] : []),
          ...ruleProblems(input),
        ].map(({ path, ...rest }) => ({ path: `/rules/${i}${path}`, ...rest }))
      })
      refuseProblems(problems.slice(0, 20))
      const rules = inputs.map((input) => tidied({ ...input, id: input.id ?? ids.next() }))
      await change(admin, 'imported', () => ({ rules, rule: null }))
      return rules.length
    },

    /** Newest first, without what they say. */
    async versions({ limit = 30, cursor }: Page) {
      const below = keyOf('rule-versions', cursor, ['number'])?.[0] ?? Number.MAX_SAFE_INTEGER
      const rows = await store.versions(below, limit + 1)
      return pageOf(
        'rule-versions',
        rows,
        limit,
        ({ version }) => [version],
        ({ at, ...rest }) => ({ ...rest, at: iso(at) }),
      )
    },

    /** Which rules a text matches, whether they are on or not; scopes and counts of repeated texts are left out. */
    async trial({ text, applies_to }: { text: string; applies_to: RuleSubject }) {
      const { version, rules } = await newest()
      const { [applies_to]: matcher } = compileRules(rules)
      const matches = matcher.matching(text).map(({ id, name, on, action, match, public_text }) => ({
        ...{ id, name, on, action, public_text },
        type: match.type,
      }))
      return { version, matches }
    },
  }
}

/**
 * The rules that a text matches, or that it matches together with what its sender has just sent: but not those that an
 * earlier message matches by itself, which have been acted on.
 */
function matchingJoined(matcher: Matcher, recent: readonly string[], text: string): readonly Rule[] {
  const found = matcher.matching(text)
  if (recent.length === 0) return found
  const together = new Set(joined(recent, text).flatMap((parts) => matcher.matching(parts)))
  if (together.size === 0) return found
  for (const before of recent) for (const rule of matcher.matching(before)) together.delete(rule)
  return [...new Set([...found, ...together])]
}

const slowProblem = (rules: readonly RuleInput[]) =>
  areSlow(rules.flatMap(({ match }) => (match.type === 'pattern' ? [match.pattern] : [])))
    ? 'The patterns of all rules together take too long: repeat less'
    : null

/** The rules about images that an image comes under; where there are none about it, a banned image is refused. */
function underRules(rules: readonly Rule[], nearest: (most: number) => number): readonly Rule[] {
  const asked = (rules.length > 0 ? rules : [bannedImages]).flatMap((rule) =>
    rule.match.type === 'image' ? [{ rule, within: rule.match.distance ?? usualDistance }] : [],
  )
  // One comparison with the bank, however many rules ask.
  const distance = nearest(Math.max(...asked.map(({ within }) => within)))
  return asked.filter(({ within }) => distance <= within).map(({ rule }) => rule)
}

export type SentText = {
  sender_id: string
  other_id: string
  chat_id: string
  text: string | null
  photo_id?: string | null
}

const tidied = (rule: RuleInput & { id: string }): Rule => {
  const { id, name, on, applies_to, match, action, scope } = rule
  const public_text = tidy(rule.public_text ?? '') || null
  return {
    id,
    name: name.trim(),
    on,
    applies_to: [...new Set(applies_to)],
    match: tidiedMatch(match),
    action,
    public_text,
    scope: scope ?? {},
  }
}

function tidiedMatch(match: Rule['match']): Rule['match'] {
  switch (match.type) {
    case 'words':
      return { ...match, words: [...new Set(match.words.map((word) => word.trim()))] }
    case 'link':
      return { ...match, domains: match.domains?.map((domain) => domain.toLowerCase()) ?? null }
    case 'contact':
      return { ...match, kinds: match.kinds ?? null }
    case 'image':
      return { ...match, distance: match.distance ?? null }
    case 'pattern':
    case 'repeated':
      return match
  }
}

const ruleView = ({ scope, ...rule }: Rule) => ({
  ...rule,
  scope: {
    account_younger_than_h: scope.account_younger_than_h ?? null,
    unverified: scope.unverified ?? false,
  },
})
