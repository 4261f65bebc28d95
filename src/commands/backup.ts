import { closeSync, existsSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, readConfig } from '../config.ts'
import { openByteProgress } from '../progress.ts'
import { openDiskFiles, syncDirectory } from '../storage/files/disk.ts'
import { refuseForeign } from '../storage/open.ts'
import { backupBytes, writeBackup } from '../storage/sqlite/backup.ts'
import { version } from '../version.ts'
import { UsageError } from './command.ts'
import { requireDatabase, sqlitePath } from './database.ts'

export const help = `usage: convene backup FILE [--force]

Writes a backup of the database and of all photos to FILE, while the server runs and goes on writing. It is one moment's
state, examined before it is called good, and FILE appears only then: what is there under that name is whole. It needs as
much room as the database and the photos.

  --force   replaces FILE where it exists

FILE is a SQLite database, readable by its owner only. It holds everybody's messages: keep it as safe as the server.
Secrets are not in it. Keep DATA_DIR/location-key and DATA_DIR/jwt-secret apart from it, and DATA_DIR/erasures.log too:
that one erases again whom an older backup brings back.

For backups by the clock see BACKUP_DIR in convene serve --help.`

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: { force: { type: 'boolean' } }, allowPositionals: true })
  const [file, ...more] = positionals
  if (file === undefined) throw new UsageError('where to? backup FILE')
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  const target = resolve(file)
  const { users, messages, photos } = await backUp(readConfig(), target, { force: values.force ?? false })
  const size = (statSync(target).size / 1e6).toFixed(1)
  console.log(`backed up ${users} users, ${messages} messages and ${photos} photos to ${target} (${size} MB)`)
}

async function backUp(config: Config, target: string, { force }: { force: boolean }) {
  const databasePath = sqlitePath(config, 'back that up with pg_dump, and DATA_DIR as files')
  if (databasePath === ':memory:') throw new Error('a database in memory has no backup: leave DATABASE_URL out')
  requireDatabase(databasePath)
  await refuseForeign(config.database)
  if (!existsSync(dirname(target))) throw new Error(`there is no directory ${dirname(target)}`)
  const refuseExisting = () => {
    if (!existsSync(target)) return
    if (realpathSync(target) === realpathSync(databasePath)) throw new Error(`${target} is the database itself`)
    if (!force) throw new Error(`${target} exists: choose another name, or replace it with --force`)
  }
  refuseExisting()
  const part = `${target}.${randomBytes(4).toString('hex')}.part`
  closeSync(openSync(part, 'wx', 0o600))
  try {
    const files = openDiskFiles(join(config.dataDir, 'media'))
    const progress = await openByteProgress('backing up', backupBytes(databasePath))
    const contents = await writeBackup(part, {
      databasePath,
      files,
      release: version,
      at: Date.now(),
      onBytes: progress.advance,
    }).finally(progress.stop)
    refuseExisting()
    renameSync(part, target)
    await syncDirectory(dirname(target))
    return contents
  } finally {
    for (const left of [part, `${part}-journal`]) rmSync(left, { force: true })
  }
}
