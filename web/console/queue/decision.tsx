import { useConvene } from 'convene-client/react'
import { type FormEvent, useEffect, useId, useMemo, useRef } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Checkbox, TextArea } from '../../shared/ui/field.tsx'
import { serverNow } from '../../shared/clock.ts'
import { keptDrafts } from '../../shared/kept-drafts.ts'
import { useDraft } from '../drafts.ts'
import { errorAt, failureBeside } from '../field-errors.ts'
import { Keys, useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import { type Person, usePerson } from '../people/person-record.ts'
import { excessText, type LastFailure, outcomeOf, useAction } from '../requests.ts'
import { Choice, Filter } from '../ui/choice.tsx'
import { FailureAt, FailureText } from '../ui/failure.tsx'
import { type Action, actionsOf, actionText, isSilent, type Pending, type Report } from './reports.ts'
import styles from './decision.module.css'
import { useTemplates } from './templates.ts'
import { undoS } from './undo-bar.tsx'

const dayS = 86_400
/** The lengths of a suspension in days; 0 is without end. */
export const terms = ['1', '7', '30', '0'] as const
export type Term = (typeof terms)[number]

/** The end of a suspension that begins now. */
export const untilOf = (term: Term): string | null =>
  term === '0' ? null : new Date(serverNow() + Number(term) * dayS * 1000).toISOString()

const languageName = (language: string, of: string | undefined): string =>
  of === undefined ? '' : (new Intl.DisplayNames([language], { type: 'language' }).of(of) ?? of)

const strikes = ['0', '1', '2', '3', '4'] as const
export type Strike = (typeof strikes)[number]

type Draft = {
  action: Action | null
  note: string
  templateId: string
  strike: Strike
  bansImages: boolean
  term: Term
}
const blank: Draft = { action: null, note: '', templateId: '', strike: '0', bansImages: false, term: '7' }

/** The form as it was when somebody made a decision that they have taken back. */
function draftOf({ action, note, strikes: count, ban_images, until, takes_effect_at }: Pending): Draft {
  const days = until === null ? 0 : Math.round((Date.parse(until) - Date.parse(takes_effect_at)) / (dayS * 1000))
  return {
    ...blank,
    action,
    note,
    strike: strikes.find((each) => each === String(count)) ?? blank.strike,
    bansImages: ban_images,
    term: (action === 'suspend' && terms.find((each) => each === String(days))) || blank.term,
  }
}

// They stay after the decision too, because it may be taken back.
const drafts = keptDrafts<Draft>('decisions')

/** Whether the content that would be removed has an image, which can be banned too. */
const hasImages = ({ message_id, user_id, evidence }: Report): boolean =>
  (message_id !== null && evidence?.message?.photo != null) || (user_id !== null && evidence?.user?.photo != null)

type Props = {
  report: Report
  /** A decision about this report that has just been taken back. */
  undone: Pending | null
  failed: LastFailure
  /** Called before the server is asked. */
  onTry: () => void
  onDecided: (report: Report, andNext: boolean) => void
  /** Called if somebody else has claimed or decided the report. */
  onTaken: () => void
}

/** The form of a decision: the action, the text for the person, and the strikes. Every part has a key. */
export function Decision({ report, undone, failed, onTry, onDecided, onTaken }: Props) {
  const { t, language } = useLanguage()
  const { api } = useConvene()
  const name = useId()
  const form = useRef<HTMLFormElement>(null)
  const person = usePerson(report.subject_id)
  const [draft, change] = useDraft(drafts, report.id, undone ? draftOf(undone) : blank)
  const { action, note, templateId, strike, bansImages, term } = draft
  const templates = useTemplates(person.data?.language ?? null)
  const template = templates.find(({ id }) => id === templateId)
  const isQuiet = isSilent(action)

  const decide = useAction(async (andNext: boolean) => {
    if (action === null) return null
    onTry()
    // The API needs a note. For a dismissal or a release, only readers of the audit log see it.
    const text = note.trim() || (isQuiet ? t('decision.dismissNote') : '')
    const resolve = (templateId: string | undefined) =>
      outcomeOf(
        api.POST('/api/v1/admin/reports/{id}/resolve', {
          params: { path: { id: report.id } },
          body: {
            action,
            undo_s: undoS,
            // The text that the moderator has read, even if somebody has changed the template since.
            note: text,
            ...(templateId !== undefined && { template_id: templateId }),
            ...(!isQuiet && { strikes: Number(strike) }),
            ...(action === 'remove_content' && bansImages && { ban_images: true }),
            ...(action === 'suspend' && { until: untilOf(term) }),
          },
        }),
      )
    const isTemplate = template !== undefined && text === template.text
    const first = await resolve(isTemplate ? template.id : undefined)
    // Somebody has deleted the template.
    const isTemplateGone = errorAt(first.failure, '/template_id') !== null
    const { data, failure } = isTemplateGone ? await resolve(undefined) : first
    if (failure) {
      if (failure !== 'offline' && (failure.code === 'claimed' || failure.code === 'conflict')) {
        onTaken()
        // The person may have been hidden, suspended or erased.
        void person.reload()
      }
      return failure
    }
    onDecided(data, andNext)
    return null
  }, failed)

  const choose = (chosen: Action) => {
    change({ action: chosen, ...(isSilent(chosen) && { strike: '0' }) })
  }
  // After an action is chosen by key, focus the text field once it is rendered.
  const focusWords = useRef(false)
  useEffect(() => {
    if (!focusWords.current) return
    focusWords.current = false
    form.current?.querySelector<HTMLElement>('[data-words] select, [data-words] textarea')?.focus()
  })
  const actions = useMemo(() => actionsOf(report), [report])
  const excess = excessText(t, note, 2000)
  const isReady = action !== null && (isQuiet || note.trim() !== '') && excess === null
  const submit = (andNext: boolean) => {
    if (isReady) void decide.run(andNext)
    else form.current?.querySelector<HTMLElement>(excess === null ? 'input, textarea' : 'textarea')?.focus()
  }
  useKeys(t('decision.title'), [
    ...actions.map(({ action: each, key }) => ({
      keys: key,
      label: actionText(t, each),
      inLine: true,
      run: () => {
        focusWords.current = !isSilent(each)
        choose(each)
      },
    })),
    ...(action !== null && !isQuiet
      ? strikes.map((each) => ({
          keys: each,
          label: t('decision.strikesOf', { count: Number(each) }),
          run: () => change({ strike: each }),
        }))
      : []),
    {
      keys: 'Mod+Enter',
      label: t('decision.andNext'),
      inFields: true,
      inLine: true,
      run: () => submit(true),
    },
  ])

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    submit(false)
  }
  return (
    <form ref={form} className={styles.decision} onSubmit={onSubmit} aria-label={t('decision.title')}>
      <fieldset className={styles.actions}>
        <legend>{t('decision.title')}</legend>
        {actions.map(({ action: each, key }) => (
          <label key={each} className={each === 'suspend' ? styles.grave : undefined}>
            <input type="radio" name={name} checked={action === each} onChange={() => choose(each)} />
            <span>
              {actionText(t, each)}
              <Keys keys={key} />
            </span>
          </label>
        ))}
      </fieldset>
      <Proposal of={person.data} />
      {action !== null && (
        <>
          <div className={styles.words} data-words>
            {!isQuiet && templates.length > 0 && (
              <Filter
                label={t('decision.template')}
                value={templateId}
                onChange={(chosen) => {
                  const text = templates.find(({ id }) => id === chosen)?.text
                  change({ templateId: chosen, ...(text !== undefined && { note: text }) })
                }}
                options={[
                  { value: '', label: t('decision.noTemplate') },
                  ...templates.map(({ id, name, language }) => ({ value: id, label: `${name} (${language})` })),
                ]}
              />
            )}
            <TextArea
              label={t(isQuiet ? 'decision.remark' : 'decision.reason')}
              hint={
                isQuiet
                  ? t('decision.remarkHint')
                  : t('decision.reasonHint', { language: languageName(language, person.data?.language) })
              }
              lang={template?.language ?? person.data?.language}
              value={note}
              error={excess}
              placeholder={isQuiet ? t('decision.dismissNote') : undefined}
              onChange={(event) => change({ note: event.target.value })}
            />
          </div>
          {!isQuiet && (
            <div className={styles.counts}>
              <span aria-hidden>{t('decision.strikes')}</span>
              <StrikeChoice value={strike} onChange={(chosen) => change({ strike: chosen })} />
            </div>
          )}
          {action === 'remove_content' && hasImages(report) && (
            <Checkbox checked={bansImages} onChange={(chosen) => change({ bansImages: chosen })}>
              {t('decision.banImages')}
            </Checkbox>
          )}
          {action === 'suspend' && (
            <div className={styles.counts}>
              <span aria-hidden>{t('decision.term')}</span>
              <TermChoice value={term} onChange={(chosen) => change({ term: chosen })} />
              <FailureAt path="/until" failure={decide.failure} />
            </div>
          )}
        </>
      )}
      <FailureText failure={action === 'suspend' ? failureBeside(decide.failure, ['/until']) : decide.failure} />
      <div className={styles.submit}>
        <Button look="primary" busy={decide.busy} aria-disabled={!isReady || undefined} onClick={() => submit(true)}>
          {t('decision.andNext')}
        </Button>
        <Button type="submit" busy={decide.busy} aria-disabled={!isReady || undefined}>
          {t('decision.only')}
        </Button>
      </div>
    </form>
  )
}

/** What the strikes of somebody suggest. A person decides. */
export function Proposal({ of }: { of: Person | null }) {
  const { t } = useLanguage()
  const proposal = of?.proposal
  if (!proposal) return null
  return (
    <p className={styles.proposal}>
      {proposal.action === 'warn'
        ? t('decision.proposesWarning')
        : proposal.days === null
          ? t('decision.proposesEnd')
          : t('decision.proposesDays', { count: proposal.days })}
    </p>
  )
}

type ChoiceProps<Value> = { value: Value; onChange: (value: Value) => void }

export function StrikeChoice(props: ChoiceProps<Strike>) {
  const { t } = useLanguage()
  return <Choice {...props} label={t('decision.strikes')} options={strikes.map((value) => ({ value, label: value }))} />
}

export function TermChoice(props: ChoiceProps<Term>) {
  const { t } = useLanguage()
  return (
    <Choice
      {...props}
      label={t('decision.term')}
      options={terms.map((value) => ({
        value,
        label: value === '0' ? t('decision.forEver') : t('decision.days', { count: Number(value) }),
      }))}
    />
  )
}
