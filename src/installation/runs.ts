import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hours } from '../lib/time.ts'
import { giveToOwner } from '../lib/owner.ts'
import { isRecord } from '../lib/record.ts'

const mostStarts = 100

type Stored = { starts: number[]; ended: boolean }

export type Run = {
  /** The number of starts within the hour before then, including this one. */
  recent(now: number): number
  /** Whether the previous run ended without an orderly stop. */
  wasUnclean: boolean
  /** Call it at an orderly stop. */
  end(): void
  /** Call it when the start is refused, as for a wrong setting. The next start then still learns how the previous run ended. */
  refuse(): void
}

/**
 * Records in DATA_DIR the starts of the server and how its last run ended, because a new process cannot see a crash loop by
 * itself. Never fails, as a full disk must not keep the server from starting.
 */
export function beginRun(dataDir: string, now: number): Run {
  const path = join(dataDir, 'starts.json')
  const before = readRuns(path)
  const within = (end: number) => (at: number) => at > end - hours && at <= end
  const starts = [...(before?.starts ?? []).filter(within(now)), now].slice(-mostStarts)
  const write = (ended: boolean) => {
    try {
      writeFileSync(`${path}.part`, JSON.stringify({ starts, ended } satisfies Stored), { mode: 0o600 })
      giveToOwner(`${path}.part`)
      renameSync(`${path}.part`, path)
    } catch {
      // The next start counts one start too few.
    }
  }
  write(false)
  const wasUnclean = before?.ended === false
  return {
    recent: (at) => starts.filter(within(at)).length,
    wasUnclean,
    end: () => write(true),
    refuse: () => write(!wasUnclean),
  }
}

/** Null at the first start, or if the file cannot be read. */
function readRuns(path: string): Stored | null {
  try {
    const read: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (!isRecord(read)) return null
    const { starts, ended } = read
    if (!Array.isArray(starts) || !starts.every(Number.isFinite) || typeof ended !== 'boolean') return null
    return { starts, ended }
  } catch {
    return null
  }
}
