export const seconds = 1000
export const minutes = 60 * seconds
export const hours = 60 * minutes
export const days = 24 * hours

/** Milliseconds as ISO 8601 in UTC with milliseconds. */
export const iso = (ms: number) => new Date(ms).toISOString()

/** The same for what may be absent. */
export const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms))

/** The same to the second, for names of files: 20261121T083400Z. */
export const compact = (ms: number) => iso(ms).replaceAll(/[-:]|\.\d+/g, '')
