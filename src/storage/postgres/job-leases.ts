import type { JobLease, JobLeaseStore } from '../../lib/job-leases.ts'
import type { Database } from './database.ts'

const first = `
  INSERT INTO job_turns (job, at, holder, until, succeeded_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (job) DO NOTHING`
const next = `
  UPDATE job_turns SET at = $2, holder = $3, until = $4, succeeded_at = $5
  WHERE job = $1 AND at = $6 AND holder IS NOT DISTINCT FROM $7::text AND until = $8`

export function jobLeaseStore(db: Database): JobLeaseStore {
  return {
    last: (job) =>
      db.read((q) => q.get<JobLease>('SELECT at, holder, until, succeeded_at FROM job_turns WHERE job = $1', [job])),

    replace: async (job, before, { at, holder, until, succeeded_at }) => {
      const lease = [job, at, holder, until, succeeded_at]
      const changed = await db.statement((q) =>
        before === null ? q.run(first, lease) : q.run(next, [...lease, before.at, before.holder, before.until]),
      )
      return changed > 0
    },
  }
}
