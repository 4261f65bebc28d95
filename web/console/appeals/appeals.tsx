import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Gavel } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { Link, useLocation, useParams, useSearch } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { TextArea } from '../../shared/ui/field.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { keptDrafts } from '../../shared/kept-drafts.ts'
import { useDraft } from '../drafts.ts'
import { Keys, useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import decisionStyles from '../queue/decision.module.css'
import { excessText, failureText, outcomeOf, useAction, useList, useRefresh } from '../requests.ts'
import detailStyles from '../ui/detail.module.css'
import listStyles from '../ui/list.module.css'
import { Choice } from '../ui/choice.tsx'
import { BackToList, NoDetail, NothingChosen } from '../ui/detail.tsx'
import { FailureText } from '../ui/failure.tsx'
import { Empty } from '../ui/loaded.tsx'
import { Badge, Bar, Facts, Section } from '../ui/page.tsx'
import { instants, type Period, periodOf } from '../ui/period.tsx'
import { focusRow, Split } from '../ui/split.tsx'
import { Listed } from '../ui/table.tsx'
import { Ago, At, durationOf } from '../ui/time.tsx'

type Appeal = components['schemas']['QueuedAppeal']
const pageSize = 30
const statuses = ['open', 'upheld', 'rejected', 'any'] as const
/** Whether this moderator can decide it. During an upgrade, a node of the previous release does not say so. */
const isDecidable = ({ status, may_resolve }: Appeal) => status === 'open' && may_resolve !== false
type Shown = { status: (typeof statuses)[number]; period: Period | null }

function addressOf({ status, period }: Shown, id?: string): string {
  const search = new URLSearchParams({ ...(status !== 'open' && { status }), ...period })
  return `/appeals${id === undefined ? '' : `/${id}`}${search.size === 0 ? '' : `?${search}`}`
}

export default function Appeals() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const [, navigate] = useLocation()
  const { id } = useParams()
  const search = new URLSearchParams(useSearch())
  const status = statuses.find((each) => each === search.get('status')) ?? 'open'
  const period = periodOf(search)
  const shown = { status, period }
  const list = useList<Appeal>((cursor) => {
    const query = {
      limit: pageSize,
      ...(status !== 'any' && { status }),
      ...(period && instants(period)),
      ...(cursor !== undefined && { cursor }),
    }
    return api.GET('/api/v1/admin/appeals', { params: { query } })
  }, JSON.stringify(shown))
  const { items, change, failure, reload, hasMore, loading, loadMore } = list
  useRefresh(list)
  // Only the list shows appeals, so read on until it has the opened one. It stays open while the list is read again, also if
  // somebody else decides it meanwhile: the answer to this moderator's decision says so.
  const latest = useRef<Appeal | null>(null)
  const found = items?.find((appeal) => appeal.id === id)
  if (found) latest.current = found
  const isSought = id !== undefined && !found && (items === null || hasMore)
  const opened = found ?? (latest.current?.id === id ? latest.current : undefined)
  useEffect(() => {
    if (isSought && hasMore && !loading && failure === null) void loadMore()
  }, [isSought, hasMore, loading, failure, loadMore])

  /** Continues with the next appeal in the list. */
  const onDecided = (decided: string, outcome: string, andNext: boolean) => {
    const at = items?.findIndex((each) => each.id === decided) ?? -1
    const rest = items?.filter((each) => each.id !== decided) ?? []
    change((before) => before.filter((each) => each.id !== decided))
    void reload()
    toast(outcome)
    const following =
      andNext && at >= 0 ? (rest.slice(at).find(isDecidable) ?? rest.slice(0, at).findLast(isDecidable)) : undefined
    navigate(addressOf(shown, following?.id))
  }

  useKeys(t('appeals.title'), [
    { keys: 'j', label: t('queue.down'), inLine: true, repeats: true, run: () => focusRow(1) },
    { keys: 'k', label: t('queue.up'), inLine: true, repeats: true, run: () => focusRow(-1) },
    {
      keys: 'n',
      label: t('queue.next'),
      inLine: true,
      run: () => {
        const first = items?.find((appeal) => appeal.id !== id && (appeal.status !== 'open' || isDecidable(appeal)))
        if (first) navigate(addressOf(shown, first.id))
        else toast(t('queue.nothingNext'))
      },
    },
    ...(id === undefined ? [] : [{ keys: 'Escape', label: t('queue.back'), run: () => navigate(addressOf(shown)) }]),
  ])
  const back = <BackToList href={addressOf(shown)} />
  return (
    <Split
      isOpen={id !== undefined}
      list={
        <>
          <Bar title={t('appeals.title')} />
          <div className={listStyles.filters}>
            <Choice
              label={t('queue.status')}
              value={status}
              onChange={(chosen) => navigate(addressOf({ ...shown, status: chosen }))}
              options={statuses.map((value) => ({ value, label: t(`appeals.status.${value}`) }))}
            />
            {period && (
              <Button look="quiet" onClick={() => navigate(addressOf({ ...shown, period: null }))}>
                {t('appeals.period', period)}
              </Button>
            )}
          </div>
          <div className={listStyles.rows}>
            <Listed list={list} empty={<Empty title={t(status === 'open' ? 'queue.empty' : 'queue.emptyResolved')} />}>
              {(appeals) => (
                <ul>
                  {appeals.map((appeal) => (
                    <li key={appeal.id}>
                      <Row appeal={appeal} href={addressOf(shown, appeal.id)} isHere={appeal.id === id} />
                    </li>
                  ))}
                </ul>
              )}
            </Listed>
          </div>
        </>
      }
      detail={
        id === undefined ? (
          <NothingChosen icon={Gavel}>{t('appeals.choose')}</NothingChosen>
        ) : opened ? (
          <Opened key={id} appeal={opened} back={back} onDecided={onDecided} />
        ) : (
          <NoDetail
            title={t('appeals.one')}
            back={back}
            missing={
              items !== null &&
              !isSought && (
                <Empty title={t('appeals.gone')}>
                  <Link href={addressOf(shown)}>{t('queue.back')}</Link>
                </Empty>
              )
            }
            failure={failure}
            reload={reload}
          />
        )
      }
    />
  )
}

function Row({ appeal, href, isHere }: { appeal: Appeal; href: string; isHere: boolean }) {
  const { t, language } = useLanguage()
  const { notice, text, waiting_s, status } = appeal
  return (
    <Link href={href} className={listStyles.row} data-row aria-current={isHere ? 'true' : undefined}>
      <span className={listStyles.first}>
        <b>{t(`people.notice.${notice.action}`)}</b>
        {status === 'open' && (
          <span className={listStyles.due}>{t('queue.waited', { time: durationOf(language, waiting_s) })}</span>
        )}
      </span>
      <span className={listStyles.second}>
        <span className={listStyles.excerpt} dir="auto">
          {text}
        </span>
      </span>
    </Link>
  )
}

type OpenedProps = {
  appeal: Appeal
  back: ReactNode
  /** Called after this moderator or somebody else has decided the appeal. `outcome` says what became of it. */
  onDecided: (id: string, outcome: string, andNext: boolean) => void
}

function Opened({ appeal, back, onDecided }: OpenedProps) {
  const { t } = useLanguage()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { notice, user_id, text, status, created_at, note, resolved_at } = appeal
  return (
    <article className={detailStyles.item} aria-label={t('appeals.one')}>
      <header className={detailStyles.head}>
        {back}
        <h1 ref={heading} tabIndex={-1}>
          {t('appeals.against', { decision: t(`people.notice.${notice.action}`) })}
        </h1>
        {status !== 'open' && <Badge tone="good">{t(`appeals.status.${status}`)}</Badge>}
      </header>
      <div className={detailStyles.columns}>
        <div className={detailStyles.main}>
          <Section title={t('appeals.text')}>
            <blockquote className={detailStyles.quote} dir="auto">
              {text}
            </blockquote>
            <Facts
              facts={[
                [t('queue.filedAt'), <Ago key="at" at={created_at} />],
                [
                  t('queue.filedBy'),
                  user_id === null ? (
                    t('appeals.byAuthor')
                  ) : (
                    <Link href={`/people/${user_id}`}>{t('appeals.person')}</Link>
                  ),
                ],
              ]}
            />
          </Section>
          <Section title={t('appeals.decision')}>
            <Facts
              facts={[
                [t('queue.decision'), t(`people.notice.${notice.action}`)],
                [t('appeals.reason'), notice.reason],
                [t('appeals.remark'), notice.note],
                [t('queue.until'), notice.until && <At at={notice.until} />],
                [t('queue.decidedAt'), <Ago key="at" at={notice.created_at} />],
                [
                  t('queue.report'),
                  notice.report_id && <Link href={`/queue/${notice.report_id}`}>{t('appeals.evidence')}</Link>,
                ],
              ]}
            />
          </Section>
        </div>
        <div className={detailStyles.side}>
          {status === 'open' && !isDecidable(appeal) ? (
            <Section title={t('decision.title')}>
              <p>{t('appeals.forOthers')}</p>
            </Section>
          ) : status === 'open' ? (
            <Decision appeal={appeal} onDecided={onDecided} />
          ) : (
            <Section title={t('queue.outcome')}>
              <Facts
                facts={[
                  [t('queue.decision'), t(`appeals.status.${status}`)],
                  [t('queue.note'), note],
                  [t('queue.decidedAt'), resolved_at && <Ago at={resolved_at} />],
                ]}
              />
            </Section>
          )}
        </div>
      </div>
    </article>
  )
}

const decisions = [
  { decision: 'uphold', key: 'u' },
  { decision: 'reject', key: 'r' },
] as const

type Draft = { decision: (typeof decisions)[number]['decision'] | null; note: string }
const blank: Draft = { decision: null, note: '' }
const drafts = keptDrafts<Draft>('appeals')

function Decision({ appeal, onDecided }: Pick<OpenedProps, 'appeal' | 'onDecided'>) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const name = useId()
  const form = useRef<HTMLFormElement>(null)
  const [{ decision, note }, change] = useDraft(drafts, appeal.id, blank)
  const excess = excessText(t, note, 2000)
  const isReady = decision !== null && note.trim() !== '' && excess === null
  const decide = useAction(async (andNext: boolean) => {
    if (decision === null) return null
    const { data, failure } = await outcomeOf(
      api.POST('/api/v1/admin/appeals/{id}/resolve', {
        params: { path: { id: appeal.id } },
        body: { decision, note: note.trim() },
      }),
    )
    if (failure) {
      if (failure === 'offline' || (failure.code !== 'conflict' && failure.code !== 'not_found')) return failure
      onDecided(appeal.id, failure.code === 'conflict' ? t('appeals.decided') : failureText(t, failure), andNext)
      return null
    }
    onDecided(data.id, t(`appeals.done.${data.status}`), andNext)
    return null
  })
  const submit = (andNext: boolean) => {
    if (isReady) void decide.run(andNext)
    else form.current?.querySelector<HTMLElement>(decision === null ? 'input' : 'textarea')?.focus()
  }
  const focusWords = useRef(false)
  useEffect(() => {
    if (!focusWords.current) return
    focusWords.current = false
    form.current?.querySelector('textarea')?.focus()
  })
  useKeys(t('decision.title'), [
    ...decisions.map(({ decision: each, key }) => ({
      keys: key,
      label: t(`appeals.decide.${each}`),
      inLine: true,
      run: () => {
        focusWords.current = true
        change({ decision: each })
      },
    })),
    { keys: 'Mod+Enter', label: t('decision.andNext'), inFields: true, inLine: true, run: () => submit(true) },
  ])
  return (
    <form
      ref={form}
      className={decisionStyles.decision}
      aria-label={t('decision.title')}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        submit(false)
      }}
    >
      <fieldset className={decisionStyles.actions}>
        <legend>{t('decision.title')}</legend>
        {decisions.map(({ decision: each, key }) => (
          <label key={each}>
            <input type="radio" name={name} checked={decision === each} onChange={() => change({ decision: each })} />
            <span>
              {t(`appeals.decide.${each}`)}
              <Keys keys={key} />
            </span>
          </label>
        ))}
      </fieldset>
      {decision !== null && (
        <TextArea
          label={t('decision.reason')}
          hint={t(`appeals.hint.${decision}`)}
          value={note}
          error={excess}
          onChange={(event) => change({ note: event.target.value })}
        />
      )}
      <FailureText failure={decide.failure} />
      <div className={decisionStyles.submit}>
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
