import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

test('the demo lets two people talk, tells what each sees, and ends by itself', async () => {
  const demo = Bun.spawn([process.execPath, join(import.meta.dir, '../demo.ts')], { stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([
    new Response(demo.stdout).text(),
    new Response(demo.stderr).text(),
    demo.exited,
  ])
  expect([code, err]).toEqual([0, ''])
  const lines = out.split('\n').map((line) => line.trim())
  for (const line of [
    'Bob ← #2 a message: “Hi Bob! Coffee at the rivr?”',
    'Ada ← #3 1 message read',
    'Ada ← #4 a photo of 640 × 480, “This river?”',
    'Bob ← #5 a message edited: “Hi Bob! Coffee at the river?”',
    'Bob · connected since #5; the newest event is #8, resume: ok',
    'Bob ← #7 a message: “Yes, that one.”',
    'Bob ← #9 a message deleted; a tombstone stays',
    'Ada: (deleted)',
    'Ada and Bob saw the same 9 events, each once and in order.',
  ])
    expect(lines).toContain(line)
  // Without a terminal there is nothing but text.
  expect(out).not.toContain('\x1b')
  const [, dataDir] = /over an empty directory, (\S+)\./.exec(out)!
  expect(existsSync(dataDir!)).toBe(false)
})
