import type { Problem } from './types.ts'

/** An answer that is an error. Thrown by what has no other way to say so, such as `signIn`. */
export class Refused extends Error {
  readonly code: Problem['code']
  constructor(readonly problem: Problem) {
    super(`${problem.code}: ${problem.detail}`)
    this.name = 'Refused'
    this.code = problem.code
  }
}

/**
 * The problem of an answer that is an error; made up where something between the server and the client has answered. Throws
 * where the connection is lost before the answer is whole.
 */
export async function problemOf(response: Response): Promise<Problem> {
  const text = await response.clone().text()
  let body: Partial<Problem> | null = null
  try {
    body = JSON.parse(text)
  } catch {
    // Not of the server.
  }
  if (body?.code) return body as Problem
  const { status, statusText: title } = response
  const code = status === 429 ? 'rate_limited' : status < 500 ? 'bad_request' : 'internal_error'
  return { type: 'about:blank', title, status, detail: `HTTP ${status} ${title}`, code, request_id: '' }
}

/** Whether the same request may succeed later. */
export const isTemporary = ({ status }: Problem): boolean => status >= 500 || [408, 425, 429].includes(status)
