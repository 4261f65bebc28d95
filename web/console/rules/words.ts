import type { T } from '../language.tsx'
import type { Rule } from './rule-form.ts'

/** A short text of what a rule finds. */
export function matchText(t: T, { match }: Pick<Rule, 'match'>): string {
  switch (match.type) {
    case 'words':
      return t('rules.finds.words', { count: match.words.length })
    case 'pattern':
      return t('rules.finds.pattern')
    case 'link':
      return match.domains?.length
        ? t('rules.finds.domains', { count: match.domains.length })
        : t('rules.finds.anyLink')
    case 'contact':
      return match.kinds?.length
        ? match.kinds.map((kind) => t(`rules.contact.${kind}`)).join(', ')
        : t('rules.finds.anyContact')
    case 'repeated':
      return t('rules.finds.repeated', { count: match.people, hours: match.within_h })
    case 'image':
      return t('rules.finds.image')
  }
}

/** A text of whom a rule concerns; empty if it concerns everybody. */
export function scopeText(t: T, { scope }: Pick<Rule, 'scope'>): string {
  const hours = scope.account_younger_than_h
  return [hours !== null && t('rules.scope.younger', { count: hours }), scope.unverified && t('rules.scope.unverified')]
    .filter(Boolean)
    .join(', ')
}
