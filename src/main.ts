import { isMainThread } from 'node:worker_threads'
import { type Command, UsageError } from './commands/command.ts'
import { readConfig, useConfigFile } from './config.ts'
import { version } from './version.ts'
import { codeOf, messageOf } from './lib/errors.ts'
import { Refusal } from './lib/refusal.ts'

/** Every command, as the help lists them. Each is loaded when it runs, so that none pays for another's start. */
const commands: Record<string, { summary: string; load(): Promise<Command> }> = {
  serve: { summary: 'run the server (the default command)', load: () => import('./commands/serve.ts') },
  migrate: {
    summary: 'bring the schema up to date, undo steps, list them',
    load: () => import('./commands/migrate.ts'),
  },
  backup: {
    summary: 'write a backup of database and photos, beside the running server',
    load: () => import('./commands/backup.ts'),
  },
  replica: {
    summary: 'show what the replica holds, and what is still to be shipped',
    load: () => import('./commands/replica.ts'),
  },
  restore: {
    summary: 'replace database and photos by a backup, or rebuild them from a replica',
    load: () => import('./commands/restore.ts'),
  },
  copy: {
    summary: 'move a community from one database to another: file to PostgreSQL, and back',
    load: () => import('./commands/copy.ts'),
  },
  check: { summary: 'examine the data directory and the settings', load: () => import('./commands/check.ts') },
  health: { summary: 'check whether the running server is alive', load: () => import('./commands/health.ts') },
  maintenance: {
    summary: 'make all nodes read-only for users, and end that',
    load: () => import('./commands/maintenance.ts'),
  },
  outbox: { summary: 'list, retry or drop outgoing deliveries', load: () => import('./commands/outbox.ts') },
  webhooks: { summary: 'list or retry webhooks that wait', load: () => import('./commands/webhooks.ts') },
  admin: { summary: 'give somebody a role, export or erase an account', load: () => import('./commands/admin.ts') },
  rules: {
    summary: 'write the rules about texts into a file, or read them from one',
    load: () => import('./commands/rules.ts'),
  },
  bank: {
    summary: 'write the hashes of banned images into a file, or read them from one',
    load: () => import('./commands/bank.ts'),
  },
  case: { summary: 'export one case for an authority', load: () => import('./commands/case.ts') },
  audit: { summary: 'export the audit log', load: () => import('./commands/audit.ts') },
  mail: { summary: 'show the mails, and send one to try the settings', load: () => import('./commands/mail.ts') },
  seed: {
    summary: 'fill an empty database with a community, for trying things',
    load: () => import('./commands/seed.ts'),
  },
}

const help = () => `Convene ${version}: the backend of a social meeting app.

usage: convene [command] [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(13)}${summary}`)
  .join('\n')}

  convene <command> --help      describes one command
  convene version               prints the release, its commit and its newest step of the schema; so does --version

Settings are environment variables, or stand in a file: --config FILE, else convene.toml in DATA_DIR. All are optional: see
convene serve --help.
Exit codes: 0 fine, 1 failure, 2 wrong usage. LOG_LEVEL=debug shows where a failure came from.`

async function release(): Promise<string> {
  const [{ commit }, { newest }] = await Promise.all([import('./commit.ts'), import('./storage/migrate.ts')])
  const from = commit()
  return `${version} (${from === null ? 'source' : `commit ${from}`}, schema ${newest})`
}

/** The arguments without `--config FILE`, which every command takes. */
function withoutConfigFile(args: string[]): string[] {
  const at = args.findIndex((arg) => arg === '--config' || arg.startsWith('--config='))
  if (at === -1) return args
  const isJoined = args[at] !== '--config'
  const path = isJoined ? args[at]!.slice('--config='.length) : args[at + 1]
  if (path === undefined || path === '') throw new UsageError('--config needs the name of a file')
  useConfigFile(path)
  return args.toSpliced(at, isJoined ? 1 : 2)
}

async function main(commandLine: string[]) {
  const [name = 'serve', ...args] = withoutConfigFile(commandLine)
  if (name === '--help' || name === '-h') return console.log(help())
  if (name === '--version' || name === '-v' || (name === 'version' && args.length === 0))
    return console.log(await release())
  if (!Object.hasOwn(commands, name))
    throw new UsageError(`unknown ${name.startsWith('-') ? 'option' : 'command'} '${name}'`)
  const command = await commands[name]!.load()
  if (args.includes('--help') || args.includes('-h')) return console.log(command.help)
  try {
    await command.run(args)
  } catch (error) {
    throw command.onlyOurDatabase ? await namingDatabase(error) : error
  }
}

/** Adds the database's name to an error: SQLite says `disk I/O error` without naming the file. */
async function namingDatabase(error: unknown): Promise<unknown> {
  const { namingDatabase } = await import('./commands/database.ts')
  try {
    return namingDatabase(readConfig().database, error)
  } catch {
    // The configuration itself is what is wrong.
    return error
  }
}

function fail(error: unknown, [name = '']: string[]): never {
  const message = error instanceof Refusal ? error.detail : messageOf(error)
  const isUsage = error instanceof UsageError || codeOf(error).startsWith('ERR_PARSE_ARGS')
  // The first sentence of a message of parseArgs names the problem; the rest is about quoting.
  const line = isUsage ? lowerFirst(message.split(/\.?(?:\s*\n|\. )/)[0]!) : message.replaceAll(/\s+/g, ' ')
  const hint = isUsage ? ` (see convene ${Object.hasOwn(commands, name) ? `${name} ` : ''}--help)` : ''
  console.error(`convene: ${line}${hint}`)
  if (!isUsage && isDebugging()) console.error(error)
  process.exit(isUsage ? 2 : 1)
}

// The names of arguments, such as KIND, stay as they are.
const lowerFirst = (text: string) => (/^[A-Z][A-Z]/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1))

function isDebugging(): boolean {
  try {
    return ['debug', 'trace'].includes(readConfig().logLevel)
  } catch {
    // The configuration itself is what is wrong.
    return false
  }
}

if (isMainThread) {
  const commandLine = process.argv.slice(2)
  main(commandLine).catch((error) => fail(error, commandLine))
} else await (await import('./workers/worker.ts')).runWorker()
