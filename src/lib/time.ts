export const seconds = 1000
export const minutes = 60 * seconds
export const hours = 60 * minutes
export const days = 24 * hours

// Some 100 bytes each.
const mostRemembered = 16_384
const remembered = new Map<number, string>()

/**
 * Milliseconds since 1970 as ISO 8601 in UTC. Cached, because the same messages and people are shown repeatedly, and
 * formatting a date takes ten times as long as the look-up.
 */
export function iso(ms: number): string {
  const known = remembered.get(ms)
  if (known !== undefined) return known
  const text = new Date(ms).toISOString()
  if (remembered.size >= mostRemembered) remembered.clear()
  remembered.set(ms, text)
  return text
}

/** The same, or null. */
export const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms))

/** The same to the second, for names of files: 20261121T083400Z. */
export const compact = (ms: number) => iso(ms).replaceAll(/[-:]|\.\d+/g, '')
