import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newest } from '../src/storage/migrate.ts'

const root = join(import.meta.dir, '..')

// What the next release's step does, in either engine's SQL.
const up =
  'ALTER TABLE users ADD COLUMN pronouns TEXT; CREATE TABLE badges (user_id TEXT PRIMARY KEY NOT NULL, badge TEXT NOT NULL)'
const down = 'DROP TABLE badges; ALTER TABLE users DROP COLUMN pronouns'

export const nextStep = newest + 1
export const nextLabel = `${String(nextStep).padStart(4, '0')}_of_the_next_release`
export const nextVersion = '99.0.0'

/** The next release: this one with one more step of the schema, which says what it is compatible with. Answers how it is run. */
export async function newerBuild({ compatibleWith }: { compatibleWith?: number }) {
  const directory = mkdtempSync(join(tmpdir(), 'convene-newer-'))
  for (const name of ['src', 'migrations', 'package.json'])
    cpSync(join(root, name), join(directory, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  const steps = { up, down }
  const step = { number: nextStep, name: 'of_the_next_release', ...steps, postgres: steps, compatibleWith }
  await change(join(directory, 'migrations/index.ts'), /\]\n$/, `${JSON.stringify(step)},\n]\n`)
  await change(join(directory, 'package.json'), /"version": "[^"]+"/, `"version": "${nextVersion}"`)
  return {
    command: [process.execPath, join(directory, 'src/main.ts')],
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  }
}

async function change(path: string, from: RegExp, to: string) {
  const text = await Bun.file(path).text()
  if (!from.test(text)) throw new Error(`nothing to change in ${path}`)
  await Bun.write(
    path,
    text.replace(from, () => to),
  )
}
