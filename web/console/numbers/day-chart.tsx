import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { Link } from 'wouter'
import 'uplot/dist/uPlot.min.css'
import { useLanguage } from '../language.tsx'
import styles from './numbers.module.css'

type Props = {
  title: string
  /** The days in UTC, such as `2026-11-21`. */
  dates: readonly string[]
  values: readonly number[]
  /** Whether to show the sum. Active people must not be summed: somebody may be active on several days. */
  isSummed: boolean
  /** The list of what the sum counts, if there is one. */
  href: string | null
}

const height = 132
const halfDayS = 43_200

/** A bar chart of a number by day. It is hidden from screen readers, for which the screen has a table. */
export function DayChart({ title, dates, values, isSummed, href }: Props) {
  const { language } = useLanguage()
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const draw = () => {
      const style = getComputedStyle(element)
      const [accent, quiet, line] = ['--accent', '--text-quiet', '--line'].map((name) => style.getPropertyValue(name))
      const font = `11px ${style.getPropertyValue('--font')}`
      const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
      const number = new Intl.NumberFormat(language, { notation: 'compact' })
      const axis = { stroke: quiet!, font, ticks: { show: false } }
      return new uPlot(
        {
          width: element.clientWidth,
          height,
          legend: { show: false },
          cursor: { show: false },
          tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
          // Half a day of margin, so that the first and the last bar are not cut off.
          scales: {
            x: { range: (_, min, max) => [min - halfDayS, max + halfDayS] },
            y: { range: (_, _min, max) => [0, Math.max(4, max)] },
          },
          axes: [
            {
              ...axis,
              size: 24,
              grid: { show: false },
              values: (_, ticks) => ticks.map((tick) => day.format(tick * 1000)),
            },
            {
              ...axis,
              size: 40,
              grid: { stroke: line!, width: 1 },
              incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000],
              values: (_, ticks) => ticks.map((tick) => number.format(tick)),
            },
          ],
          series: [
            {},
            {
              fill: accent!,
              stroke: accent!,
              paths: uPlot.paths.bars!({ size: [0.7, 24], radius: 0.2 }),
              points: { show: false },
            },
          ],
        },
        [dates.map((date) => Date.parse(`${date}T00:00:00Z`) / 1000), [...values]],
        element,
      )
    }
    let chart = draw()
    const redraw = () => {
      chart.destroy()
      chart = draw()
    }
    // The canvas does not follow the page's colour scheme by itself.
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', redraw)
    const chosen = new MutationObserver(redraw)
    chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-scheme'] })
    const size = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    size.observe(element)
    return () => {
      scheme.removeEventListener('change', redraw)
      chosen.disconnect()
      size.disconnect()
      chart.destroy()
    }
  }, [dates, values, language])
  const sum = values.reduce((all, value) => all + value, 0)
  const caption = (
    <>
      {title} {isSummed && <b>{new Intl.NumberFormat(language).format(sum)}</b>}
    </>
  )
  return (
    <figure className={styles.chart}>
      <figcaption>{href !== null && sum > 0 ? <Link href={href}>{caption}</Link> : caption}</figcaption>
      <div ref={place} aria-hidden />
    </figure>
  )
}
