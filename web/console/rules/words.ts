import type { T } from '../language.tsx'
import type { Rule } from './rule-form.ts'

/** What a rule finds, in a few words. */
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

/** Whom a rule is about; empty where it is about everybody. */
export function scopeText(t: T, { scope }: Pick<Rule, 'scope'>): string {
  const hours = scope.account_younger_than_h
  return [hours !== null && t('rules.scope.younger', { count: hours }), scope.unverified && t('rules.scope.unverified')]
    .filter(Boolean)
    .join(', ')
}
