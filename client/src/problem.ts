import type { Problem } from './types.ts'

/** An error answer of the server, thrown by calls that do not return `{ error }`, such as `signIn`. */
export class Refused extends Error {
  readonly code: Problem['code']
  constructor(readonly problem: Problem) {
    super(`${problem.code}: ${problem.detail}`)
    this.name = 'Refused'
    this.code = problem.code
  }
}

/** What a proxy refuses by itself. */
const codes: Record<number, Problem['code']> = { 413: 'payload_too_large', 429: 'rate_limited' }

/**
 * The problem in an error answer. If a proxy has answered instead of the server, the problem is made from its status. Throws if
 * the connection is lost before the answer is complete.
 */
export async function problemOf(response: Response): Promise<Problem> {
  const text = await response.clone().text()
  let body: Partial<Problem> | null = null
  try {
    body = JSON.parse(text)
  } catch {
    // The answer is not from the server.
  }
  if (typeof body?.code === 'string' && body.status === response.status) return body as Problem
  const { status, statusText: title } = response
  const code = codes[status] ?? (status < 500 ? 'bad_request' : 'internal_error')
  return { type: 'about:blank', title, status, detail: `HTTP ${status} ${title}`, code, request_id: '' }
}

/**
 * Whether the same request may succeed later. A 401 or 403 without the server's problem comes from a network that asks for a
 * login, a 404 from a proxy whose server is restarting.
 */
export const isTemporary = ({ status, code }: Problem): boolean =>
  status >= 500 || [408, 425, 429, ...(code === 'bad_request' ? [401, 403, 404, 407] : [])].includes(status)

/** How long the server asks to wait. 0 if it does not say, or as a date, which some proxies send: the clocks may differ. */
export const retryAfterMs = ({ headers }: Response): number => 1000 * (Number(headers.get('retry-after')) || 0)
