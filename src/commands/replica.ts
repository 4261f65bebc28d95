import { parseArgs } from 'node:util'
import { replicaKey } from '../backup/replica/format.ts'
import { spoolOf } from '../backup/replica/open.ts'
import { openPlace } from '../backup/replica/place.ts'
import { statusOf } from '../backup/replica/status.ts'
import { readConfig } from '../config.ts'
import { iso, minutes } from '../lib/time.ts'
import { UsageError } from './command.ts'
import { megabytes } from '../lib/disk-space.ts'

export const help = `usage: convene replica status

Shows the state of the replica in REPLICA_URL: its newest snapshot, the earliest time that can be restored, the number of
photos, and the commits of this machine that are not shipped yet. Works whether or not the server runs.

Exit code: 0 if all is well, 1 if the replica has no snapshot yet, or lacks commits that are older than a minute.
To restore from a replica, see convene restore --help.`

const bearableMs = minutes

export async function run(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [what, ...more] = positionals
  if (what !== 'status')
    throw new UsageError(what === undefined ? 'replica takes status' : `replica takes status, not '${what}'`)
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  const config = readConfig()
  if (config.replica === null) throw new Error('there is no replica: set REPLICA_URL')
  const place = openPlace(config.replica)
  const key = config.replicaKey === null ? null : replicaKey(config.replicaKey)
  const { snapshot, from, logged, photos, waiting, unmerged } = await statusOf(place, spoolOf(config.dataDir), key)
  console.log(`place      ${place.shown}${key === null ? ', not encrypted' : ', encrypted'}`)
  if (snapshot === null) console.log('snapshot   none yet: nothing can be restored')
  else {
    console.log(`snapshot   ${iso(snapshot.at)}, ${megabytes(snapshot.bytes)} in ${snapshot.parts} parts`)
    console.log(`goes back  to ${iso(from ?? snapshot.at)}`)
  }
  console.log(`log        ${logged} files of the newest generation`)
  if (config.media === null) console.log(`photos     ${photos}`)
  const since = waiting && iso(Math.round(waiting.since))
  console.log(
    waiting ? `waiting    ${waiting.files} files (${megabytes(waiting.bytes)}) since ${since}` : 'waiting    nothing',
  )
  if (unmerged !== null) console.log(`unmerged   ${megabytes(unmerged)}: the place is slow, or refuses large files`)
  if (snapshot === null || (waiting !== null && Date.now() - waiting.since > bearableMs)) process.exitCode = 1
}
