import type { JobLease, JobLeaseStore } from '../../lib/job-leases.ts'

/**
 * In memory: a file has one server, by the lock on its directory. On the disk it would be a write a minute for nothing, and a
 * disk that is full would keep those jobs from running that make room.
 */
export function jobLeaseStore(): JobLeaseStore {
  const leases = new Map<string, JobLease>()
  return {
    last: async (job) => leases.get(job) ?? null,
    async replace(job, before, after) {
      if (!Bun.deepEquals(leases.get(job) ?? null, before)) return false
      leases.set(job, after)
      return true
    },
  }
}
