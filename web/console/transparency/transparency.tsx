import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { useLanguage } from '../language.tsx'
import {
  type Action,
  actionText,
  addressOf,
  kindText,
  type Reason,
  reasonText,
  type Shown as Queued,
  type Target,
} from '../queue/reports.ts'
import { useResource } from '../requests.ts'
import { Counts } from '../ui/counts.tsx'
import { DownloadButton } from '../ui/download.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Page } from '../ui/page.tsx'
import { instants, type Period, PeriodFields, usePeriod } from '../ui/period.tsx'
import { Tile, Tiles } from '../ui/tiles.tsx'
import { limitOf } from '../ui/time.tsx'
import styles from './transparency.module.css'

type Report = components['schemas']['TransparencyReport']
type NoticeAction = components['schemas']['NoticeAction']

export default function Transparency() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const [period, choose] = usePeriod(365, 366)
  const report = useResource(
    () => api.GET('/api/v1/admin/transparency', { params: { query: instants(period) } }),
    JSON.stringify(period),
  )
  const csv = `/api/v1/admin/transparency?${new URLSearchParams({ ...instants(period), format: 'csv' })}`
  return (
    <Page
      title={t('transparency.title')}
      actions={
        <>
          <PeriodFields period={period} onChange={choose} />
          <DownloadButton label="CSV" path={csv} name={`transparency-${period.from}-${period.to}.csv`} />
        </>
      }
    >
      <Loaded of={report}>{(data) => typeof data !== 'string' && <Shown report={data} period={period} />}</Loaded>
    </Page>
  )
}

function Shown({ report, period }: { report: Report; period: Period }) {
  const { notices, decisions, automated, appeals, time_to_action } = report
  const { t, language } = useLanguage()
  const time = (seconds: number | null) => (seconds === null ? t('transparency.none') : limitOf(language, seconds))
  // Each number links to the list of what it counts.
  const noticed = (narrowed: Partial<Queued> = {}) =>
    addressOf({ status: 'any', by: 'people', filed: period, ...narrowed })
  const decided = (narrowed: Partial<Queued> = {}) => addressOf({ status: 'resolved', decided: period, ...narrowed })
  const automatic = (automated: 'any' | 'overturned') => addressOf({ status: 'any', automated, filed: period })
  const done = (action: string) => `/audit?${new URLSearchParams({ action, ...period })}`
  const appealed = (status: 'open' | 'upheld' | 'rejected' | 'any') =>
    `/appeals?${new URLSearchParams({ status, ...period })}`
  return (
    <>
      <Tiles>
        <Tile href={noticed()} value={notices.total} label={t('transparency.notices')} />
        <Tile href={decided()} value={decisions.total} label={t('transparency.decisions')} />
        <Tile href={automatic('any')} value={automated.total} label={t('transparency.automated')} />
        <Tile
          href={automatic('overturned')}
          value={automated.overturned}
          label={t('transparency.automatedOverturned')}
        />
        <Tile href={appealed('any')} value={appeals.total} label={t('transparency.appeals')} />
        <Tile href={appealed('upheld')} value={appeals.upheld} label={t('transparency.upheld')} />
        <Tile href={appealed('rejected')} value={appeals.rejected} label={t('transparency.rejected')} />
        <Tile href={appealed('open')} value={appeals.open} label={t('transparency.openAppeals')} />
        <Tile href={decided({ by: 'people' })} value={time(time_to_action.p50_s)} label={t('numbers.p50')} />
        <Tile href={decided({ by: 'people' })} value={time(time_to_action.p95_s)} label={t('numbers.p95')} />
      </Tiles>
      <div className={styles.counts}>
        <Counts<Reason>
          title={t('transparency.noticesByReason')}
          counts={notices.by_reason}
          nameOf={(reason) => reasonText(t, reason)}
          hrefOf={(reason) => noticed({ reason })}
        />
        <Counts<Target>
          title={t('transparency.noticesByKind')}
          counts={notices.by_kind}
          nameOf={(target) => kindText(t, target)}
          hrefOf={(target) => noticed({ target })}
        />
        <Counts<Action>
          title={t('transparency.decisionsByAction')}
          counts={decisions.by_action}
          nameOf={(action) => actionText(t, action)}
          hrefOf={(outcome) => decided({ outcome })}
        />
        <Counts<Reason>
          title={t('transparency.decisionsByGround')}
          counts={decisions.by_ground}
          nameOf={(reason) => reasonText(t, reason)}
          hrefOf={(reason) => decided({ outcome: 'measure', reason })}
        />
        <Counts<Target>
          title={t('transparency.decisionsByKind')}
          counts={decisions.by_kind}
          nameOf={(target) => kindText(t, target)}
          hrefOf={(target) => decided({ target })}
        />
        <Counts<NoticeAction>
          title={t('transparency.ownInitiative')}
          counts={decisions.own_initiative}
          nameOf={(action) => t(`people.notice.${action}`)}
          hrefOf={done}
        />
      </div>
    </>
  )
}
