import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case } from '../torture/run.ts'

const read = (path: string) => readFileSync(join(import.meta.dir, '../..', path), 'utf8')
const items = read('docs/runbook.md')
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ title: text.split('\n')[0]!, text }))

test('the runbook has at least twenty items, numbered, each with what one sees, what to do and how to practise it', () => {
  expect(items.length).toBeGreaterThanOrEqual(20)
  expect(items.map(({ title }) => Number.parseInt(title))).toEqual(items.map((_, i) => i + 1))
  for (const { title, text } of items)
    for (const part of ['**You see:**', '**Do:**', '**Practise:**'])
      expect([title, part, text.split(part).length]).toEqual([title, part, 2])
})

test('each item names a test or a case that its command runs', async () => {
  for (const { title, text } of items) {
    const [, command, name] =
      /\*\*Practise:\*\* `bun (test \S+\.test\.ts|test\/torture\/main\.ts \w+)` → “([^”]+)”/.exec(text) ?? []
    expect([title, command !== undefined]).toEqual([title, true])
    const [, subject] = /^test\/torture\/main\.ts (\w+)$/.exec(command!) ?? []
    const path = subject === undefined ? command!.slice('test '.length) : `test/torture/${subject}.ts`
    expect([title, path, existsSync(join(import.meta.dir, '../..', path))]).toEqual([title, path, true])
    expect([title, name, read(path).includes(name!)]).toEqual([title, name!, true])
    if (subject === undefined) continue
    const { cases } = (await import(join(import.meta.dir, '../..', path))) as { cases: Case[] }
    // Without `--long`, the command leaves out what waits for minutes.
    const [practised] = cases.filter((one) => one.name === name && one.only !== 'long')
    expect([title, practised?.name]).toEqual([title, name!])
  }
})

test('each alert that it names is one, and each command', () => {
  const alerts = new Set([...read('deploy/alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name!))
  const named = [...read('docs/runbook.md').matchAll(/`(Convene[A-Z]\w+)`/g)].map(([, name]) => name!)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !alerts.has(name))).toEqual([])
  const main = read('src/main.ts')
  for (const [, command] of read('docs/runbook.md').matchAll(/`convene (\w+)/g))
    expect([command, command === 'version' || main.includes(`\n  ${command}: {`)]).toEqual([command, true])
})
