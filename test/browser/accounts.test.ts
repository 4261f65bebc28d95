import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const chromium = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome')
if (!chromium) test.skip('SKIPPED: this machine has no Chromium', () => {})

test.skipIf(!chromium)('the walk through an account runs as documented, and leaves nothing behind', async () => {
  const demo = Bun.spawn([process.execPath, join(import.meta.dir, '../demo-accounts.ts')], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(demo.stdout).text(),
    new Response(demo.stderr).text(),
    demo.exited,
  ])
  expect(code, err).toBe(0)
  const lines = out.split('\n').map((line) => line.trim())
  for (const line of [
    'the page /verify says: “Your address is confirmed. You can close this page.”',
    'the page /reset says: “Your new password is set. Sign in with it.”',
    'email: ada.lovelace@example.org',
    'the passkey “Laptop” is hers',
    'her ways in: password (Password), oidc (Acme), passkey (Laptop), messenger (Telegram)',
    'One account, and four ways in.',
  ])
    expect(lines).toContain(line)
  expect(lines.filter((line) => line === 'it is the same account: true')).toHaveLength(4)
  const [, dataDir] = /over an empty directory, (\S+)\./.exec(out)!
  expect(existsSync(dataDir!)).toBe(false)
})
