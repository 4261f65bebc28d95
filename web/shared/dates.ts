// Dates and times in the user's language and time zone.
const formats = new Map<string, Intl.DateTimeFormat>()

// Creating a format is slow, and a list shows hundreds of times.
function format(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`
  let made = formats.get(key)
  if (!made) formats.set(key, (made = new Intl.DateTimeFormat(language, options)))
  return made
}

const relativeFormats = new Map<string, Intl.RelativeTimeFormat>()
function relative(language: string): Intl.RelativeTimeFormat {
  let made = relativeFormats.get(language)
  if (!made) relativeFormats.set(language, (made = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })))
  return made
}

export const timeOf = (language: string, at: Date): string =>
  format(language, { hour: 'numeric', minute: '2-digit' }).format(at)

export const dateOf = (language: string, at: Date): string =>
  format(language, { day: 'numeric', month: 'long', year: 'numeric' }).format(at)

/** A date that is at most two days away has its time too. `now` is in milliseconds. */
export const untilOf = (language: string, at: Date, now: number): string =>
  Math.abs(at.getTime() - now) > 2 * 86_400_000
    ? dateOf(language, at)
    : format(language, { dateStyle: 'long', timeStyle: 'short' }).format(at)

const startOfDay = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime()

/** How many calendar days ago: 0 for today, 1 for yesterday. */
const daysAgo = (at: Date, now: Date): number => Math.round((startOfDay(now) - startOfDay(at)) / 86_400_000)

/** For a list: the time today, the weekday within a week, and the date before that. */
export function shortTime(language: string, at: Date, now: Date): string {
  const days = daysAgo(at, now)
  if (days <= 0) return timeOf(language, at)
  if (days < 7) return format(language, { weekday: 'short' }).format(at)
  return format(language, { day: 'numeric', month: 'short' }).format(at)
}

/** For the line between two days of a conversation: "today", "yesterday", or the date. */
export function dayOf(language: string, at: Date, now: Date): string {
  const days = daysAgo(at, now)
  if (days < 2) return relative(language).format(-Math.max(days, 0), 'day')
  const isThisYear = at.getFullYear() === now.getFullYear()
  return format(language, { day: 'numeric', month: 'long', ...(isThisYear ? {} : { year: 'numeric' }) }).format(at)
}

/** A distance in metres, rounded as coarsely as positions are published. */
export function distanceOf(language: string, metres: number): string {
  const unit = (value: number, name: string, digits = 0) =>
    new Intl.NumberFormat(language, { style: 'unit', unit: name, maximumFractionDigits: digits }).format(value)
  if (metres < 1000) return unit(Math.max(100, Math.round(metres / 100) * 100), 'meter')
  return unit(metres / 1000, 'kilometer', metres < 10_000 ? 1 : 0)
}
