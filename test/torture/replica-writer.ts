/**
 * The writer of a database with a replica, to be killed: `bun replica-writer.ts DIRECTORY SEED [faulty]`. Each commit adds
 * the next number to two tables and rewrites an older row. Once it is answered, a line says so: the number, and the time.
 * With `faulty`, the place fails, lags, answers twice, or does the work and answers with a failure.
 */
import { join } from 'node:path'
import { pino } from 'pino'
import { openReplica } from '../../src/backup/replica/open.ts'
import { openPlace, type Place } from '../../src/backup/replica/place.ts'
import { openCheckpoints } from '../../src/storage/sqlite/checkpoints.ts'
import { openDatabase, refuseDamagedAtStart } from '../../src/storage/sqlite/database.ts'
import { openReads } from '../../src/storage/sqlite/reads.ts'
import { openWriter, patienceWithReplicaMs } from '../../src/storage/sqlite/writer.ts'
import { random } from './random.ts'

const [directory = '', seed = '1', mode] = process.argv.slice(2)
const choices = random(seed)

function faulty(place: Place): Place {
  return {
    ...place,
    async put(name, bytes) {
      if (choices.chance(0.1)) await Bun.sleep(choices.integer(0, 300))
      if (choices.chance(0.05)) throw new Error('a fault: refused')
      await place.put(name, bytes)
      if (choices.chance(0.1)) await place.put(name, bytes)
      if (choices.chance(0.05)) throw new Error('a fault: done, and not said')
    },
    async remove(name) {
      if (choices.chance(0.1)) throw new Error('a fault: not removed')
      await place.remove(name)
    },
  }
}

const path = join(directory, 'data.db')
const place = openPlace(join(directory, 'place'))
const db = openDatabase(path)
const replica = openReplica({
  place: mode === 'faulty' ? faulty(place) : place,
  placeId: 'place',
  spool: join(directory, 'spool'),
  key: new Uint8Array(32),
  journal: join(directory, 'erasures.log'),
  keepDays: 7,
  log: pino({ level: 'silent' }),
  // All that a server does in a day comes round within seconds.
  snapshotEveryMs: 1500,
  segmentEveryMs: 700,
})
refuseDamagedAtStart(db, path)
await replica.log.open(path)
db.run('CREATE TABLE IF NOT EXISTS a (n INTEGER PRIMARY KEY, x BLOB)')
db.run('CREATE TABLE IF NOT EXISTS b (n INTEGER PRIMARY KEY)')
await replica.log.run()
const onFatal = (error: Error) => {
  console.error(error)
  process.exit(1)
}
const reads = openReads(db)
const checkpoints = openCheckpoints(db, reads, { onError: onFatal, after: 100, replica: replica.log })
const writer = openWriter(db, { onFatal, onCommit: checkpoints.onCommit, patienceMs: patienceWithReplicaMs }, reads)
const newest = db.prepare<{ n: number }, []>('SELECT coalesce(max(n), 0) AS n FROM a')
const [intoA, intoB, update] = [
  db.prepare('INSERT INTO a VALUES (?, ?)'),
  db.prepare('INSERT INTO b VALUES (?)'),
  db.prepare('UPDATE a SET x = ? WHERE n = ?'),
]
console.log('ready')
for (;;) {
  const n = await writer.write(() => {
    const { n } = newest.get()!
    intoA.run(n + 1, new Uint8Array(choices.integer(10, 6000)).fill(n % 250))
    intoB.run(n + 1)
    if (n > 0) update.run(new Uint8Array(choices.integer(10, 3000)), choices.integer(1, n))
    return n + 1
  })
  process.stdout.write(`${n} ${Date.now()}\n`)
  if (choices.chance(0.02)) await checkpoints.emptyLog()
  await Bun.sleep(choices.integer(0, 8))
}
