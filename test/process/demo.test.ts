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

test('the demo of notifications shows what each channel got', async () => {
  const demo = Bun.spawn([process.execPath, join(import.meta.dir, '../demo.ts'), 'notifications'], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(demo.stdout).text(),
    new Response(demo.stderr).text(),
    demo.exited,
  ])
  expect([code, err]).toEqual([0, ''])
  const summary = out.slice(out.indexOf('What each channel got')).split('\n')
  expect(summary.slice(1).map((line) => line.trim())).toEqual([
    'Web Push, Ada:',
    '1. Convene: “Bob sent a message” (unread: 1, tag chat_…)',
    '2. Bob: “The blue bench.” (unread: 1, tag chat_…)',
    'The bot, Bob:',
    '1. sendMessage: “Convene: Ada opened a chat with you” [https://t.me/tests_bot/meet?startapp=chat_…]',
    '2. editMessageText: “Convene: Ada sent a message” [https://t.me/tests_bot/meet?startapp=chat_…]',
    '3. the message is taken back',
    '4. sendMessage: “Convene: Ada sent a message” [https://t.me/tests_bot/meet?startapp=chat_…]',
    '5. the message is taken back',
    '',
  ])
})
