import { expect, test } from 'bun:test'
import { newPath } from '../installation.ts'
import { command, convene, startServer } from '../convene.ts'

const hashOf = (digit: string) => digit.repeat(64)

test('a bank is imported as a whole or not at all, and exported as it is', async () => {
  const settings = { DATA_DIR: newPath() }
  expect((await convene(['migrate', 'up'], settings)).code).toBe(0)
  const [good, bad, out] = [newPath('.csv'), newPath('.csv'), newPath('.csv')]
  await Bun.write(good, `hash,distance,reason\n${hashOf('a')},20,A scam\n${hashOf('b')},,"Spam, again"\n`)
  await Bun.write(bad, `${hashOf('c')},,fine\n${hashOf('d')},200,too far\nnonsense\n`)

  expect(await convene(['bank', 'import', good], settings)).toMatchObject({ code: 0, out: '2 hashes are banned\n' })
  const refused = await convene(['bank', 'import', bad], settings)
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('nothing is imported')
  expect(refused.err).toContain('line 2: expected a distance from 0 to 90')
  expect(refused.err).toContain('line 3: expected hash,distance,reason')

  await Bun.write(good, `${hashOf('b')},5,Spam\n`)
  expect((await convene(['bank', 'import', good], settings)).code).toBe(0)
  expect((await convene(['bank', 'export', out], settings)).out).toContain('2 hashes written')
  expect((await Bun.file(out).text()).split('\r\n').toSorted()).toEqual(
    ['', `${hashOf('a')},20,A scam`, `${hashOf('b')},5,Spam`].toSorted(),
  )
  expect((await convene(['bank', 'export', '-'], settings)).out).toContain(hashOf('a'))
  expect((await convene(['bank', 'remove', out], settings)).code).toBe(2)
}, 60_000)

test('a large bank is imported, and a server beside it goes on writing', async () => {
  const settings = { DATA_DIR: newPath(), RATE_LIMIT: 'off' }
  const file = newPath('.csv')
  // More than 32 MB of log, after which a server starts a thread.
  const most = 20_000
  await Bun.write(file, Array.from({ length: most }, (_, i) => `${Bun.SHA256.hash(`${i}`, 'hex')},,Spam\n`).join(''))
  expect((await convene(['migrate', 'up'], settings)).code).toBe(0)
  const done = { code: 0, out: `${most} hashes are banned\n`, err: '' }
  // The second one replaces every entry, which writes more.
  for (let i = 0; i < 2; i++) expect(await convene(['bank', 'import', file], settings)).toEqual(done)

  const server = await startServer(settings)
  const call = async (method: string, path: string, body: object, token?: string) =>
    fetch(new URL(`/api/v1${path}`, server.base), {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    })
  const registered = await call('POST', '/auth/register', {
    email: 'ada@example.org',
    password: 'ada and green bottles',
    name: 'Ada',
    consents: { terms: true, privacy: true, disclaimer: true },
  })
  const { access_token } = (await registered.json()) as { access_token: string }
  let isDone = false
  const again = convene(['bank', 'import', file], settings).finally(() => (isDone = true))
  const refused: number[] = []
  while (!isDone) {
    const { status } = await call('PUT', '/me', { bio: 'I am here' }, access_token)
    if (status !== 200) refused.push(status)
    await Bun.sleep(20)
  }
  expect(await again).toEqual(done)
  expect(refused).toEqual([])
  await server.end()
}, 120_000)

test('a file that cannot be read is named, a pipe is read, and one that never ends is not', async () => {
  const settings = { DATA_DIR: newPath() }
  expect((await convene(['migrate', 'up'], settings)).code).toBe(0)
  for (const what of ['bank', 'rules']) {
    const missing = newPath('.csv')
    expect(await convene([what, 'import', missing], settings)).toMatchObject({
      code: 1,
      err: `convene: ${missing} cannot be read (ENOENT)\n`,
    })
    const endless = await convene([what, 'import', '/dev/zero'], settings)
    expect(endless.err).toContain('is larger than the limit')
  }
  const shell = async (script: string) => {
    const child = Bun.spawn(['bash', '-c', script, 'bash', ...command], {
      env: { PATH: process.env.PATH, ...settings },
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: 30_000,
    })
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { out, err, code: await child.exited }
  }
  expect(await shell('"$@" rules import - < /dev/zero')).toMatchObject({
    code: 1,
    err: 'convene: the standard input is larger than the limit of 2 MB\n',
  })
  const lines = (n: number) => `for i in $(seq ${n}); do printf "%064x,,Spam\\n" $i; done`
  expect(await shell(`"$@" bank import <(${lines(3000)})`)).toEqual({
    code: 0,
    out: '3000 hashes are banned\n',
    err: '',
  })
  // The rest does not fit into a pipe that nobody reads.
  const first = await shell('set -o pipefail; "$@" bank export - | head -n 1')
  expect(first).toMatchObject({ code: 0, err: '' })
}, 60_000)
