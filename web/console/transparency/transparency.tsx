import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { useLanguage } from '../language.tsx'
import { useResource } from '../requests.ts'
import { DownloadButton } from '../ui/download.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Page, Section } from '../ui/page.tsx'
import { instants, type Period, PeriodFields, usePeriod } from '../ui/period.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Tile, Tiles } from '../ui/tiles.tsx'
import { durationOf } from '../ui/time.tsx'
import styles from './transparency.module.css'

type Report = components['schemas']['TransparencyReport']
type Row = { name: string; count: number }

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
  const time = (seconds: number | null) => (seconds === null ? t('transparency.none') : durationOf(language, seconds))
  // A number leads to the list of what it counts, where there is one.
  const counted = (action: string) => `/audit?${new URLSearchParams({ action, ...period })}`
  const appealed = (status: 'open' | 'upheld' | 'rejected' | 'any') =>
    `/appeals?${new URLSearchParams({ status, ...period })}`
  return (
    <>
      <Tiles>
        <Tile href={counted('report')} value={notices.total} label={t('transparency.notices')} />
        <Tile href={counted('report_resolved')} value={decisions.total} label={t('transparency.decisions')} />
        <Tile value={automated.total} label={t('transparency.automated')} />
        <Tile value={automated.overturned} label={t('transparency.automatedOverturned')} />
        <Tile href={appealed('any')} value={appeals.total} label={t('transparency.appeals')} />
        <Tile href={appealed('upheld')} value={appeals.upheld} label={t('transparency.upheld')} />
        <Tile href={appealed('rejected')} value={appeals.rejected} label={t('transparency.rejected')} />
        <Tile href={appealed('open')} value={appeals.open} label={t('transparency.openAppeals')} />
        <Tile href={counted('report_resolved')} value={time(time_to_action.p50_s)} label={t('numbers.p50')} />
        <Tile href={counted('report_resolved')} value={time(time_to_action.p95_s)} label={t('numbers.p95')} />
      </Tiles>
      <div className={styles.counts}>
        <Counts title={t('transparency.noticesByReason')} counts={notices.by_reason} />
        <Counts title={t('transparency.noticesByKind')} counts={notices.by_kind} />
        <Counts title={t('transparency.decisionsByAction')} counts={decisions.by_action} />
        <Counts title={t('transparency.decisionsByGround')} counts={decisions.by_ground} />
        <Counts title={t('transparency.decisionsByKind')} counts={decisions.by_kind} />
        <Counts title={t('transparency.ownInitiative')} counts={decisions.own_initiative} />
      </div>
    </>
  )
}

/** The names are those of the CSV and of the API, so that both can be compared. */
function Counts({ title, counts }: { title: string; counts: Record<string, number> }) {
  const { t } = useLanguage()
  const rows = Object.entries(counts)
    .map(([name, count]): Row => ({ name, count }))
    .toSorted((a, b) => b.count - a.count)
  const columns: Column<Row>[] = [
    { title: t('transparency.category'), isHead: true, cell: ({ name }) => name },
    { title: t('transparency.count'), isNumber: true, cell: ({ count }) => count },
  ]
  if (rows.length === 0) return null
  return (
    <Section title={title}>
      <Table caption={title} columns={columns} rows={rows} keyOf={({ name }) => name} />
    </Section>
  )
}
