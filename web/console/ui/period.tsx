import { useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { serverNow } from '../../shared/clock.ts'
import { useLanguage } from '../language.tsx'
import styles from './ui.module.css'

const dayMs = 86_400_000
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const isDate = (text: string | null): text is string => text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text)

/** Days in UTC. `from` and `to` are both included. */
export type Period = { from: string; to: string }

/** The period for the API: `from` is the start of its first day, `to` the start of the day after its last one. */
export const instants = ({ from, to }: Period) => ({
  from: `${from}T00:00:00.000Z`,
  to: new Date(Date.parse(`${to}T00:00:00.000Z`) + dayMs).toISOString(),
})

/** The period in a URL, from the parameters `from` and `to`, both with the prefix; null if there is none. */
export function periodOf(search: URLSearchParams, prefix = ''): Period | null {
  const [from, to] = [search.get(`${prefix}from`), search.get(`${prefix}to`)]
  return isDate(from) && isDate(to) && from <= to ? { from, to } : null
}

/** The period in the URL, or else the last `days` days, including today. At most `most` days. */
export function usePeriod(days: number, most: number): [Period, (period: Period) => void] {
  const [location, navigate] = useLocation()
  const search = new URLSearchParams(useSearch())
  const today = dateOf(serverNow())
  const given = { from: search.get('from'), to: search.get('to') }
  const to = isDate(given.to) && given.to <= today ? given.to : today
  const earliest = dateOf(Date.parse(to) - (most - 1) * dayMs)
  const wanted = isDate(given.from) && given.from <= to ? given.from : dateOf(Date.parse(to) - (days - 1) * dayMs)
  const period = { from: wanted < earliest ? earliest : wanted, to }
  function choose(next: Period) {
    const changed = new URLSearchParams(search)
    changed.set('from', next.from)
    changed.set('to', next.to)
    navigate(`${location}?${changed}`)
  }
  return [period, choose]
}

/** Two date fields, side by side. */
export function PeriodFields({ period, onChange }: { period: Period; onChange: (period: Period) => void }) {
  const { t } = useLanguage()
  const today = dateOf(serverNow())
  const field = (name: keyof Period, min: string | undefined, max: string) => (
    <DateField
      label={t(`console.period.${name}`)}
      min={min}
      max={max}
      value={period[name]}
      onChange={(value) => onChange({ ...period, [name]: value })}
    />
  )
  return (
    <fieldset className={styles.period}>
      <legend className="unseen">{t('console.period')}</legend>
      {field('from', undefined, period.to)}
      {field('to', period.from, today)}
    </fieldset>
  )
}

type DateProps = {
  label: string
  min: string | undefined
  max: string
  value: string
  onChange: (value: string) => void
}

/** A date that applies when the field is left, or with Enter: while it is typed, its year is first 2, then 20, then 202. */
function DateField({ label, min, max, value, onChange }: DateProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const apply = () => {
    setTyped(null)
    if (isDate(typed) && typed !== value) onChange(typed)
  }
  return (
    <label className={styles.date}>
      <span>{label}</span>
      <input
        type="date"
        required
        min={min}
        max={max}
        value={typed ?? value}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={apply}
        onKeyDown={(event) => {
          if (event.key === 'Enter') apply()
        }}
      />
    </label>
  )
}
