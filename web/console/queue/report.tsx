import { useConvene } from 'convene-client/react'
import { Undo2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { serverNow } from '../../shared/clock.ts'
import { Keys, useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import { Summary } from '../people/summary.tsx'
import { outcomeOf, useAction, useLastFailure, useResource } from '../requests.ts'
import { useStaff } from '../staff.tsx'
import detailStyles from '../ui/detail.module.css'
import { NoDetail } from '../ui/detail.tsx'
import { FailureText } from '../ui/failure.tsx'
import { focusHeading } from '../ui/focus.ts'
import { Badge, Facts, Section } from '../ui/page.tsx'
import { Ago, At } from '../ui/time.tsx'
import { Decision } from './decision.tsx'
import { EvidenceView } from './evidence.tsx'
import { Due } from './queue.tsx'
import { actionText, kindText, type Pending, reasonText, type Report } from './reports.ts'
import styles from './queue.module.css'

type Props = {
  id: string
  /** The report, if the server has just returned it. */
  known: Report | null
  back: ReactNode
  onDecided: (report: Report, andNext: boolean) => void
  /** Called after the moderator has claimed the report or given up the claim. */
  onClaimed: (report: Report) => void
  /** Called if the list shows an older state of the report. */
  onStale: () => void
}

export function ReportView({ id, known, back, onDecided, onClaimed, onStale }: Props) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const first = useRef(known)
  const report = useResource(() => {
    const shown = first.current
    first.current = null
    if (shown) return Promise.resolve({ data: shown, response: new Response() })
    return api.GET('/api/v1/admin/reports/{id}', { params: { path: { id } } })
  })
  const { data, failure, reload } = report
  if (data !== null)
    return (
      <Opened
        report={data}
        back={back}
        onDecided={onDecided}
        onClaimed={onClaimed}
        onStale={onStale}
        onChange={report.set}
        reload={reload}
      />
    )
  return <NoDetail title={t('queue.report')} back={back} failure={failure} reload={reload} />
}

// A claim lasts 15 minutes, and is renewed while somebody uses the opened report. At most once a minute.
const renewBeforeEndMs = 2 * 60_000
const renewEveryMs = 60_000
// The server needs a moment to carry a decision out.
const showAfterMs = 2000
const longestPauseMs = 30_000
// A renewal waits, so that it does not race with what the key does that it follows, such as giving up the claim.
const renewAfterMs = 2000
const uses = ['keydown', 'pointerdown', 'wheel'] as const

type OpenedProps = Omit<Props, 'id' | 'known'> & {
  report: Report
  onChange: (report: Report) => void
  reload: () => Promise<unknown>
}

function Opened({ report, back, onDecided, onClaimed, onStale, onChange, reload }: OpenedProps) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const { id: own } = useStaff()
  const heading = useRef<HTMLHeadingElement>(null)
  const { id, kind, reason, status, claimed_by, claimed_until, subject_id, due_at, details, created_at } = report
  const isMine = claimed_by === own
  const params = { path: { id } }

  // Each failure is shown beside its buttons, but only the latest one: both may have the same reason.
  const claimFailed = useLastFailure()
  const decisionFailed = useLastFailure()
  const claim = useAction(async () => {
    decisionFailed[1](null)
    const { data, failure } = await outcomeOf(api.POST('/api/v1/admin/reports/{id}/claim', { params }))
    if (failure) {
      if (failure !== 'offline' && (failure.code === 'claimed' || failure.code === 'conflict')) {
        onStale()
        void reload()
      }
      return failure
    }
    onChange(data)
    onClaimed(data)
    return null
  }, claimFailed)
  const cancelRenewal = useRef(() => {})
  const release = useAction(async () => {
    cancelRenewal.current()
    decisionFailed[1](null)
    const { failure } = await outcomeOf(api.DELETE('/api/v1/admin/reports/{id}/claim', { params }))
    if (failure) return failure
    const released = { ...report, claimed_by: null, claimed_until: null }
    onChange(released)
    onClaimed(released)
    return null
  }, claimFailed)
  const [undone, setUndone] = useState<Pending | null>(null)
  const undo = useAction(async () => {
    const { failure } = await outcomeOf(api.DELETE('/api/v1/admin/reports/{id}/resolve', { params }))
    if (failure && (failure === 'offline' || failure.code !== 'conflict')) return failure
    if (!failure) setUndone(report.pending)
    onStale()
    await reload()
    return failure
  })
  const isOpen = status === 'open' && report.pending === null
  const takesEffectAt = report.pending?.takes_effect_at ?? null
  // The server takes no decision back after that.
  const canUndo =
    report.pending?.decided_by === own && takesEffectAt !== null && Date.parse(takesEffectAt) > serverNow()
  const [, setEndedAt] = useState<string | null>(null)
  const again = useRef(() => {})
  again.current = () => {
    onStale()
    void reload()
  }
  useEffect(() => {
    if (takesEffectAt === null) return
    const left = Math.max(Date.parse(takesEffectAt) - serverNow(), 0)
    const end = setTimeout(() => setEndedAt(takesEffectAt), left)
    // Again and again, as a busy server carries it out later.
    let shown = setTimeout(() => show(showAfterMs), left + showAfterMs)
    const show = (pauseMs: number) => {
      again.current()
      shown = setTimeout(() => show(Math.min(2 * pauseMs, longestPauseMs)), pauseMs)
    }
    return () => {
      clearTimeout(end)
      clearTimeout(shown)
    }
  }, [takesEffectAt])
  useEffect(() => focusHeading(), [canUndo])
  const canClaim = isOpen && claimed_by === null
  const canRelease = isOpen && isMine
  useKeys(t('queue.report'), [
    ...(canClaim ? [{ keys: 'c', label: t('queue.claim'), run: () => void claim.run() }] : []),
    ...(canUndo ? [{ keys: 'z', label: t('queue.undo'), inLine: true, run: () => void undo.run() }] : []),
    ...(canRelease ? [{ keys: 'x', label: t('queue.release'), run: () => void release.run() }] : []),
  ])

  const isDecidable = isOpen && (claimed_by === null || isMine)
  const decisionFailure = decisionFailed[0]
  // A moderator whose own decision is stored, but whose answer was lost, is refused too.
  const isOvertaken =
    !isDecidable &&
    decisionFailure !== null &&
    decisionFailure !== 'offline' &&
    (decisionFailure.code === 'claimed' || decisionFailure.code === 'conflict') &&
    (report.pending?.decided_by ?? report.resolution?.resolved_by) !== own

  // Screen readers begin at the heading of the opened report.
  useEffect(() => heading.current?.focus(), [])
  // The focus was in the form of the decision, which is gone.
  useEffect(() => {
    if (isOvertaken && document.activeElement === document.body) heading.current?.focus()
  }, [isOvertaken])
  const renew = claim.run
  // Whether somebody has used the console since the last renewal. Opening the report was a use.
  const isUsed = useRef(true)
  useEffect(() => {
    if (!isMine || !isOpen || claimed_until === null) return
    let isDue = false
    let waiting: ReturnType<typeof setTimeout> | null = null
    // Otherwise a report that was left open would be kept from the others for ever. Whoever comes back claims it soon: if
    // somebody else has it by then, the report shows that.
    const renewIfUsed = () => {
      if (!isDue || !isUsed.current) return
      waiting ??= setTimeout(() => {
        waiting = null
        // After a failure, the next use tries again. After a success, the claim has another end.
        isUsed.current = false
        void renew()
      }, renewAfterMs)
    }
    const cancel = () => {
      if (waiting !== null) clearTimeout(waiting)
      waiting = null
    }
    cancelRenewal.current = cancel
    const onUse = () => {
      isUsed.current = true
      renewIfUsed()
    }
    const timer = setTimeout(
      () => {
        isDue = true
        renewIfUsed()
      },
      Math.max(Date.parse(claimed_until) - serverNow() - renewBeforeEndMs, renewEveryMs),
    )
    const listening = { capture: true, passive: true }
    for (const use of uses) addEventListener(use, onUse, listening)
    return () => {
      clearTimeout(timer)
      cancel()
      for (const use of uses) removeEventListener(use, onUse, listening)
    }
  }, [isMine, isOpen, claimed_until, renew])

  return (
    <article className={detailStyles.item} aria-label={t('queue.report')}>
      <header className={detailStyles.head}>
        {back}
        <h1 ref={heading} tabIndex={-1}>
          {reasonText(t, reason)}
        </h1>
        <Badge>{kindText(t, kind)}</Badge>
        {status === 'open' ? <Due at={due_at} /> : <Badge tone="good">{t('queue.status.resolved')}</Badge>}
        <span className={detailStyles.end}>
          {canClaim && (
            <Button busy={claim.busy} onClick={claim.run}>
              {t('queue.claim')}
            </Button>
          )}
          {canRelease && (
            <>
              <Badge tone="accent">{t('queue.yours')}</Badge>
              <Button look="quiet" busy={release.busy} onClick={release.run}>
                {t('queue.release')}
              </Button>
            </>
          )}
          {isOpen && claimed_by !== null && !isMine && <Badge tone="notice">{t('queue.taken')}</Badge>}
        </span>
      </header>
      <FailureText failure={claimFailed[0]} />
      <div className={detailStyles.columns}>
        <div className={detailStyles.main}>
          <Section title={t('queue.filed')}>
            {details && (
              <blockquote className={detailStyles.quote} dir="auto">
                {details}
              </blockquote>
            )}
            <Facts
              facts={[
                [t('queue.filedAt'), <Ago key="at" at={created_at} />],
                [
                  t('queue.filedBy'),
                  report.reporter_id === null ? (
                    t(kind === 'rule' || kind === 'held' ? 'queue.byRule' : 'queue.byErased')
                  ) : (
                    <Link href={`/people/${report.reporter_id}`}>{t('queue.reporter')}</Link>
                  ),
                ],
              ]}
            />
          </Section>
          <EvidenceView report={report} />
        </div>
        <div className={detailStyles.side}>
          {isOvertaken && (
            <p className={styles.overtaken} role="alert">
              {t('queue.overtaken')}
            </p>
          )}
          {report.resolution && <Outcome report={report} />}
          {report.pending && (
            <p className={styles.pending}>
              {t(report.pending.decided_by === own ? 'queue.pending' : 'queue.pendingOfOther')}
            </p>
          )}
          {canUndo && (
            <Button busy={undo.busy} icon={<Undo2 size={14} aria-hidden />} onClick={undo.run}>
              {t('queue.undo')}
              <Keys keys="z" />
            </Button>
          )}
          <FailureText failure={undo.failure} />
          {isDecidable && (
            <Decision
              report={report}
              undone={undone}
              failed={decisionFailed}
              onTry={() => {
                cancelRenewal.current()
                claimFailed[1](null)
              }}
              onDecided={onDecided}
              onTaken={() => {
                onStale()
                void reload()
              }}
            />
          )}
          {subject_id === null ? (
            <p className={styles.pending}>{t('queue.noSubject')}</p>
          ) : (
            <Summary id={subject_id} reportId={id} />
          )}
        </div>
      </div>
    </article>
  )
}

function Outcome({ report: { resolution } }: { report: Report }) {
  const { t } = useLanguage()
  if (!resolution) return null
  return (
    <Section title={t('queue.outcome')}>
      <Facts
        facts={[
          [t('queue.decision'), actionText(t, resolution.action)],
          [t('queue.until'), resolution.until && <At at={resolution.until} />],
          [t('queue.note'), resolution.note],
          [t('queue.decidedAt'), <Ago key="at" at={resolution.resolved_at} />],
        ]}
      />
    </Section>
  )
}
