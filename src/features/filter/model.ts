import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { entityId, nextCursor, nullable, object, oneOf, optional, time, wholeNumber } from '../../http/schema.ts'
import { line, prose } from '../../lib/text.ts'
import { longestDistance } from '../image-bank/rules.ts'
import { contactKinds } from './contacts.ts'
import { ruleActions, ruleChanges, ruleSubjects } from './store.ts'

const subject = oneOf(ruleSubjects, 'RuleSubject')
const ruleAction = oneOf(ruleActions, 'RuleAction')
const contactKind = oneOf(contactKinds, 'ContactKind')

const domain = t.String({
  pattern: '^[^\\s/@:]{1,200}\\.[^\\s/@:.]{2,63}$',
  maxLength: 253,
  error: 'Expected a domain, such as example.com',
})

const match = t.Union(
  [
    object('WordsMatch', {
      type: t.Literal('words'),
      words: t.Array(line(60, { min: 1 }), {
        minItems: 1,
        description: 'Whole words, or phrases of up to six words; at most 20 000 in all rules together',
      }),
    }),
    object('PatternMatch', {
      type: t.Literal('pattern'),
      pattern: t.String({ minLength: 1, maxLength: 1000, description: 'RE2 syntax; case does not matter' }),
    }),
    object('LinkMatch', {
      type: t.Literal('link'),
      domains: optional(
        t.Array(domain, { maxItems: 1000, description: 'Includes their subdomains; without, any link matches' }),
      ),
    }),
    object('ContactMatch', {
      type: t.Literal('contact'),
      kinds: optional(t.Array(contactKind, { maxItems: 3, description: 'Without, all kinds' })),
    }),
    object('ImageMatch', {
      type: t.Literal('image'),
      distance: optional(wholeNumber(0, longestDistance)),
    }),
    object('RepeatedMatch', {
      type: t.Literal('repeated'),
      people: wholeNumber(2, 100),
      within_h: wholeNumber(1, 168),
    }),
  ],
  {
    title: 'RuleMatch',
    examples: [{ type: 'words', words: ['gift card'] }],
    error: 'Expected words, pattern, link, contact, image or repeated, with its fields',
  },
)

const fields = {
  name: line(80, { min: 1 }),
  on: t.Boolean(),
  applies_to: t.Array(subject, { minItems: 1, maxItems: ruleSubjects.length }),
  match,
  action: ruleAction,
}

const publicText = prose(300)

export const newRule = object(
  'NewRule',
  {
    ...fields,
    public_text: optional(publicText),
    scope: optional(
      object('NewRuleScope', {
        account_younger_than_h: optional(wholeNumber(1, 87_600)),
        unverified: optional(t.Boolean()),
      }),
    ),
  },
  {
    description: '`public_text` is shown to the sender of a refused text, or to the recipient of a `note`',
    examples: [
      {
        name: 'Advance fees',
        on: true,
        applies_to: ['message'],
        match: { type: 'words', words: ['western union', 'gift card'] },
        action: 'note',
        public_text: 'Never send money to somebody whom you have not met.',
        scope: { account_younger_than_h: 72 },
      },
    ],
  },
)

/** A file of rules. */
export const ruleFile = object('RuleFile', {
  rules: t.Array(t.Composite([newRule, t.Object({ id: optional(t.String({ format: 'uuid' })) })])),
})

export const rule = object('Rule', {
  id: entityId(),
  ...fields,
  public_text: nullable(t.String()),
  scope: object('RuleScope', { account_younger_than_h: nullable(Type.Integer()), unverified: t.Boolean() }),
})

export const ruleList = object('RuleList', {
  version: Type.Integer({ description: '0 until the first change' }),
  items: t.Array(rule),
  next_cursor: nextCursor,
})

export const ruleVersionList = object('RuleVersionList', {
  items: t.Array(
    object('RuleVersion', {
      version: Type.Integer(),
      change: oneOf(ruleChanges, 'RuleChange'),
      rule_id: nullable(entityId('Null for an import')),
      rule_count: Type.Integer(),
      actor_id: nullable(entityId('Null for the command line')),
      at: time,
    }),
  ),
  next_cursor: nextCursor,
})

export const ruleTrial = object(
  'RuleTrial',
  { text: prose(4000, { min: 1 }), applies_to: subject },
  { examples: [{ text: 'Send me a gift card', applies_to: 'message' }] },
)

export const ruleTrialResult = object('RuleTrialResult', {
  version: Type.Integer(),
  matches: t.Array(
    object('RuleTrialMatch', {
      id: entityId(),
      name: t.String(),
      on: t.Boolean(),
      action: ruleAction,
      type: t.String(),
      public_text: nullable(t.String()),
    }),
  ),
})
