import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { syncSteadily } from '../../src/storage/sqlite/steady-sync.ts'

const directory = mkdtempSync(join(tmpdir(), 'convene-sync-'))
afterAll(() => rmSync(directory, { recursive: true }))

test('the work’s result and the work’s error come through, and the file holds what was written', async () => {
  const path = join(directory, 'file')
  writeFileSync(path, '')
  const written = await syncSteadily(path, async () => {
    for (let i = 0; i < 20; i++) {
      writeFileSync(path, `${i},`, { flag: 'a' })
      await Bun.sleep(2)
    }
    return 20
  })
  expect(written).toBe(20)
  expect(readFileSync(path, 'utf8').split(',')).toHaveLength(21)
  await expect(syncSteadily(path, () => Promise.reject(new Error('the work failed')))).rejects.toThrow(
    'the work failed',
  )
})

test('a sync that fails fails the work, however well that ended', async () => {
  const nowhere = join(directory, 'nowhere')
  await expect(syncSteadily(nowhere, () => Bun.sleep(100))).rejects.toThrow('ENOENT')
  // Its own failure says more.
  await expect(syncSteadily(nowhere, () => Promise.reject(new Error('no space')))).rejects.toThrow('no space')
})
