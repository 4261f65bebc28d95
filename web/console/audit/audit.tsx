import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { useRef } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import { useList } from '../requests.ts'
import { DownloadButton } from '../ui/download.tsx'
import { Empty } from '../ui/loaded.tsx'
import { Page } from '../ui/page.tsx'
import { type Column, Listed, Table } from '../ui/table.tsx'
import { At } from '../ui/time.tsx'
import styles from './audit.module.css'

type Entry = components['schemas']['AuditEntry']
const filters = ['action', 'actor_id', 'subject_id', 'from', 'to'] as const
type Filters = Partial<Record<(typeof filters)[number], string>>

/** The filters as query parameters of the API. The days in the URL are whole days in UTC. */
const asked = ({ from, to, ...rest }: Filters) => ({
  ...rest,
  ...(from && { from: `${from}T00:00:00.000Z` }),
  ...(to && { to: `${to}T23:59:59.999Z` }),
})

export default function Audit() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const [, navigate] = useLocation()
  const search = new URLSearchParams(useSearch())
  const shown: Filters = Object.fromEntries(
    filters.flatMap((name) => (search.get(name) ? [[name, search.get(name)!]] : [])),
  )
  const first = useRef<HTMLInputElement>(null)
  useKeys(t('audit.title'), [
    { keys: '/', label: t('audit.filter'), inLine: true, run: () => first.current?.focus() },
    { keys: 'Escape', label: t('audit.all'), inFields: true, run: () => navigate('/audit') },
  ])
  const list = useList<Entry>(async (cursor) => {
    const query = { ...asked(shown), limit: 50, ...(cursor !== undefined && { cursor }) }
    const { data, ...rest } = await api.GET('/api/v1/admin/audit', { params: { query } })
    // The type includes the text of the other formats, which this request does not ask for.
    return typeof data === 'object' ? { ...rest, data } : rest
  }, JSON.stringify(shown))
  const narrow = (change: Filters) => `/audit?${new URLSearchParams({ ...shown, ...change })}`
  const whole = (format: 'csv' | 'jsonl') => `/api/v1/admin/audit?${new URLSearchParams({ ...asked(shown), format })}`
  const person = (id: string | null, name: 'actor_id' | 'subject_id') =>
    id === null ? (
      <span className={styles.quiet}>{t(name === 'actor_id' ? 'audit.noActor' : 'audit.noSubject')}</span>
    ) : (
      <Link href={narrow({ [name]: id })} className={styles.id} title={id}>
        {id.slice(-12)}
      </Link>
    )
  const columns: Column<Entry>[] = [
    {
      title: t('audit.at'),
      cell: ({ at }) => (
        <span className={styles.once}>
          <At at={at} />
        </span>
      ),
    },
    {
      title: t('audit.action'),
      isHead: true,
      cell: ({ action }) => (
        <Link href={narrow({ action })} className={styles.once}>
          {action}
        </Link>
      ),
    },
    { title: t('audit.actor'), cell: ({ actor_id }) => person(actor_id, 'actor_id') },
    { title: t('audit.subject'), cell: ({ subject_id }) => person(subject_id, 'subject_id') },
    { title: t('audit.details'), cell: ({ metadata }) => <Details metadata={metadata} /> },
  ]
  return (
    <Page
      title={t('audit.title')}
      actions={
        <>
          <DownloadButton label="CSV" path={whole('csv')} name="audit.csv" />
          <DownloadButton label="JSON Lines" path={whole('jsonl')} name="audit.jsonl" />
        </>
      }
    >
      <search>
        <form
          key={JSON.stringify(shown)}
          className={styles.filters}
          action={(data) => {
            const given = filters.flatMap((name) => {
              const value = String(data.get(name) ?? '').trim()
              return value === '' ? [] : [[name, value]]
            })
            navigate(given.length === 0 ? '/audit' : `/audit?${new URLSearchParams(given)}`)
          }}
        >
          {filters.map((name) => (
            <label key={name}>
              <span>{t(`audit.by.${name}`)}</span>
              <input
                ref={name === 'action' ? first : undefined}
                name={name}
                type={name === 'from' || name === 'to' ? 'date' : 'text'}
                defaultValue={shown[name]}
                maxLength={64}
                autoComplete="off"
                spellCheck={false}
              />
            </label>
          ))}
          <button type="submit" className={styles.submit}>
            {t('audit.apply')}
          </button>
          {Object.keys(shown).length > 0 && <Link href="/audit">{t('audit.all')}</Link>}
        </form>
      </search>
      <Listed list={list} empty={<Empty title={t('audit.empty')}>{t('audit.emptyHint')}</Empty>}>
        {(entries) => <Table caption={t('audit.title')} columns={columns} rows={entries} keyOf={({ id }) => id} />}
      </Listed>
    </Page>
  )
}

// More are shown when they are asked for.
const shownEntries = 3

/** The metadata of an entry, as it is stored. */
function Details({ metadata }: { metadata: Entry['metadata'] }) {
  const said = Object.entries(metadata)
  if (said.length === 0) return null
  return (
    <ul className={styles.details}>
      {said.map(([name, value]) => (
        <li key={name}>
          <span className={styles.quiet}>{name}</span>{' '}
          {Array.isArray(value) && value.length > shownEntries ? (
            <details className={styles.entries}>
              <summary>{value.length}</summary>
              {value.join(', ')}
            </details>
          ) : typeof value === 'string' ? (
            value
          ) : (
            JSON.stringify(value)
          )}
        </li>
      ))}
    </ul>
  )
}
