/**
 * Torture: the real server under faults, deaths, overload and hostile input. Seeded: the same seed makes the same choices.
 *
 *     bun test/torture/main.ts [subject…] [--short | --long] [--seed S]
 *
 * The short form (the default) takes some minutes in all, the long one some twenty-five. Against the binary that CONVENE_BIN
 * names, or the sources. Exits 1 where a case fails; what it worked on stays in its directory then.
 *
 * All that the servers print is searched for tokens, passwords, positions and what people wrote: see server.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import * as backup from './backup.ts'
import * as clock from './clock.ts'
import * as cluster from './cluster.ts'
import * as disk from './disk.ts'
import * as engines from './engines.ts'
import * as fuzz from './fuzz.ts'
import * as kill from './kill.ts'
import * as notifications from './notifications.ts'
import * as overload from './overload.ts'
import { random } from './random.ts'
import * as replica from './replica.ts'
import { type Case, Skipped, TooSlow } from './run.ts'
import { endAll } from './server.ts'
import * as shutdown from './shutdown.ts'

const subjects: Record<string, { cases: Case[] }> = {
  kill,
  disk,
  backup,
  replica,
  clock,
  shutdown,
  overload,
  fuzz,
  engines,
  cluster,
  notifications,
}

const { values, positionals } = commandLine()
// What many do at once is awaited together in the end, and fails the case there.
process.on('unhandledRejection', () => {})
process.on('SIGINT', () => process.exit(130))

const long = values.long ?? false
const longest = long ? 45 * 60_000 : 180_000
const count = { passed: 0, failed: 0, skipped: 0 }

for (const name of positionals.length > 0 ? positionals : Object.keys(subjects)) {
  console.log(`\n${name}`)
  for (const one of subjects[name]!.cases)
    if (one.only === undefined || (one.only === 'long') === long) await attempt(name, one)
}
const minutes = (performance.now() / 60_000).toFixed(1)
console.log(`\nseed ${values.seed}, ${long ? 'long' : 'short'} form, ${minutes} minutes`)
// As `bun test` ends, so that both are counted alike.
console.log(` ${count.passed} pass\n ${count.failed} fail\n ${count.skipped} skip`)
process.exit(count.failed > 0 ? 1 : 0)

function commandLine() {
  const options = {
    short: { type: 'boolean' },
    long: { type: 'boolean' },
    seed: { type: 'string', default: '1' },
  } as const
  try {
    const parsed = parseArgs({ options, allowPositionals: true })
    const isKnown = parsed.positionals.every((name) => Object.hasOwn(subjects, name))
    if (isKnown && !(parsed.values.short && parsed.values.long)) return parsed
  } catch {
    // An option that there is not.
  }
  console.error(`usage: bun test/torture/main.ts [${Object.keys(subjects).join('|')}]… [--short|--long] [--seed S]`)
  return process.exit(2)
}

async function attempt(subject: string, { name, run }: Case) {
  const directory = mkdtempSync(join(tmpdir(), 'convene-torture-'))
  const began = performance.now()
  const figures: string[] = []
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1)
  const watchdog = Promise.withResolvers<never>()
  const timer = setTimeout(() => watchdog.reject(new Error('took too long')), longest)
  try {
    await Promise.race([
      watchdog.promise,
      run({
        long,
        // Of the case's name too, so that one run alone does what it does among the others.
        random: random(`${values.seed} ${subject} ${name}`),
        directory,
        measured: (line) => void figures.push(line),
        inTime(holds, missed) {
          if (holds) return
          if (long) throw new TooSlow(missed)
          figures.push(`not in time: ${missed}`)
        },
      }),
    ])
    await endAll()
    count.passed++
    console.log(`  pass  ${name} (${seconds()} s)`)
    rmSync(directory, { recursive: true, force: true })
  } catch (error) {
    if (error instanceof Skipped) {
      count.skipped++
      console.log(`  skipped  ${name}: ${error.message}`)
      rmSync(directory, { recursive: true, force: true })
    } else {
      count.failed++
      console.log(`  FAIL  ${name} (${seconds()} s), see ${directory}`)
      console.log(
        `${error instanceof Error ? (error.stack ?? error.message) : String(error)}`.replaceAll(/^/gm, '        '),
      )
    }
  } finally {
    clearTimeout(timer)
    await endAll().catch(() => {})
  }
  for (const figure of figures) console.log(`        ${figure}`)
}
