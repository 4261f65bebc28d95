import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hours } from '../lib/time.ts'
import { giveToOwner } from '../lib/owner.ts'
import { isRecord } from '../lib/record.ts'

const mostStarts = 100

type Stored = { starts: number[]; ended: boolean }

export type Run = {
  /** Starts within an hour, this one among them. */
  recent: number
  /** The run before this one was not stopped in order. */
  wasUnclean: boolean
  /** The server was stopped in order. */
  end(): void
  /** The start was refused, as for a wrong setting: the next one is told how the run before this one ended. */
  refuse(): void
}

/**
 * Remembers in DATA_DIR that the server starts, and how its last run ended: a crash loop does not show in a process that is
 * always new. Never fails: a full disk must not keep the server from starting.
 */
export function beginRun(dataDir: string, now: number): Run {
  const path = join(dataDir, 'starts.json')
  const before = readRuns(path)
  const starts = [...(before?.starts ?? []).filter((at) => at > now - hours && at <= now), now].slice(-mostStarts)
  const write = (ended: boolean) => {
    try {
      writeFileSync(`${path}.part`, JSON.stringify({ starts, ended } satisfies Stored), { mode: 0o600 })
      giveToOwner(`${path}.part`)
      renameSync(`${path}.part`, path)
    } catch {
      // The next start counts one run too few.
    }
  }
  write(false)
  const wasUnclean = before?.ended === false
  return { recent: starts.length, wasUnclean, end: () => write(true), refuse: () => write(!wasUnclean) }
}

/** Null at the first start, and where the file cannot be read. */
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
