import { expect } from 'bun:test'
import { fieldErrorCodes } from '../src/lib/refusal.ts'
import type { Answer } from './app.ts'

/** Expects an RFC 9457 problem of that status and code, whole and well-formed, and answers the fields it names. */
export function expectProblem(answer: Answer, status: number, code: string): string[] {
  expect({ status: answer.status, code: answer.body?.code }).toEqual({ status, code })
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  if (status === 401) expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  const { errors, reason, until, ...problem } = answer.body
  const isTextOrNull = (value: unknown) => value === null || typeof value === 'string'
  expect([isTextOrNull(reason), isTextOrNull(until)]).toEqual([code === 'suspended', code === 'suspended'])
  expect(problem).toEqual({
    type: `urn:convene:problem:${code}`,
    title: expect.stringMatching(/^[A-Z].+[^.]$/),
    status,
    detail: expect.stringMatching(/^[A-Z].+/),
    code,
    request_id: answer.headers.get('x-request-id'),
  })
  if (errors === undefined) return []
  for (const error of errors)
    expect(error).toEqual({
      path: expect.stringMatching(/^\//),
      code: expect.stringMatching(new RegExp(`^(${fieldErrorCodes.join('|')})$`)),
      message: expect.stringMatching(/./),
    })
  return errors.map(({ path }: { path: string }) => path)
}
