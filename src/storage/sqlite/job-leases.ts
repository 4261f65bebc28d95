import type { JobLease, JobLeaseStore } from '../../lib/job-leases.ts'

/**
 * In memory, because a lock on its directory ensures that a file has one server. Stored leases would cost a write per minute, and
 * on a full disk would block the jobs that free space.
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
