import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { consents, password } from '../app.ts'
import { fits, newClient, textsOf } from './people.ts'

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

test('messages that are sent while the server is killed again and again are each stored once, in order', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'convene-killed-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const start = async () => {
    const server = Bun.spawn([process.execPath, 'src/main.ts', 'serve'], {
      cwd: join(import.meta.dir, '../..'),
      env: { PATH: process.env.PATH, DATA_DIR: directory, PORT: `${port}`, LOG_LEVEL: 'silent', RATE_LIMIT: 'off' },
      stdout: 'ignore',
      stderr: 'ignore',
    })
    while (!(await fetch(`${url}/health`).catch(() => null))) await Bun.sleep(20)
    return server
  }
  let server = await start()
  try {
    const [ada, bob] = [newClient(url), newClient(url)]
    await ada.register({ email: 'ada@example.org', password, name: 'Ada', consents })
    const { user } = await bob.register({ email: 'bob@example.org', password, name: 'Bob', consents })
    const chat = await ada.chats.start(user.id)
    const his = bob.chats.open(chat.id)
    his.messages.subscribe(() => {})
    for (const client of [ada, bob]) client.connect()
    const sent: string[] = []
    for (let n = 0; n < 60; n++) {
      sent.push(`${n}`)
      await chat.send({ text: `${n}` })
      await Bun.sleep(n % 7)
      if (n % 20 !== 10) continue
      server.kill('SIGKILL')
      await server.exited
      server = await start()
    }
    await fits(his.messages, ({ items }) => items.length >= sent.length, 'he has them all')
    expect(textsOf(his.messages.get())).toEqual(sent)
    await fits(chat.messages, ({ items }) => items.every(({ state }) => state === 'sent'))
    const { data } = await bob.api.GET('/api/v1/chats/{id}/messages', {
      params: { path: { id: chat.id }, query: { limit: 100 } },
    })
    expect(textsOf(data!).toReversed()).toEqual(sent)
  } finally {
    server.kill('SIGKILL')
    await server.exited
    rmSync(directory, { recursive: true, force: true })
  }
}, 120_000)
