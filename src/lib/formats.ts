import { FormatRegistry } from '@sinclair/typebox'
import type { FieldErrorCode } from './refusal.ts'

type Problem = (value: string) => FieldErrorCode | null

const problems = new Map<string, Problem>()

/** Registers a string format. `problemOf` returns what is wrong with a value, or null. */
export function setFormat(name: string, problemOf: Problem): void {
  problems.set(name, problemOf)
  FormatRegistry.Set(name, (value) => problemOf(value) === null)
}

export const hasFormat = (name: string): boolean => problems.has(name)

/** Why a value does not match that format. */
export const formatProblem = (name: string, value: unknown): FieldErrorCode =>
  (typeof value === 'string' ? problems.get(name)?.(value) : null) ?? 'format'
