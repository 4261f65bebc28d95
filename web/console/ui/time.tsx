import { useEffect, useState } from 'react'
import { serverNow } from '../../shared/clock.ts'
import { useLanguage } from '../language.tsx'

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** "3 hr", "2 days": how long something takes or has taken, in the largest unit that fits. */
export function durationOf(language: string, seconds: number): string {
  const [unit, length] = units.find(([, each]) => seconds >= each) ?? ['minute', 60]
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(
    Math.floor(Math.max(seconds, 0) / length),
  )
}

/** "47 hr": an upper bound for how long something takes, so rounded up, and exact enough to compare it with a target in hours. */
export function limitOf(language: string, seconds: number): string {
  const [unit, length] =
    seconds <= 3600
      ? (['minute', 60] as const)
      : seconds <= 72 * 3600
        ? (['hour', 3600] as const)
        : (['day', 86_400] as const)
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(
    Math.ceil(Math.max(seconds, 1) / length),
  )
}

/** "in 3 hours", "2 days ago". */
function relativeOf(language: string, seconds: number): string {
  const size = Math.abs(seconds)
  const [unit, length] = units.find(([, each]) => size >= each) ?? ['minute', 60]
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' }).format(
    Math.trunc(seconds / length),
    unit,
  )
}

const full = new Map<string, Intl.DateTimeFormat>()
/** Date and time, to the minute, in the reader's time zone. */
export function fullTimeOf(language: string, at: Date): string {
  let format = full.get(language)
  if (!format)
    full.set(language, (format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })))
  return format.format(at)
}

/** The server's time, updated every half minute. */
export function useNow(): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), 30_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** A relative time, such as "2 hr. ago". Its tooltip is the date. */
export function Ago({ at }: { at: string }) {
  const { language } = useLanguage()
  const now = useNow()
  const date = new Date(at)
  return (
    <time dateTime={at} title={fullTimeOf(language, date)}>
      {relativeOf(language, (date.getTime() - now) / 1000)}
    </time>
  )
}

/** Date and time. */
export function At({ at }: { at: string }) {
  const { language } = useLanguage()
  return <time dateTime={at}>{fullTimeOf(language, new Date(at))}</time>
}
