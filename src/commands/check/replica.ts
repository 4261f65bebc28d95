import { backupDirectoryProblem } from '../../backup/scheduled.ts'
import { replicaKey } from '../../backup/replica/format.ts'
import { spoolOf } from '../../backup/replica/open.ts'
import { openPlace } from '../../backup/replica/place.ts'
import { statusOf } from '../../backup/replica/status.ts'
import type { Config } from '../../config.ts'
import { codeOf, messageOf } from '../../lib/errors.ts'
import { iso, minutes } from '../../lib/time.ts'
import { fine, type Finding, wrong } from './finding.ts'

const bearableMs = minutes

export async function* replica(config: Config, now: number): AsyncGenerator<Finding> {
  if (config.replica === null) return
  const problem = typeof config.replica === 'string' ? backupDirectoryProblem(config.replica) : null
  if (problem !== null)
    return yield wrong(`REPLICA_URL ${problem.text}`, 'correct REPLICA_URL, or check who owns that directory')
  const place = openPlace(config.replica)
  const key = config.replicaKey === null ? null : replicaKey(config.replicaKey)
  const fix = "look for the replica in the server's log, and see convene replica status"
  try {
    const { snapshot, waiting } = await statusOf(place, spoolOf(config.dataDir), key)
    if (snapshot === null) yield wrong(`the replica in ${place.shown} has no snapshot`, fix)
    else if (waiting !== null && now - waiting.since > bearableMs)
      yield wrong(`commits since ${iso(Math.round(waiting.since))} wait for the replica in ${place.shown}`, fix)
    else yield fine(`the replica in ${place.shown} is up to date, with a snapshot of ${iso(snapshot.at)}`)
  } catch (error) {
    // `buckets` has reported a bucket that does not answer.
    if (typeof config.replica === 'string' || codeOf(error) === '') yield wrong(`the replica: ${messageOf(error)}`, fix)
  }
  if (key === null)
    yield wrong(
      `the replica in ${place.shown} is not encrypted, and holds everybody's messages`,
      'set REPLICA_KEY to the output of openssl rand -hex 32, and keep a copy of it elsewhere',
    )
}
