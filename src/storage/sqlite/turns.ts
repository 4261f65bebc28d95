import type { Turn, JobLeaseStore } from '../../lib/job-leases.ts'

/**
 * In memory: a file has one server, by the lock on its directory. On the disk it would be a write a minute for nothing, and a
 * disk that is full would keep those jobs from running that make room.
 */
export function jobLeaseStore(): JobLeaseStore {
  const turns = new Map<string, Turn>()
  return {
    last: async (job) => turns.get(job) ?? null,
    async replace(job, before, after) {
      if (!Bun.deepEquals(turns.get(job) ?? null, before)) return false
      turns.set(job, after)
      return true
    },
  }
}
