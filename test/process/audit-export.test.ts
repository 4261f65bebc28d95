import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testApp } from '../app.ts'
import { convene } from '../convene.ts'

const root = mkdtempSync(join(tmpdir(), 'convene-audit-'))
afterAll(() => rmSync(root, { recursive: true }))

test('the audit log is written to a file for its owner, whole and newest first, and that it was taken is in it', async () => {
  const databasePath = join(root, 'convene.db')
  const app = await testApp({}, { databasePath })
  const settings = { DATA_DIR: app.dataDir, DATABASE_URL: `sqlite:${databasePath}`, JWT_SECRET: 'x'.repeat(32) }
  const ada = await app.person('Ada')
  // More than one look at the log reads.
  const { audit } = app.services
  for (let i = 0; i < 1100; i++) await audit.record('report_read', ada.id, null, { i })
  const file = (name: string) => join(root, name)

  const all = await convene(['audit', 'export', file('all.jsonl')], settings)
  expect([all.code, all.err]).toEqual([0, ''])
  expect(statSync(file('all.jsonl')).mode & 0o777).toBe(0o600)
  const lines = readFileSync(file('all.jsonl'), 'utf8').trimEnd().split('\n')
  const entries = lines.map(
    (line) => JSON.parse(line) as { id: string; at: string; action: string; metadata: { i: number } },
  )
  expect(all.out).toBe(`${entries.length} entries are in ${file('all.jsonl')}\n`)
  const own = entries.filter(({ action }) => action === 'report_read')
  expect(own.map(({ metadata }) => metadata.i)).toEqual(Array.from({ length: 1100 }, (_, i) => 1099 - i))
  expect(entries.map(({ at }) => at)).toEqual(
    entries
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  )
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length)

  const some = await convene(
    ['audit', 'export', file('some.csv'), '--csv', '--action', 'audit_exported', '--from', '2020-01-01'],
    settings,
  )
  expect(some.code).toBe(0)
  const csv = readFileSync(file('some.csv'), 'utf8').trimEnd().split('\r\n')
  expect(csv[0]).toBe('id,at,actor_id,action,subject_id,metadata')
  // The export before, and this one.
  expect(csv.slice(1).length).toBeGreaterThanOrEqual(1)
  expect(csv.slice(1).every((line) => line.includes(',audit_exported,'))).toBe(true)

  for (const [args, code] of [
    [[file('all.jsonl')], 1],
    [[join(root, 'none', 'x')], 1],
    [[file('x'), '--from', 'yesterday'], 2],
    [[], 2],
  ] as const)
    expect([args, (await convene(['audit', 'export', ...args], settings)).code]).toEqual([args, code])
  expect(existsSync(file('x'))).toBe(false)
})
