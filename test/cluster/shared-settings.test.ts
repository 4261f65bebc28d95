import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { legalService } from '../../src/features/legal/service.ts'
import { watchSharedSettings } from '../../src/installation/shared-settings.ts'
import { openStorage } from '../../src/storage/open.ts'
import { convene, startServer } from '../convene.ts'
import { newPostgres, noPostgres } from '../engines.ts'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

function directory() {
  const path = mkdtempSync(join(tmpdir(), 'convene-shared-'))
  cleanUp.push(() => rmSync(path, { recursive: true }))
  return path
}

function terms(text: string) {
  const path = directory()
  writeFileSync(join(path, 'terms.en.md'), text)
  return path
}

describe.skipIf(noPostgres !== null)(noPostgres ?? 'the settings of the nodes of one database', () => {
  test('are compared: each node says which of its own are not those of the node that started last', async () => {
    const { url, drop } = await newPostgres()
    const { storage } = await openStorage({ engine: 'postgres', url }, { onFatal() {} })
    cleanUp.push(drop, storage.close)
    function nodeWith(settings: Record<string, string>) {
      const config = readConfig({ DATABASE_URL: url, DATA_DIR: directory(), ...settings })
      const logged: unknown[] = []
      const log = {
        warn: ({ settings }: { settings: string[] }) => void logged.push(settings),
        info: (text: string) => void logged.push(text),
      }
      const legal = legalService({ dir: config.legalDir })
      const node = watchSharedSettings({
        store: storage.community,
        config,
        legal,
        key: new TextEncoder().encode('one secret of all nodes, long enough'),
        // oxlint-disable-next-line no-explicit-any -- two methods of the logger, in the forms that are used
        log: log as any,
      })
      cleanUp.push(node.stop)
      return { ...node, logged }
    }
    const one = nodeWith({ PORT: '3001', LEGAL_DIR: terms('Be kind.'), METRICS_TOKEN: 'a-token-of-one-node' })
    await one.remember()
    // Another directory with the same texts is no difference, nor is what belongs to each node.
    const same = nodeWith({ PORT: '3002', LEGAL_DIR: terms('Be kind.') })
    await same.remember()
    await one.look()
    expect(one.logged).toEqual([])
    const other = nodeWith({ PORT: '3003', LEGAL_DIR: terms('Be very kind.'), REGISTRATION: 'closed' })
    await other.remember()
    for (const node of [one, one, same, other]) await node.look()
    const [differing] = one.logged as string[][]
    expect(differing!.toSorted()).toEqual(['LEGAL_DIR', 'REGISTRATION'])
    expect([one.logged.length, same.logged.length, other.logged.length]).toEqual([1, 1, 0])
    await same.remember()
    for (const node of [one, other]) await node.look()
    expect(one.logged[1]).toBe('the settings are those of the other nodes again')
    expect(other.logged).toHaveLength(1)
    const stored = (await storage.community.all()).get('settings')!
    expect(stored).not.toContain('closed')
  })

  test('are remembered by a server, and convene check names what differs', async () => {
    const { url, drop } = await newPostgres()
    cleanUp.push(drop)
    const settings = { DATABASE_URL: url, DATA_DIR: directory() }
    const server = await startServer(settings)
    await server.end()
    const said = 'differ from the node that was started or reloaded last'
    expect((await convene(['check'], settings)).out).not.toContain(said)
    expect((await convene(['check'], { ...settings, MIN_AGE: '18', PORT: '0' })).out).toContain(`${said}: MIN_AGE\n`)
  })
})
