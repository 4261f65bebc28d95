import type { Config } from '../config.ts'

export type Origins = ReturnType<typeof origins>

/** Which pages may act for the person whose browser they run in: those listed, and the server's own. */
export function origins({ corsOrigins, trustProxy }: Pick<Config, 'corsOrigins' | 'trustProxy'>) {
  const listed = new Set(corsOrigins)
  return {
    isListed: (origin: string) => listed.has(origin),

    /** Whether a request's Origin is an allowed one, or absent, as of clients that are no browsers. */
    allows(headers: Headers): boolean {
      const origin = headers.get('origin')
      if (origin === null || listed.has(origin)) return true
      const scheme = (trustProxy > 0 && headers.get('x-forwarded-proto')?.split(',')[0]?.trim()) || 'http'
      return origin === `${scheme}://${headers.get('host')}`
    },
  }
}
