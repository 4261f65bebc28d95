import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { longestText } from '../../src/features/maintenance/rules.ts'
import { consents, password } from '../app.ts'
import { convene, startServer } from '../convene.ts'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

const text = 'We move until 22:00 UTC.'

test('the command has taken effect on a running server when it returns, and after a restart', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'convene-maintenance-'))
  cleanUp.push(() => rmSync(dataDir, { recursive: true }))
  const settings = { DATA_DIR: dataDir, RATE_LIMIT: 'off' }
  let server = await startServer(settings)
  cleanUp.push(() => server.end('SIGKILL'))
  const register = async (email: string) => {
    const answer = await fetch(new URL('/api/v1/auth/register', server.base), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password, name: 'Ada', consents }),
    })
    return [answer.status, ((await answer.json()) as { code?: string }).code]
  }
  expect(await register('ada@example.org')).toEqual([201, undefined])
  expect((await convene(['maintenance', 'status'], settings)).out).toBe('maintenance is off\n')
  expect(await convene(['maintenance', 'on', text], settings)).toMatchObject({
    code: 0,
    out: 'maintenance is on: people can read but not write\n',
  })
  expect(await register('bob@example.org')).toEqual([503, 'maintenance'])
  const shown = JSON.parse((await convene(['maintenance', 'status', '--json'], settings)).out)
  expect(shown.maintenance).toEqual({ text, since: expect.any(String), retry_after_s: 60 })
  expect(await server.end()).toBe(0)
  server = await startServer(settings)
  expect(await register('bob@example.org')).toEqual([503, 'maintenance'])
  expect((await convene(['maintenance', 'off'], settings)).code).toBe(0)
  expect(await register('bob@example.org')).toEqual([201, undefined])
  expect(await server.end()).toBe(0)

  for (const args of [
    ['on'],
    ['on', ' '],
    ['on', 'a\nb'],
    ['on', 'x'.repeat(longestText + 1)],
    ['on', 'a', 'b'],
    ['off', 'a'],
    ['on', 'a', '--retry-after', '0'],
    [],
  ])
    expect([args, (await convene(['maintenance', ...args], settings)).code]).toEqual([args, 2])
}, 60_000)
