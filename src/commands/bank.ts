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
import { openBesideServer } from './database.ts'

export const help = `usage: convene bank export FILE
       convene bank import FILE

The hashes of banned images, a line for each: hash,distance,reason. The hash is PDQ's, 64 hexadecimal digits; without a distance
the rule that asks says it, or 31. Works while the server runs, which decides by them within two seconds.

  export   writes all of them into the file; - is the standard output
  import   adds those of the file, if all of its lines are valid; - is the standard input. What an admin has said of the same
           hash is replaced, and nothing is removed`

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
    await Bun.write(file === '-' ? Bun.stdout : file, text)
    if (file !== '-') console.log(`${count} hashes written to ${file}`)
  })
}

async function importFrom(file: string) {
  const shown = file === '-' ? 'the standard input' : file
  const read = readBank(await readText(file))
  if ('problems' in read) {
    const lines = read.problems.slice(0, shownProblems).map(({ line, message }) => `line ${line}: ${message}`)
    const left = read.problems.length - lines.length
    throw new Error(
      `${shown}, of which nothing is imported: ${lines.join('; ')}${left > 0 ? `; and ${left} more` : ''}`,
    )
  }
  await withBank(async (bank) => {
    await bank.addAll(operator, read.entries)
    console.log(`${read.entries.length} hashes are banned`)
  })
}

async function readText(file: string): Promise<string> {
  const source = file === '-' ? Bun.stdin : Bun.file(file)
  if (file !== '-' && source.size > largestFile) throw tooLarge()
  const text = await source.text()
  if (text.length > largestFile) throw tooLarge()
  return text
}

const tooLarge = () => new Error(`a file of hashes has up to ${largestFile / 1024 / 1024} MB`)

async function withBank(work: (bank: ReturnType<typeof bankOf>) => Promise<void>) {
  const { storage, close } = await openBesideServer(readConfig())
  try {
    await work(bankOf(storage))
  } finally {
    await close()
  }
}

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
