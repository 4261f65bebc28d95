import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { type RefObject, useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { Select, TextArea } from '../../shared/ui/field.tsx'
import { useLanguage } from '../language.tsx'
import { excessText, outcomeOf, useAction } from '../requests.ts'
import { FailureText } from '../ui/failure.tsx'
import { Badge } from '../ui/page.tsx'
import { type Subject, subjects } from './rule-form.ts'
import styles from './rules.module.css'
import { ActionBadge } from './action-badge.tsx'

type Result = components['schemas']['RuleTrialResult']

type Props = {
  field: RefObject<HTMLTextAreaElement | null>
  /** The initial choice of what the text is. */
  subject: Subject
  /** The open rule, whose result is shown first even if it does not match. */
  of: string | null
}

/** Tries a text against all rules. Nothing is stored. */
export function Trial({ field, subject, of }: Props) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const [text, setText] = useState('')
  const [as, setAs] = useState<Subject>(subject === 'photo' ? 'message' : subject)
  // An answer may come after the text or the choice has changed.
  const [tried, setTried] = useState<{ text: string; as: Subject; result: Result } | null>(null)
  const result = tried?.text === text && tried.as === as ? tried.result : null
  const trial = useAction(async () => {
    if (text.trim() === '') return field.current?.focus() ?? null
    const { data, failure } = await outcomeOf(api.POST('/api/v1/admin/rules/try', { body: { text, applies_to: as } }))
    setTried(data && { text, as, result: data })
    return failure
  })
  return (
    <form
      className={styles.trial}
      onSubmit={(event) => {
        event.preventDefault()
        void trial.run()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        // Keep the key from saving the rule.
        event.preventDefault()
        void trial.run()
      }}
    >
      <TextArea
        ref={field}
        label={t('rules.try.text')}
        rows={3}
        value={text}
        error={excessText(t, text, 4000)}
        onChange={(event) => setText(event.target.value)}
      />
      <div className={styles.asking}>
        <Select
          label={t('rules.try.as')}
          value={as}
          onChange={(chosen) => setAs(subjects.find((each) => each === chosen) ?? 'message')}
          options={subjects
            .filter((value) => value !== 'photo')
            .map((value) => ({ value, label: t(`rules.subject.${value}`) }))}
        />
        <Button type="submit" busy={trial.busy}>
          {t('rules.try.run')}
        </Button>
      </div>
      <FailureText failure={trial.failure} />
      <div role="status">{result && <Matches result={result} of={of} />}</div>
    </form>
  )
}

function Matches({ result: { matches }, of }: { result: Result; of: string | null }) {
  const { t } = useLanguage()
  const inForce = matches.filter(({ on }) => on)
  const does = (action: string) => inForce.find((match) => match.action === action)
  const verdict = does('refuse')
    ? 'rules.verdict.refuse'
    : does('hold')
      ? 'rules.verdict.hold'
      : does('flag')
        ? 'rules.verdict.flag'
        : does('note')
          ? 'rules.verdict.note'
          : matches.length > 0
            ? 'rules.verdict.off'
            : 'rules.verdict.nothing'
  const own = of === null ? undefined : matches.some(({ id }) => id === of)
  return (
    <div className={styles.verdict}>
      <p>
        <b>{t(verdict)}</b>
      </p>
      {own !== undefined && <p className={styles.hint}>{t(own ? 'rules.try.thisDoes' : 'rules.try.thisDoesNot')}</p>}
      <ul>
        {matches.map((match) => (
          <li key={match.id}>
            <Link href={`/rules/${match.id}`} aria-current={match.id === of ? 'true' : undefined}>
              {match.name}
            </Link>
            <ActionBadge action={match.action} />
            {!match.on && <Badge>{t('rules.isOff')}</Badge>}
            {match.public_text && <q>{match.public_text}</q>}
          </li>
        ))}
      </ul>
      <p className={styles.hint}>{t('rules.try.scope')}</p>
    </div>
  )
}
