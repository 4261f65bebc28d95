import type { components } from 'convene-client'

export type Rule = components['schemas']['Rule']
export type NewRule = components['schemas']['NewRule']
export type Subject = components['schemas']['RuleSubject']
export type Action = components['schemas']['RuleAction']
export type Kind = Rule['match']['type']

export const kinds = ['words', 'pattern', 'link', 'contact', 'repeated', 'image'] as const satisfies readonly Kind[]
export const contacts = ['phone', 'email', 'payment'] as const
export const subjects = ['message', 'first_message', 'name', 'bio', 'review', 'photo'] as const
const actions = ['refuse', 'hold', 'flag', 'note'] as const satisfies readonly Action[]

const subjectsOf: Record<Kind, readonly Subject[]> = {
  words: ['message', 'first_message', 'name', 'bio', 'review'],
  pattern: ['message', 'first_message', 'name', 'bio', 'review'],
  link: ['message', 'first_message', 'name', 'bio', 'review'],
  contact: ['message', 'first_message', 'name', 'bio', 'review'],
  repeated: ['first_message'],
  image: ['message', 'first_message', 'photo'],
}

/** What a rule of this kind may apply to. */
export const subjectsFor = (kind: Kind): readonly Subject[] => subjectsOf[kind]

/** The actions for these subjects. Only a message has a recipient, from whom it can be held or who can be cautioned. */
export const actionsFor = (of: readonly Subject[]): readonly Action[] =>
  of.every((subject) => subject === 'message' || subject === 'first_message') ? actions : ['refuse', 'flag']

/** Whether somebody reads the public text of a rule with this action. */
export const showsPublicText = (action: Action) => action === 'refuse' || action === 'note'

/** A rule that is being edited. It keeps the fields of every kind, so that switching the kind loses nothing. */
export type Draft = {
  name: string
  on: boolean
  kind: Kind
  words: string
  pattern: string
  domains: string
  contacts: (typeof contacts)[number][]
  people: string
  hours: string
  distance: string
  subjects: Subject[]
  action: Action
  publicText: string
  youngerThan: string
  unverified: boolean
}

const blank: Draft = {
  name: '',
  on: true,
  kind: 'words',
  words: '',
  pattern: '',
  domains: '',
  contacts: [],
  people: '5',
  hours: '24',
  distance: '',
  subjects: ['message'],
  action: 'flag',
  publicText: '',
  youngerThan: '',
  unverified: false,
}

export function draftOf(rule: Rule | null): Draft {
  if (rule === null) return blank
  const { name, on, match, applies_to, action, public_text, scope } = rule
  const common: Draft = {
    ...blank,
    ...{ name, on, kind: match.type, action },
    subjects: applies_to,
    publicText: public_text ?? '',
    youngerThan: scope.account_younger_than_h?.toString() ?? '',
    unverified: scope.unverified,
  }
  switch (match.type) {
    case 'words':
      return { ...common, words: match.words.join('\n') }
    case 'pattern':
      return { ...common, pattern: match.pattern }
    case 'link':
      return { ...common, domains: match.domains?.join('\n') ?? '' }
    case 'contact':
      return { ...common, contacts: match.kinds ?? [] }
    case 'repeated':
      return { ...common, people: String(match.people), hours: String(match.within_h) }
    case 'image':
      return { ...common, distance: match.distance?.toString() ?? '' }
  }
}

/** The trimmed lines of a text, without empty ones. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Null for an empty text. An invalid number becomes NaN, which the server refuses. */
const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text))

function matchOf(draft: Draft): NewRule['match'] {
  switch (draft.kind) {
    case 'words':
      return { type: 'words', words: linesOf(draft.words) }
    case 'pattern':
      return { type: 'pattern', pattern: draft.pattern }
    case 'link': {
      const domains = linesOf(draft.domains)
      return { type: 'link', domains: domains.length === 0 ? null : domains }
    }
    case 'contact':
      return { type: 'contact', kinds: draft.contacts.length === 0 ? null : draft.contacts }
    case 'repeated':
      return { type: 'repeated', people: numberOf(draft.people) ?? 0, within_h: numberOf(draft.hours) ?? 0 }
    case 'image':
      return { type: 'image', distance: numberOf(draft.distance) }
  }
}

export function ruleOf(draft: Draft): NewRule {
  const youngerThan = numberOf(draft.youngerThan)
  return {
    name: draft.name.trim(),
    on: draft.on,
    applies_to: draft.subjects,
    match: matchOf(draft),
    action: draft.action,
    public_text: showsPublicText(draft.action) ? draft.publicText.trim() || null : null,
    scope: {
      ...(youngerThan !== null && { account_younger_than_h: youngerThan }),
      ...(draft.unverified && { unverified: true }),
    },
  }
}

/** A draft, and the rule as it was when the changes began. */
export type Edited = { draft: Draft; opened: Draft }

export function unchanged(rule: Rule | null): Edited {
  const draft = draftOf(rule)
  return { draft, opened: draft }
}

/** Whether two drafts make the same rule. Whether it is on is not compared, because the switch decides that. */
export const isSame = (one: Draft, other: Draft): boolean =>
  JSON.stringify(ruleOf({ ...one, on: false })) === JSON.stringify(ruleOf({ ...other, on: false }))

/** The draft after a change, without subjects and actions that no longer fit. */
export function changed(draft: Draft, change: Partial<Draft>): Draft {
  const next = { ...draft, ...change }
  const possible = subjectsFor(next.kind)
  const kept = next.subjects.filter((subject) => possible.includes(subject))
  // After a change of the kind, choose a possible subject. If the user unticks all of them, none is chosen.
  const chosen = kept.length === 0 && change.kind !== undefined ? possible.slice(0, 1) : kept
  return { ...next, subjects: chosen, action: actionsFor(chosen).includes(next.action) ? next.action : 'flag' }
}

/** The first required field that is empty. */
export function missing(draft: Draft): 'name' | 'words' | 'pattern' | 'people' | 'hours' | 'subjects' | null {
  if (draft.name.trim() === '') return 'name'
  if (draft.kind === 'words' && linesOf(draft.words).length === 0) return 'words'
  if (draft.kind === 'pattern' && draft.pattern === '') return 'pattern'
  if (draft.kind === 'repeated' && draft.people.trim() === '') return 'people'
  if (draft.kind === 'repeated' && draft.hours.trim() === '') return 'hours'
  return draft.subjects.length === 0 ? 'subjects' : null
}
