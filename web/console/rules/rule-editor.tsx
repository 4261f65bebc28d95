import { useConvene } from 'convene-client/react'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { Checkbox, Field, TextArea } from '../../shared/ui/field.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { useDraftKey } from '../drafts.ts'
import { errorAt, failureBeside, type FieldError, fieldText } from '../field-errors.ts'
import { Keys, useKeys } from '../keys.tsx'
import { type T, useLanguage } from '../language.tsx'
import { excessText, type Failure, type Outcome, outcomeOf, useAction } from '../requests.ts'
import detailStyles from '../ui/detail.module.css'
import { AskFirst } from '../ui/ask-first.tsx'
import { Checks } from '../ui/checks.tsx'
import { Choice } from '../ui/choice.tsx'
import { FailureText } from '../ui/failure.tsx'
import { OnOff } from '../ui/on-off.tsx'
import { Badge, Section } from '../ui/page.tsx'
import { drafts } from './drafts.ts'
import {
  actionsFor,
  changed,
  contacts,
  type Draft,
  draftOf,
  type Edited,
  isSame,
  showsPublicText,
  kinds,
  linesOf,
  missing,
  type Rule,
  ruleOf,
  subjectsFor,
  unchanged,
} from './rule-form.ts'
import styles from './rules.module.css'
import { Trial } from './trial.tsx'

type Props = {
  /** Null for a new one. */
  rule: Rule | null
  back: ReactNode
  trial: RefObject<HTMLTextAreaElement | null>
  readAgain: (rule: Rule) => Promise<Outcome<Rule>>
  /** Called after the rule has been saved or deleted, or is found to be changed. */
  onSaved: () => Promise<unknown>
  onTurn: (rule: Rule, on: boolean) => Promise<void>
}

export function RuleEditor({ rule, back, trial, readAgain, onSaved, onTurn }: Props) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const [, navigate] = useLocation()
  const key = useDraftKey()(rule?.id ?? 'new')
  const [edited, setEdited] = useState<Edited>(() => {
    const first = unchanged(rule)
    // What another version of the console has kept may lack a field.
    const { draft, opened } = drafts.of(key) ?? first
    return { draft: { ...first.draft, ...draft }, opened: { ...first.opened, ...opened } }
  })
  const { draft, opened } = edited
  const isDirty = !isSame(draft, opened)
  // When the list is read again, a rule without unsaved changes is shown as it is stored.
  const [listed, setListed] = useState(rule)
  if (listed !== rule) {
    setListed(rule)
    if (!isDirty) setEdited(unchanged(rule))
  }
  const [isOutdated, setIsOutdated] = useState(false)
  const [isIncomplete, setIsIncomplete] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (rule === null) form.current?.querySelector('input')?.focus()
    else heading.current?.focus()
  }, [])
  useEffect(() => drafts.set(key, isDirty ? edited : null), [key, edited, isDirty])

  const replace = async (rule: Rule): Promise<Outcome<Rule> | null> => {
    const { data: stored, failure } = await readAgain(rule)
    if (failure) return { data: null, failure }
    const now = draftOf(stored)
    // It equals the draft if this admin has saved before and only the answer was lost.
    if (!isSame(now, opened) && !isSame(now, draft)) {
      setEdited((before) => ({ ...before, opened: now }))
      setIsOutdated(true)
      await onSaved()
      return null
    }
    // The switch decides whether the rule is on; it may have been used meanwhile.
    const body = { ...ruleOf(draft), on: stored.on }
    return outcomeOf(api.PUT('/api/v1/admin/rules/{id}', { params: { path: { id: rule.id } }, body }))
  }
  const save = useAction(async () => {
    setIsOutdated(false)
    const saved =
      rule === null ? await outcomeOf(api.POST('/api/v1/admin/rules', { body: ruleOf(draft) })) : await replace(rule)
    if (saved === null) return null
    const { data, failure } = saved
    if (failure) return failure
    drafts.set(key, null)
    setEdited(unchanged(data))
    await onSaved()
    toast(t(data.on ? 'rules.saved' : 'rules.savedOff'))
    if (rule === null) navigate(`/rules/${data.id}`, { replace: true })
    return null
  })
  const remove = useAction(async () => {
    if (rule === null) return null
    const { failure } = await outcomeOf(api.DELETE('/api/v1/admin/rules/{id}', { params: { path: { id: rule.id } } }))
    if (failure) return failure
    drafts.set(key, null)
    navigate('/rules')
    await onSaved()
    toast(t('rules.deleted', { name: rule.name }))
    return null
  })
  const submit = () => {
    setIsIncomplete(true)
    const lacking = missing(draft)
    if (lacking === null) void save.run()
    else form.current?.querySelector<HTMLElement>(`[data-field=${lacking}] :is(input, textarea)`)?.focus()
  }
  useKeys(t('rules.one'), [{ keys: 'Mod+Enter', label: t('console.save'), inFields: true, inLine: true, run: submit }])
  const set = (change: Partial<Draft>) => setEdited((before) => ({ ...before, draft: changed(before.draft, change) }))
  const discard = () => {
    setEdited(unchanged(rule))
    setIsOutdated(false)
    setIsIncomplete(false)
    save.setFailure(null)
  }

  const { failure } = save
  const lacking = isIncomplete ? missing(draft) : null
  const said = (path: string) => {
    const error = errorAt(failure, path)
    return error && fieldText(t, error)
  }
  const beside = ['/name', '/applies_to', '/action', '/public_text', '/scope', '/match']
  return (
    <article className={detailStyles.item} aria-label={t('rules.one')}>
      <header className={detailStyles.head}>
        {back}
        <h1 ref={heading} tabIndex={-1}>
          {rule === null ? t('rules.newTitle') : rule.name}
        </h1>
        {isDirty && rule !== null && <Badge tone="notice">{t('rules.unsaved')}</Badge>}
        {rule !== null && (
          <span className={detailStyles.end}>
            <span aria-hidden className={styles.quiet}>
              {t(rule.on ? 'rules.isOn' : 'rules.isOff')}
            </span>
            <OnOff label={t('rules.on')} checked={rule.on} onChange={(on) => void onTurn(rule, on)} />
          </span>
        )}
      </header>
      <div className={detailStyles.columns}>
        <div className={detailStyles.main}>
          <form
            ref={form}
            className={styles.form}
            noValidate
            onSubmit={(event) => {
              event.preventDefault()
              submit()
            }}
          >
            <div data-field="name" className={styles.line}>
              <Field
                label={t('rules.name')}
                autoComplete="off"
                value={draft.name}
                error={lacking === 'name' ? t('console.needed') : (excessText(t, draft.name, 80) ?? said('/name'))}
                onChange={(event) => set({ name: event.target.value })}
              />
            </div>
            <div className={styles.group}>
              <h2>{t('rules.finds')}</h2>
              <Choice
                label={t('rules.finds')}
                value={draft.kind}
                onChange={(kind) => set({ kind })}
                options={kinds.map((value) => ({ value, label: t(`rules.kind.${value}`) }))}
              />
              <MatchFields draft={draft} set={set} failure={failure} lacking={lacking} />
            </div>
            <div data-field="subjects">
              <Checks
                label={t('rules.appliesTo')}
                options={subjectsFor(draft.kind).map((value) => ({ value, label: t(`rules.subject.${value}`) }))}
                values={draft.subjects}
                error={lacking === 'subjects' ? t('rules.needsSubject') : said('/applies_to')}
                onChange={(subjects) => set({ subjects })}
              />
            </div>
            <div className={styles.group}>
              <h2>{t('rules.does')}</h2>
              <Choice
                label={t('rules.does')}
                value={draft.action}
                onChange={(action) => set({ action })}
                options={actionsFor(draft.subjects).map((value) => ({ value, label: t(`rules.action.${value}`) }))}
              />
              <p className={styles.hint}>{t(`rules.effect.${draft.action}`)}</p>
              {said('/action') && (
                <p className={styles.error} role="alert">
                  {said('/action')}
                </p>
              )}
              {showsPublicText(draft.action) && (
                <TextArea
                  label={t(draft.action === 'note' ? 'rules.caution' : 'rules.refusal')}
                  hint={t('rules.publicHint')}
                  rows={2}
                  value={draft.publicText}
                  error={excessText(t, draft.publicText, 300) ?? said('/public_text')}
                  onChange={(event) => set({ publicText: event.target.value })}
                />
              )}
            </div>
            <div className={styles.group}>
              <h2>{t('rules.scope')}</h2>
              <div className={styles.short}>
                <Field
                  label={t('rules.younger')}
                  hint={t('rules.youngerHint')}
                  inputMode="numeric"
                  maxLength={5}
                  value={draft.youngerThan}
                  error={said('/scope')}
                  onChange={(event) => set({ youngerThan: event.target.value.replaceAll(/\D/g, '') })}
                />
              </div>
              <div className={styles.check}>
                <Checkbox checked={draft.unverified} onChange={(unverified) => set({ unverified })}>
                  {t('rules.onlyUnverified')}
                </Checkbox>
              </div>
            </div>
            {rule === null && (
              <div className={styles.check}>
                <Checkbox checked={draft.on} onChange={(on) => set({ on })}>
                  {t('rules.onAtOnce')}
                </Checkbox>
              </div>
            )}
            <FailureText failure={failureBeside(failure, beside)} />
            {isOutdated && (
              <p className={styles.error} role="alert">
                {t('rules.outdated')}
              </p>
            )}
            <div className={styles.buttons}>
              <Button type="submit" look="primary" busy={save.busy}>
                {t('console.save')} <Keys keys="Mod+Enter" />
              </Button>
              {isDirty && (
                <Button look="quiet" onClick={discard}>
                  {t('rules.discard')}
                </Button>
              )}
            </div>
          </form>
        </div>
        <div className={detailStyles.side}>
          <Section title={t('rules.try.title')}>
            <Trial field={trial} subject={draft.subjects[0] ?? 'message'} of={rule?.id ?? null} />
            {isDirty && <p className={styles.hint}>{t('rules.try.saved')}</p>}
          </Section>
          {rule !== null && (
            <Section title={t('rules.delete')}>
              <p className={styles.hint}>{t('rules.deleteHint')}</p>
              <div>
                <AskFirst
                  label={t('rules.delete')}
                  question={t('rules.deleteAsk', { name: rule.name })}
                  busy={remove.busy}
                  onConfirm={remove.run}
                />
              </div>
              <FailureText failure={remove.failure} />
            </Section>
          )}
        </div>
      </div>
    </article>
  )
}

type MatchProps = {
  draft: Draft
  set: (change: Partial<Draft>) => void
  failure: Failure | null
  lacking: ReturnType<typeof missing>
}

/** The fields of one kind of match. */
function MatchFields({ draft, set, failure, lacking }: MatchProps) {
  const { t } = useLanguage()
  const error = errorAt(failure, '/match')
  const said = error && fieldText(t, error)
  const digits = (text: string) => text.replaceAll(/\D/g, '')
  /** For a list, the path of the server's error contains the index of the entry. */
  const saidOfEntry = (entries: readonly string[]) => {
    const entry = entries[Number(/^\/match\/\w+\/(\d+)/.exec(error?.path ?? '')?.[1])]
    return error && entry !== undefined ? t('rules.refusedEntry', { entry, why: fieldText(t, error) }) : said
  }
  switch (draft.kind) {
    case 'words': {
      const words = linesOf(draft.words)
      return (
        <div data-field="words">
          <TextArea
            label={t('rules.words')}
            hint={`${t('rules.wordsHint')} ${t('rules.finds.words', { count: words.length })}.`}
            rows={6}
            autoCapitalize="none"
            spellCheck={false}
            value={draft.words}
            error={lacking === 'words' ? t('console.needed') : saidOfEntry(words)}
            onChange={(event) => set({ words: event.target.value })}
          />
        </div>
      )
    }
    case 'pattern':
      return (
        <div data-field="pattern" className={styles.pattern}>
          <Field
            label={t('rules.pattern')}
            hint={t('rules.patternHint')}
            maxLength={1000}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={draft.pattern}
            error={lacking === 'pattern' ? t('console.needed') : error && patternText(t, error)}
            onChange={(event) => set({ pattern: event.target.value })}
          />
          {error && <PatternError pattern={draft.pattern} message={error.message} />}
        </div>
      )
    case 'link': {
      const domains = linesOf(draft.domains)
      return (
        <TextArea
          label={t('rules.domains')}
          hint={t('rules.domainsHint')}
          rows={4}
          autoCapitalize="none"
          spellCheck={false}
          placeholder="example.com"
          value={draft.domains}
          error={saidOfEntry(domains)}
          onChange={(event) => set({ domains: event.target.value })}
        />
      )
    }
    case 'contact':
      return (
        <Checks
          label={t('rules.contacts')}
          hint={t('rules.contactsHint')}
          error={said}
          options={contacts.map((value) => ({ value, label: t(`rules.contact.${value}`) }))}
          values={draft.contacts}
          onChange={(contacts) => set({ contacts })}
        />
      )
    case 'repeated':
      return (
        <>
          <p className={styles.hint}>{t('rules.repeatedHint')}</p>
          <div className={styles.pair}>
            <div data-field="people">
              <Field
                label={t('rules.people')}
                hint={t('rules.range', { from: 2, to: 100 })}
                inputMode="numeric"
                maxLength={3}
                value={draft.people}
                error={lacking === 'people' ? t('console.needed') : said}
                onChange={(event) => set({ people: digits(event.target.value) })}
              />
            </div>
            <div data-field="hours">
              <Field
                label={t('rules.hours')}
                hint={t('rules.range', { from: 1, to: 168 })}
                inputMode="numeric"
                maxLength={3}
                value={draft.hours}
                error={lacking === 'hours' ? t('console.needed') : null}
                onChange={(event) => set({ hours: digits(event.target.value) })}
              />
            </div>
          </div>
        </>
      )
    case 'image':
      return (
        <div className={styles.short}>
          <Field
            label={t('images.distance')}
            hint={t('rules.distanceHint')}
            inputMode="numeric"
            maxLength={2}
            value={draft.distance}
            error={said}
            onChange={(event) => set({ distance: digits(event.target.value) })}
          />
        </div>
      )
  }
}

/** What is wrong with a pattern. As with a compiler, its words are those of the engine, which are in no other language. */
function patternText(t: T, error: FieldError): string {
  if (error.path !== '/match/pattern' || error.code !== 'format') return fieldText(t, error)
  return t('rules.field.pattern', { why: error.message.replace(/^Expected RE2 syntax(, at character \d+)?: /, '') })
}

/** The pattern, with the position of the server's error marked. */
function PatternError({ pattern, message }: { pattern: string; message: string }) {
  const { t } = useLanguage()
  const at = Number(/at character (\d+)/.exec(message)?.[1]) - 1
  if (!(at >= 0)) return null
  // An incomplete pattern is wrong after its last character.
  const wrong = pattern.slice(at, at + 1) || ' '
  return (
    <p className={styles.place}>
      <span className="unseen">{t('rules.place', { at: at + 1 })}</span>
      <code aria-hidden>
        {pattern.slice(0, at)}
        <mark>{wrong}</mark>
        {pattern.slice(at + 1)}
      </code>
    </p>
  )
}
