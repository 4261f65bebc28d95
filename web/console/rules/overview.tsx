import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { type ReactNode, type RefObject, useEffect } from 'react'
import { Link } from 'wouter'
import { useLanguage } from '../language.tsx'
import { useList } from '../requests.ts'
import detailStyles from '../ui/detail.module.css'
import { Actor } from '../ui/actor.tsx'
import { Section } from '../ui/page.tsx'
import { Listed } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import type { Rule } from './rule-form.ts'
import styles from './rules.module.css'
import { Trial } from './trial.tsx'

type Version = components['schemas']['RuleVersion']
type Props = {
  back: ReactNode
  trial: RefObject<HTMLTextAreaElement | null>
  focused: boolean
  rules: { version: number; items: Rule[] } | null
}

/** Shown if no rule is open: tries a text against all rules, and lists the changes. */
export function Overview({ back, trial, focused, rules }: Props) {
  const { t } = useLanguage()
  useEffect(() => {
    if (focused) trial.current?.focus()
  }, [focused, trial])
  return (
    <article className={detailStyles.item} aria-label={t('rules.try.title')}>
      <header className={detailStyles.head}>
        {back}
        <h1>{t('rules.try.title')}</h1>
      </header>
      <div className={detailStyles.columns}>
        <div className={detailStyles.main}>
          <p className={styles.lead}>{t('rules.try.lead')}</p>
          <Trial field={trial} subject="message" of={null} />
        </div>
        <div className={detailStyles.side}>
          <Section title={t('rules.changes')}>
            <Changes key={rules?.version} rules={rules?.items ?? []} />
          </Section>
          <Section title={t('rules.files')}>
            <p className={styles.hint}>{t('rules.filesHint')}</p>
            <pre className={styles.commands}>
              <code>{'convene rules export rules.json\nconvene rules import rules.json'}</code>
            </pre>
          </Section>
        </div>
      </div>
    </article>
  )
}

function Changes({ rules }: { rules: readonly Rule[] }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const list = useList<Version>(
    (cursor) =>
      api.GET('/api/v1/admin/rules/versions', {
        params: { query: { limit: 10, ...(cursor !== undefined && { cursor }) } },
      }),
    'versions',
  )
  return (
    <Listed list={list} empty={<p className={styles.hint}>{t('rules.noChanges')}</p>}>
      {(versions) => (
        <ol className={styles.changes}>
          {versions.map(({ version, change, rule_id, rule_count, actor_id, at }) => {
            const rule = rules.find(({ id }) => id === rule_id)
            return (
              <li key={version}>
                <span>
                  <b>{t('rules.version', { version: String(version) })}</b> {t(`rules.change.${change}`)}{' '}
                  {rule ? (
                    <Link href={`/rules/${rule.id}`}>{rule.name}</Link>
                  ) : change === 'imported' ? (
                    t('rules.count', { count: rule_count })
                  ) : (
                    t('rules.goneRule')
                  )}
                </span>
                <span className={styles.quiet}>
                  <Actor id={actor_id} /> · <Ago at={at} />
                </span>
              </li>
            )
          })}
        </ol>
      )}
    </Listed>
  )
}
