import { useConvene } from 'convene-client/react'
import { Inbox } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Link, useLocation, useParams, useSearch } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import { outcomeOf, useAction, useList, useRefresh } from '../requests.ts'
import { useStaff } from '../staff.tsx'
import listStyles from '../ui/list.module.css'
import { Choice, Filter } from '../ui/choice.tsx'
import { BackToList, NothingChosen } from '../ui/detail.tsx'
import { FailureText } from '../ui/failure.tsx'
import { Empty } from '../ui/loaded.tsx'
import { Bar } from '../ui/page.tsx'
import { focusRow, Split } from '../ui/split.tsx'
import { Listed } from '../ui/table.tsx'
import { durationOf, useNow } from '../ui/time.tsx'
import { ReportView } from './report.tsx'
import {
  actionText,
  addressOf,
  type Counts,
  kinds,
  kindText,
  narrowedBy,
  type QueuedReport,
  queryOf,
  reasons,
  reasonText,
  type Report,
  type Shown,
  shownOf,
  statuses,
} from './reports.ts'
import styles from './queue.module.css'
import { useUndo } from './undo-bar.tsx'

const pageSize = 50

export default function Queue() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const [, navigate] = useLocation()
  const { id } = useParams()
  const search = useSearch()
  const shown = useMemo(() => shownOf(new URLSearchParams(search)), [search])
  const [counts, setCounts] = useState<Counts | null>(null)
  const { offer, undone } = useUndo()
  /** The report that the server has just returned. Reading it again would add an entry to the audit log. */
  const known = useRef<Report | null>(null)
  // Somebody who comes back to it reads its state of then.
  useEffect(() => {
    if (known.current?.id !== id) known.current = null
  }, [id])

  const list = useList<QueuedReport>(async (cursor) => {
    const query = { ...queryOf(shown), limit: pageSize, ...(cursor !== undefined && { cursor }) }
    const answer = await api.GET('/api/v1/admin/reports', { params: { query } })
    if (answer.data) setCounts(answer.data.counts)
    return answer
  }, JSON.stringify(shown))
  const { change, reload: refresh } = list
  useRefresh(list)

  // A claim is shown without reading all loaded pages again.
  const onClaimed = useCallback(
    ({ id, claimed_by, claimed_until }: Report) =>
      change((items) => items.map((item) => (item.id === id ? { ...item, claimed_by, claimed_until } : item))),
    [change],
  )

  const next = useAction(async () => {
    const { data, failure } = await outcomeOf(
      api.POST('/api/v1/admin/reports/next', { body: shown.kind ? { kind: shown.kind } : {} }),
    )
    if (failure) return failure
    void refresh()
    // 204 has no body.
    if (!data) {
      toast(t('queue.nothingNext'))
      navigate(addressOf(shown))
      return null
    }
    known.current = data
    onClaimed(data)
    navigate(addressOf(shown, data.id))
    return null
  })

  /** The report that is open; none once this screen is gone. */
  const opened = useRef(id)
  useEffect(() => {
    opened.current = id
    return () => void (opened.current = undefined)
  }, [id])
  const onDecided = useCallback(
    (report: Report, andNext: boolean) => {
      offer(report, addressOf(shown, report.id))
      // The report stays in the list of open ones until its decision takes effect.
      const { status, pending, resolution } = report
      change((items) => items.map((item) => (item.id === report.id ? { ...item, status, pending, resolution } : item)))
      // Whoever has opened something else meanwhile stays there.
      const isOpen = opened.current === report.id
      if (isOpen && andNext) void next.run()
      else {
        void refresh()
        if (isOpen) navigate(addressOf(shown))
      }
    },
    [offer, change, next, refresh, navigate, shown],
  )

  // A report whose decision has been taken back is in the list again.
  const seen = useRef(undone)
  useEffect(() => {
    if (seen.current === undone) return
    seen.current = undone
    known.current = null
    void refresh()
  }, [undone, refresh])

  useKeys(t('queue.title'), [
    { keys: 'n', label: t('queue.next'), inLine: true, run: () => void next.run() },
    { keys: 'j', label: t('queue.down'), inLine: true, repeats: true, run: () => focusRow(1) },
    { keys: 'k', label: t('queue.up'), inLine: true, repeats: true, run: () => focusRow(-1) },
    ...(id === undefined ? [] : [{ keys: 'Escape', label: t('queue.back'), run: () => navigate(addressOf(shown)) }]),
  ])

  const set = (changed: Partial<Shown>) => navigate(addressOf({ ...shown, ...changed }))
  return (
    <>
      <Split
        isOpen={id !== undefined}
        list={
          <>
            <Bar
              title={t('queue.title')}
              beside={counts && <Totals counts={counts} />}
              actions={
                <Button look="primary" busy={next.busy} onClick={next.run}>
                  {t('queue.next')}
                </Button>
              }
            />
            <div className={listStyles.filters}>
              <Choice
                label={t('queue.status')}
                value={shown.status}
                onChange={(status) => set({ status })}
                options={statuses.map((value) => ({
                  value,
                  label: t(`queue.status.${value}`),
                  count: value === 'open' ? counts?.open : null,
                }))}
              />
              <Filter
                label={t('queue.kind')}
                value={shown.kind}
                onChange={(kind) => set({ kind })}
                options={[
                  { value: '', label: t('queue.kind.any') },
                  ...kinds.map((value) => ({
                    value,
                    label: counts ? `${kindText(t, value)} · ${counts.by_kind[value] ?? 0}` : kindText(t, value),
                  })),
                ]}
              />
              <Filter
                label={t('queue.reason')}
                value={shown.reason}
                onChange={(reason) => set({ reason })}
                options={[
                  { value: '', label: t('queue.reason.any') },
                  ...reasons.map((value) => ({ value, label: reasonText(t, value) })),
                ]}
              />
              {narrowedBy(t, shown).map(({ without, text }) => (
                <Button key={text} look="quiet" onClick={() => set(without)}>
                  {text}
                </Button>
              ))}
            </div>
            <FailureText failure={next.failure} />
            <div className={listStyles.rows}>
              <Listed
                list={list}
                empty={
                  <Empty title={t(shown.status === 'open' ? 'queue.empty' : 'queue.emptyResolved')}>
                    {shown.status === 'open' && t('queue.emptyHint')}
                  </Empty>
                }
              >
                {(items) => (
                  <ul>
                    {items.map((report) => (
                      <li key={report.id}>
                        <Row report={report} href={addressOf(shown, report.id)} isHere={report.id === id} />
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
            <NothingChosen icon={Inbox}>{t('queue.choose')}</NothingChosen>
          ) : (
            <ReportView
              key={id}
              id={id}
              known={known.current?.id === id ? known.current : null}
              back={<BackToList href={addressOf(shown)} />}
              onDecided={onDecided}
              onClaimed={onClaimed}
              onStale={() => void refresh()}
            />
          )
        }
      />
    </>
  )
}

function Totals({ counts: { overdue } }: { counts: Counts }) {
  const { t } = useLanguage()
  return overdue === 0 ? null : (
    <Link href={addressOf({ overdue: 'true' })} className={styles.overdue}>
      {t('queue.overdue', { count: overdue })}
    </Link>
  )
}

function Row({ report, href, isHere }: { report: QueuedReport; href: string; isHere: boolean }) {
  const { t, language } = useLanguage()
  const { id } = useStaff()
  const { kind, reason, details, due_at, waiting_s, claimed_by, resolution, pending } = report
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isHere) link.current?.scrollIntoView({ block: 'nearest' })
  }, [isHere])
  const decision = pending ?? resolution
  return (
    <Link ref={link} href={href} className={listStyles.row} data-row aria-current={isHere ? 'true' : undefined}>
      <span className={listStyles.first}>
        <b>{reasonText(t, reason)}</b>
        {decision ? <span className={listStyles.outcome}>{actionText(t, decision.action)}</span> : <Due at={due_at} />}
      </span>
      <span className={listStyles.second}>
        <span className={listStyles.excerpt}>
          {kindText(t, kind)}
          {details && (
            <>
              {' · '}
              <bdi>{details}</bdi>
            </>
          )}
        </span>
        <span>
          {claimed_by === null
            ? t('queue.waited', { time: durationOf(language, waiting_s) })
            : t(claimed_by === id ? 'queue.yours' : 'queue.taken')}
        </span>
      </span>
    </Link>
  )
}

/** The time left until a report is due. */
export function Due({ at }: { at: string }) {
  const { t, language } = useLanguage()
  const now = useNow()
  const left = (Date.parse(at) - now) / 1000
  const time = durationOf(language, Math.abs(left))
  if (left < 0) return <span className={listStyles.late}>{t('queue.late', { time })}</span>
  return <span className={left < 3600 * 2 ? listStyles.soon : listStyles.due}>{t('queue.due', { time })}</span>
}
