import { csvLine } from '../../lib/csv.ts'
import { tidy } from '../../lib/text.ts'
import { isHash } from '../media/pdq.ts'
import type { BankEntry } from './store.ts'

/** The bank's size limit: every node compares images with all hashes. */
export const mostHashes = 100_000

/** Whether the bank has room for `more` hashes. */
export const bankHasRoom = ({ there, more, most }: { there: number; more: number; most: number }): boolean =>
  there + more <= most

/** Beyond this distance, different images would match. */
export const longestDistance = 90
export const longestReason = 500

export type BankLine = Pick<BankEntry, 'hash' | 'distance' | 'reason'>
type LineProblem = { line: number; message: string }

const header = 'hash,distance,reason'

/**
 * Parses a bank from text with a line `hash,distance,reason` for each hash. The distance may be empty; the reason is the rest
 * of the line. Ignores empty lines, the header, and lines that begin with #. Returns all problems if there are any.
 */
export function readBank(text: string): { entries: BankLine[] } | { problems: LineProblem[] } {
  const entries: BankLine[] = []
  const problems: LineProblem[] = []
  const lineOf = new Map<string, number>()
  for (const [i, row] of text.split(/\r?\n/).entries()) {
    const line = i + 1
    const trimmed = row.trim()
    if (trimmed === '' || trimmed.startsWith('#') || trimmed.toLowerCase() === header) continue
    const read = readLine(trimmed)
    if (typeof read === 'string') problems.push({ line, message: read })
    else {
      const before = lineOf.get(read.hash)
      if (before !== undefined) problems.push({ line, message: `repeats the hash of line ${before}` })
      lineOf.set(read.hash, before ?? line)
      entries.push(read)
    }
  }
  return problems.length > 0 ? { problems } : { entries }
}

function readLine(line: string): BankLine | string {
  const [, hashText = '', distanceText = '', rest = ''] = /^([^,]*),([^,]*),(.*)$/s.exec(line) ?? []
  const hash = hashText.trim().toLowerCase()
  if (hash === '' && rest === '') return `expected ${header}`
  if (!isHash(hash)) return 'expected a hash of 64 hexadecimal digits'
  const shown = distanceText.trim()
  const distance = shown === '' ? null : Number(shown)
  if (distance !== null && !(/^\d+$/.test(shown) && distance <= longestDistance))
    return `expected a distance from 0 to ${longestDistance}, or nothing`
  const reason = tidy(withoutGuard(unquoted(rest.trim())))
  if (reason === '') return 'expected a reason'
  if ([...reason].length > longestReason) return `expected a reason of up to ${longestReason} characters`
  return { hash, distance, reason }
}

const unquoted = (text: string) =>
  text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text

/** Without the apostrophe with which `csvLine` guards a text that a spreadsheet would take for a formula. */
const withoutGuard = (text: string) => text.replace(/^'(?=[=+\-@])/, '')

/** Writes an entry as such a line. Line breaks in the reason become spaces. */
export const bankLine = ({ hash, distance, reason }: BankLine) =>
  csvLine([hash, distance, reason.replaceAll(/\s*\n\s*/g, ' ')])
