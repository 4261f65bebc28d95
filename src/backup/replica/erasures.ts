import type { Logger } from 'pino'
import { erasuresIn, openErasureJournal } from '../../storage/files/erasure-journal.ts'
import { decode, type ReplicaKey, ReplicaError } from './format.ts'
import { journalName } from './names.ts'
import type { Place } from './place.ts'

/** Adds the erasures in the place's journal to this machine's journal, so that shipping this one loses none. */
export async function learnErasures(place: Place, path: string, key: ReplicaKey | null, log: Logger): Promise<void> {
  const bytes = await place.get(journalName)
  if (bytes === null) return
  try {
    const there = erasuresIn(decode('file', bytes, journalName, key).content().toString('utf8'))
    const journal = openErasureJournal(path)
    const known = await journal.read()
    const added = Array.from(there, ([user_id, at]) => ({ user_id, at })).filter(({ user_id }) => !known.has(user_id))
    if (added.length === 0) return
    await journal.add(added)
    log.warn({ count: added.length }, 'erasures of the replica that were missing in erasures.log have been added to it')
  } catch (error) {
    if (!(error instanceof ReplicaError)) throw error
    log.warn({ reason: error.message }, 'the journal of erasures in the replica is replaced')
  }
}
