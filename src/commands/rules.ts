import { parseArgs } from 'node:util'
import { Value } from '@sinclair/typebox/value'
import { readConfig } from '../config.ts'
import { auditService } from '../features/audit/service.ts'
import { openCurrentRules } from '../features/filter/current.ts'
import { ruleEditing } from '../features/filter/editing.ts'
import { ruleFile } from '../features/filter/model.ts'
import { operator } from '../features/moderation/moderators.ts'
import { ids } from '../lib/ids.ts'
import { openPaging } from '../lib/paging.ts'
import { type FieldError, Refusal } from '../lib/refusal.ts'
import type { Storage } from '../storage/storage.ts'
import { thrown, UsageError } from './command.ts'
import { besideServer } from './database.ts'
import { readText, writeText } from './text-files.ts'

export const help = `usage: convene rules export FILE
       convene rules import FILE

Exports or imports the rules about what people write, as JSON. Works while the server runs; it applies changes within two seconds.

  export   writes all rules to FILE, or to the standard output if FILE is -
  import   replaces all rules with those in FILE, or from the standard input if FILE is -. Changes nothing if a rule is invalid`

export const onlyOurDatabase = true

// 20 000 words take less than half of it.
const largestFile = 2 * 1024 * 1024

export async function run(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true })
  const [action, file, ...more] = positionals
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  if (action !== 'import' && action !== 'export') throw new UsageError('rules takes import or export')
  if (file === undefined) throw new UsageError(`rules ${action} takes a file`)
  await (action === 'export' ? exportTo(file) : importFrom(file))
}

async function exportTo(file: string) {
  await withEditing(async (editing) => {
    const { items } = await editing.list()
    await writeText(file, `${JSON.stringify({ rules: items }, null, 2)}\n`)
    if (file !== '-') console.log(`${items.length} rules written to ${file}`)
  })
}

async function importFrom(file: string) {
  const text = await readText(file, largestFile)
  const shown = file === '-' ? 'the standard input' : file
  const rules = rulesOf(text, shown)
  await withEditing(async (editing) => {
    try {
      console.log(`${await editing.replaceAll(operator, rules)} rules are in force`)
    } catch (error) {
      if (!(error instanceof Refusal) || error.errors === undefined) throw error
      throw new Error(`${shown}: ${shownProblems(error.errors)}`, { cause: error })
    }
  })
}

function rulesOf(text: string, shown: string) {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw new Error(`${shown} is not JSON`, { cause: error })
  }
  if (Value.Check(ruleFile, body)) return body.rules
  const problems = [...Value.Errors(ruleFile, body)].slice(0, 5)
  throw new Error(
    `${shown}: ${shownProblems(problems.map(({ path, message, schema }) => ({ path, code: 'format', message: typeof schema.error === 'string' ? schema.error : message })))}`,
  )
}

const shownProblems = (problems: readonly FieldError[]) =>
  problems.map(({ path, message }) => `${path || '/'}: ${message}`).join('; ')

const withEditing = (work: (editing: ReturnType<typeof editingOf>) => Promise<void>) =>
  besideServer(readConfig(), (storage) => work(editingOf(storage)))

const editingOf = (storage: Storage) =>
  ruleEditing({
    store: storage.filter,
    rules: openCurrentRules({ store: storage.filter, now: Date.now }),
    nodes: null,
    audit: auditService({ store: storage.audit, ids, now: Date.now, failed: thrown }),
    paging: openPaging({ secret: new Uint8Array(32) }),
    ids,
    now: Date.now,
  })
