import { parseArgs } from 'node:util'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { backups } from './check/backups.ts'
import { buckets } from './check/buckets.ts'
import { dataDirectory } from './check/data-directory.ts'
import { database } from './check/database.ts'
import { disk } from './check/disk.ts'
import { type Finding, wrong } from './check/finding.ts'
import { bot } from './check/bot.ts'
import { mail } from './check/mail.ts'
import { push } from './check/push.ts'
import { redis } from './check/redis.ts'
import { replica } from './check/replica.ts'
import { settings } from './check/settings.ts'
import { webhooks } from './check/webhooks.ts'
import { imageCheck } from './check/image-check.ts'

export const help = `usage: convene check

Checks an installation and changes nothing. Works while the server runs. It reads the whole database, which takes about ten
seconds per gigabyte. Run it with the same environment, and as the same user, as the server.

It checks
  - the settings, and whether any is unsafe in production
  - Redis, the mail server (it accepts the login; no mail is sent), the Telegram bot, and where webhooks go
  - who else can read the data directory and the secrets
  - the buckets of images and backups
  - the schema and the integrity of the database, and its search index
  - on PostgreSQL, whether the database stores a test write of 64 kB, which is removed at once
  - the photos: all of them on a disk, a sample in a bucket
  - accounts made by convene seed
  - the free disk space and the clock
  - the age of the newest backup in BACKUP_DIR, and the state of the replica

For each problem it says how to fix it.

Exit code: 0 if all is well, 1 if something is wrong.`

export async function run(args: string[]): Promise<void> {
  parseArgs({ args })
  let problems = 0
  for await (const { text, fix } of examine()) {
    console.log(fix === undefined ? `ok     ${text}` : `WRONG  ${text}\n       to fix it: ${fix}`)
    if (fix !== undefined) problems++
  }
  console.log(problems === 0 ? 'All is well.' : `${problems} ${problems === 1 ? 'thing is' : 'things are'} wrong.`)
  // Bun goes on waiting for a list that a bucket has not answered, for minutes.
  process.exit(problems > 0 ? 1 : 0)
}

async function* examine(): AsyncGenerator<Finding> {
  let config: Config
  try {
    config = readConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return yield wrong(error.message, 'correct it, or leave it out: convene serve --help lists the settings')
  }
  yield* settings(config)
  yield* push(config)
  yield* webhooks(config)
  yield* imageCheck(config)
  if (config.redis !== null) yield redis(config.redis)
  yield* mail(config)
  yield* bot(config)
  yield* buckets(config)
  const { usable } = yield* dataDirectory(config)
  if (!usable) return
  yield* database(config)
  yield* disk(config)
  yield* backups(config, Date.now())
  yield* replica(config, Date.now())
}
