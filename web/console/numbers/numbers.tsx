import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { useLanguage } from '../language.tsx'
import { addressOf, type Kind, kindText } from '../queue/reports.ts'
import { useResource } from '../requests.ts'
import { Counts } from '../ui/counts.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Badge, Page, Section } from '../ui/page.tsx'
import { instants, PeriodFields, type Period, usePeriod } from '../ui/period.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Tile, Tiles } from '../ui/tiles.tsx'
import { limitOf } from '../ui/time.tsx'
import { DayChart } from './day-chart.tsx'
import styles from './numbers.module.css'

type Stats = components['schemas']['Stats']
type Day = components['schemas']['DayStats']
const shownByDay = ['registered', 'active', 'messages', 'chats', 'reports', 'decided', 'blocks'] as const

export default function Numbers() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const [period, choose] = usePeriod(30, 92)
  const stats = useResource(
    () => api.GET('/api/v1/admin/stats', { params: { query: instants(period) } }),
    JSON.stringify(period),
  )
  return (
    <Page title={t('numbers.title')} actions={<PeriodFields period={period} onChange={choose} />}>
      <Loaded of={stats}>{(data) => <Shown stats={data} period={period} />}</Loaded>
      <Health />
    </Page>
  )
}

function Shown({ stats, period }: { stats: Stats; period: Period }) {
  const { t, language } = useLanguage()
  const { days, open, overdue, held, time_to_action, target_s, reports_by_kind } = stats
  const dates = useMemo(() => days.map(({ date }) => date), [days])
  const values = useMemo(() => shownByDay.map((name) => ({ name, values: days.map((day) => day[name]) })), [days])
  const time = (seconds: number | null) => (seconds === null ? '–' : limitOf(language, seconds))
  const columns: Column<Day>[] = [
    { title: t('numbers.day'), isHead: true, cell: ({ date }) => date },
    ...shownByDay.map((name): Column<Day> => ({
      title: t(`numbers.${name}`),
      isNumber: true,
      cell: (day) => {
        const href = listOf(name, { from: day.date, to: day.date })
        return href && day[name] > 0 ? <Link href={href}>{day[name]}</Link> : day[name]
      },
    })),
  ]
  const decided = listOf('decided', period)
  return (
    <>
      <Tiles>
        <Tile href="/queue" value={open} label={t('numbers.open')} />
        <Tile href={addressOf({ overdue: 'true' })} value={overdue} label={t('numbers.overdue')} isLate={overdue > 0} />
        <Tile href="/queue?kind=held" value={held} label={t('numbers.held')} />
        <Tile href={decided} value={time(time_to_action.p50_s)} label={t('numbers.p50')} />
        <Tile
          href={decided}
          value={time(time_to_action.p95_s)}
          label={t('numbers.p95')}
          isLate={(time_to_action.p95_s ?? 0) > target_s}
        />
        <Tile value={time(target_s)} label={t('numbers.target')} />
        <Appealed period={period} />
      </Tiles>
      <div className={styles.charts}>
        {values.map(({ name, values }) => (
          <DayChart
            key={name}
            title={t(`numbers.${name}`)}
            dates={dates}
            values={values}
            isSummed={name !== 'active'}
            href={listOf(name, period)}
          />
        ))}
      </div>
      <details className={styles.table}>
        <summary>{t('numbers.table')}</summary>
        <Table caption={t('numbers.caption')} columns={columns} rows={days.toReversed()} keyOf={({ date }) => date} />
      </details>
      <div className={styles.kinds}>
        <Counts<Kind>
          title={t('numbers.reportsByKind')}
          counts={reports_by_kind}
          nameOf={(kind) => kindText(t, kind)}
          hrefOf={(kind) => addressOf({ status: 'any', kind, filed: period })}
        />
      </div>
    </>
  )
}

/** How often an appeal or a moderator found a decision wrong. */
function Appealed({ period }: { period: Period }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const { data } = useResource(
    () => api.GET('/api/v1/admin/transparency', { params: { query: instants(period) } }),
    JSON.stringify(period),
  )
  if (data === null || typeof data === 'string') return null
  const { appeals, automated } = data
  return (
    <>
      <Tile
        href={`/appeals?${new URLSearchParams({ status: 'upheld', ...period })}`}
        value={appeals.upheld}
        label={t('transparency.upheld')}
      />
      <Tile
        href={addressOf({ status: 'any', automated: 'overturned', filed: period })}
        value={automated.overturned}
        label={t('transparency.automatedOverturned')}
      />
    </>
  )
}

/**
 * The list of what a number counts; null if moderators may not see it, such as who was active, who wrote to whom, or who
 * blocked somebody.
 */
function listOf(name: (typeof shownByDay)[number], period: Period): string | null {
  switch (name) {
    case 'registered':
      return `/audit?${new URLSearchParams({ action: 'register', ...period })}`
    case 'reports':
      return addressOf({ status: 'any', filed: period })
    case 'decided':
      return addressOf({ status: 'resolved', decided: period })
    default:
      return null
  }
}

/** The server's health, from `GET /ready`. A 503 answer has the same shape. */
function Health() {
  const { t } = useLanguage()
  const client = useConvene()
  const health = useResource(async () => {
    const response = await fetch(client.url('/ready'))
    const data = (await response.json()) as components['schemas']['Readiness']
    return { data, response: new Response() }
  })
  return (
    <div className={styles.table}>
      <Section title={t('numbers.server')}>
        <Loaded of={health}>
          {({ version, checks }) => (
            <p className={styles.health}>
              <Badge>{`Convene ${version}`}</Badge>
              {Object.entries(checks).map(([name, outcome]) => (
                <Badge key={name} tone={outcome === 'ok' ? 'good' : outcome === 'away' ? 'notice' : 'danger'}>
                  {`${name}: ${t(outcome === 'ok' ? 'numbers.ok' : outcome === 'away' ? 'numbers.away' : 'numbers.failed')}`}
                </Badge>
              ))}
            </p>
          )}
        </Loaded>
      </Section>
    </div>
  )
}
