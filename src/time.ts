export const seconds = 1000
export const minutes = 60 * seconds
export const hours = 60 * minutes
export const days = 24 * hours

// Some 100 bytes each.
const mostRemembered = 16_384
const remembered = new Map<number, string>()

/**
 * Milliseconds as ISO 8601 in UTC with milliseconds. Remembered, as the same messages and people are shown again and again,
 * and writing a date takes ten times as long as finding it.
 */
export function iso(ms: number): string {
  const known = remembered.get(ms)
  if (known !== undefined) return known
  const text = new Date(ms).toISOString()
  if (remembered.size >= mostRemembered) remembered.clear()
  remembered.set(ms, text)
  return text
}

/** The same for what may be absent. */
export const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms))

/** The same to the second, for names of files: 20261121T083400Z. */
export const compact = (ms: number) => iso(ms).replaceAll(/[-:]|\.\d+/g, '')
