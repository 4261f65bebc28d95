import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { auditService } from '../features/audit/service.ts'
import { bankLine, readBank } from '../features/image-bank/rules.ts'
import { imageBankService } from '../features/image-bank/service.ts'
import { operator } from '../features/moderation/moderators.ts'
import { ids } from '../lib/ids.ts'
import { openPaging } from '../lib/paging.ts'
import type { Storage } from '../storage/storage.ts'
import { thrown, UsageError } from './command.ts'
import { besideServer } from './database.ts'
import { readText, writeText } from './text-files.ts'

export const help = `usage: convene bank export FILE
       convene bank import FILE

Exports or imports the hashes of banned images, one line for each: hash,distance,reason. The hash is a PDQ hash of 64 hexadecimal
digits. Without a distance, that of the rule applies, or 31. Works while the server runs; it applies changes within two seconds.

  export   writes all hashes to FILE, or to the standard output if FILE is -
  import   adds the hashes in FILE, or from the standard input if FILE is -. Imports nothing if a line is invalid or there is no
           room for all. Replaces the entry of a hash that is banned already, and removes none. Stores parts, so that servers can
           write in between: if it is interrupted, import FILE again`

export const onlyOurDatabase = true

// 100 000 lines of usual length take a fifth of it.
const largestFile = 64 * 1024 * 1024
const shownProblems = 10

export async function run(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true })
  const [action, file, ...more] = positionals
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  if (action !== 'import' && action !== 'export') throw new UsageError('bank takes import or export')
  if (file === undefined) throw new UsageError(`bank ${action} takes a file`)
  await (action === 'export' ? exportTo(file) : importFrom(file))
}

async function exportTo(file: string) {
  await withBank(async (bank) => {
    let text = ''
    let count = 0
    for await (const entries of bank.all()) {
      text += entries.map(bankLine).join('')
      count += entries.length
    }
    await writeText(file, text)
    if (file !== '-') console.log(`${count} hashes written to ${file}`)
  })
}

async function importFrom(file: string) {
  const shown = file === '-' ? 'the standard input' : file
  const read = readBank(await readText(file, largestFile))
  if ('problems' in read) {
    const lines = read.problems.slice(0, shownProblems).map(({ line, message }) => `line ${line}: ${message}`)
    const left = read.problems.length - lines.length
    throw new Error(
      `nothing is imported, because ${shown} has errors: ${lines.join('; ')}${left > 0 ? `; and ${left} more` : ''}`,
    )
  }
  await withBank(async (bank) => {
    await bank.addAll(operator, read.entries)
    console.log(`${read.entries.length} hashes are banned`)
  })
}

const withBank = (work: (bank: ReturnType<typeof bankOf>) => Promise<void>) =>
  besideServer(readConfig(), (storage) => work(bankOf(storage)))

const bankOf = (storage: Storage) =>
  imageBankService({
    store: storage.imageBank,
    // Images are banned by their hashes alone here.
    hashesOf: async () => 'no_such_image',
    nodes: null,
    audit: auditService({ store: storage.audit, ids, now: Date.now, failed: thrown }),
    paging: openPaging({ secret: new Uint8Array(32) }),
    ids,
    now: Date.now,
  })
