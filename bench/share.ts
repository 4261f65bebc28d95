import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'

/** How much CPU a process may use. */
export type Share = {
  /** So many cores, in slices of ten milliseconds; null: as much as there is. */
  set(cores: number | null): void
  /** Forgets about it, once its process has ended. */
  remove(): void
}

const periodUs = 10_000
const root = '/sys/fs/cgroup'

/**
 * Puts a process into a control group of its own, by that name. Null where this machine, or who runs this, may make none:
 * it takes root, and a kernel that lets a group be limited.
 */
export function shareOf(pid: number, name: string): Share | null {
  // Version 1 has a hierarchy for each resource, version 2 one for all.
  const isSecond = existsSync(`${root}/cgroup.controllers`)
  const group = `${root}/${isSecond ? '' : 'cpu/'}convene-bench-${name}`
  const set = (cores: number | null) => {
    const quota = cores === null ? null : cores * periodUs
    if (isSecond) return writeFileSync(`${group}/cpu.max`, `${quota ?? 'max'} ${periodUs}`)
    writeFileSync(`${group}/cpu.cfs_period_us`, String(periodUs))
    writeFileSync(`${group}/cpu.cfs_quota_us`, String(quota ?? -1))
  }
  try {
    mkdirSync(group, { recursive: true })
    // A directory that is no control group would take all of this, and limit nothing.
    if (!existsSync(`${group}/cgroup.procs`)) return null
    set(null)
    writeFileSync(`${group}/cgroup.procs`, String(pid))
  } catch {
    return null
  }
  return { set, remove: () => rmdirSync(group) }
}
