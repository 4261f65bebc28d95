/**
 * A server for `bench tail`: it runs a job when it is told to, and says how long its event loop has stood still, and
 * how much of that it computed: the rest is what other programs took of the processor, or the disk. Takes its
 * settings from the environment like any other, and over IPC `{ job }` and `'pause'`.
 */
import { buildApp } from '../src/app.ts'
import { openReplicaOf } from '../src/backup/replica/of-config.ts'
import { readConfig } from '../src/config.ts'
import { openWebFiles } from '../src/http/web-files.ts'
import { readSecrets } from '../src/installation/secrets.ts'
import { jobs } from '../src/jobs.ts'
import { listen } from '../src/listen.ts'
import { buildServices } from '../src/services.ts'
import { openStorage } from '../src/storage/open.ts'
import { openLog } from '../src/telemetry/log.ts'

export type Asked = { job: string } | 'pause'
export type Pauses = { longestMs: number; busiestMs: number }
export type Told = 'ready' | { count: number } | Pauses

// A timer of one millisecond is late by as long as the loop was busy.
const everyMs = 1

const tell = (told: Told) => process.send!(told)

const config = readConfig()
const log = openLog(config)
const secrets = readSecrets(config)
const replica = openReplicaOf(config, log)
const { storage } = await openStorage(config.database, {
  replica: replica?.log,
  onFatal(error) {
    throw error
  },
})
const services = buildServices({ config, secrets, storage, log, replica })
listen(buildApp(services, await openWebFiles()), services, config)
await services.delivery.start(true)
const list = jobs(services)

const none: Pauses = { longestMs: 0, busiestMs: 0 }
let pauses = none
let last = { at: performance.now(), cpuMs: cpuMs() }
setInterval(() => {
  const now = { at: performance.now(), cpuMs: cpuMs() }
  pauses = {
    longestMs: Math.max(pauses.longestMs, now.at - last.at - everyMs),
    busiestMs: Math.max(pauses.busiestMs, now.cpuMs - last.cpuMs),
  }
  last = now
}, everyMs)

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** What a replica does that has missed commits: it starts again with a snapshot. */
async function snapshot(): Promise<number> {
  const before = replica!.report().snapshot_at
  await replica!.log.abandon()
  await replica!.log.begin()
  while (replica!.report().snapshot_at === before) await Bun.sleep(20)
  return 1
}

process.on('message', async (asked: Asked) => {
  if (asked === 'pause') {
    tell(pauses)
    pauses = none
    return
  }
  if (asked.job === 'snapshot') {
    tell({ count: await snapshot() })
    return
  }
  const job = list.find(({ name }) => name === asked.job)
  if (job === undefined) throw new Error(`there is no job ${asked.job}`)
  tell({ count: await job.run() })
})
process.on('SIGTERM', () => process.exit())
tell('ready')
