import { SQL } from 'bun'
import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ClusterNode, clusterProblem, joinCluster } from '../../src/installation/cluster.ts'
import { openStorage } from '../../src/storage/open.ts'
import { convene, startServer } from '../convene.ts'
import { newPostgres, noPostgres } from '../engines.ts'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  setSystemTime()
  for (const step of cleanUp.splice(0).reverse()) await step()
})

const pace = { aliveMs: 2000, beatMs: 100, lookMs: 50 }
const nothing = { onFatal() {} }

function dataDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'convene-nodes-'))
  cleanUp.push(() => rmSync(path, { recursive: true }))
  return path
}

async function emptyDatabase() {
  const { url, drop } = await newPostgres()
  const { storage } = await openStorage({ engine: 'postgres', url }, nothing)
  cleanUp.push(drop, storage.close)
  const store = storage.nodes!
  const nodes: { leave(): Promise<void> }[] = []
  cleanUp.push(() => Promise.all(nodes.map((node) => node.leave())))
  const logged: unknown[] = []
  const note = (...told: unknown[]) => void logged.push(told.at(-1))
  /** Starts a node; answers how it ended where it was refused. */
  async function start(host: string, lacks: string[] = [], place: string = crypto.randomUUID()) {
    const node: ClusterNode = { id: crypto.randomUUID(), place, host, lacks }
    try {
      const entered = await joinCluster({ store, node, log: { info: note, error: note }, pace })
      nodes.push(entered)
      return { ...entered, node }
    } catch (error) {
      return (error as Error).message
    }
  }
  /** A node that was killed without a word. */
  async function killed(host: string, lacks: string[] = [], place: string = crypto.randomUUID()) {
    await store.join({ id: crypto.randomUUID(), place, host, lacks }, pace.aliveMs, () => true)
  }
  return { url, store, start, killed, logged }
}

const entered = { leave: expect.any(Function), problem: expect.any(Function), node: expect.any(Object) }
const both: string[] = ['REDIS_URL', 'MEDIA_URL']

test('a node alone needs nothing, and several need both settings, on all of them', () => {
  const node = (lacks: string[], host = 'here') => ({ id: host, place: host, host, lacks })
  expect(clusterProblem(node(both), [])).toBeNull()
  expect(clusterProblem(node([]), [node([]), node([])])).toBeNull()
  expect(clusterProblem(node(both), [node([], 'there')])).toBe(
    'REDIS_URL and MEDIA_URL must be set, the same on all nodes: another node of this database runs on there',
  )
  expect(clusterProblem(node(['MEDIA_URL']), [node([], 'there')])).toStartWith('MEDIA_URL must be set, the same')
  expect(clusterProblem(node([]), [node([]), node(['REDIS_URL'], 'there')])).toBe(
    'REDIS_URL must be set on all nodes, and the node of this database on there runs without: set it there first, or stop that node',
  )
})

describe.skipIf(noPostgres !== null)(noPostgres ?? 'nodes of one database on PostgreSQL', () => {
  test('a second one is refused where either lacks what several need; the first one goes on', async () => {
    const { start } = await emptyDatabase()
    const lone = await start('one', both)
    expect(lone).toEqual(entered)
    expect(await start('two', both)).toStartWith('REDIS_URL and MEDIA_URL must be set, the same on all nodes')
    expect(await start('two')).toStartWith('REDIS_URL and MEDIA_URL must be set on all nodes, and the node')
    if (typeof lone === 'string') throw new Error(lone)
    await lone.leave()
    for (const host of ['two', 'three', 'four']) expect(await start(host)).toEqual(entered)
    expect(await start('five', ['REDIS_URL'])).toStartWith('REDIS_URL must be set, the same')
    expect(await start('five', ['MEDIA_URL'])).toStartWith('MEDIA_URL must be set, the same')
  })

  test('of many that start at once without it one serves', async () => {
    const { start } = await emptyDatabase()
    for (let round = 0; round < 5; round++) {
      const outcomes = await Promise.all(Array.from({ length: 6 }, (_, i) => start(`node ${i}`, both)))
      const serving = outcomes.filter((outcome) => typeof outcome !== 'string')
      expect([round, serving.length]).toEqual([round, 1])
      await serving[0]!.leave()
    }
  })

  test('one that was killed is waited for where it is in the way, and no longer than it looks alive', async () => {
    const { start, killed, logged } = await emptyDatabase()
    await killed('one', both)
    const before = performance.now()
    expect(await start('two', both)).toEqual(entered)
    expect(performance.now() - before).toBeGreaterThan(pace.aliveMs / 2)
    expect(logged).toEqual(['waiting for another node of this database, which may have been killed'])
  })

  test('one that was killed is in nobody’s way where all have what they need, nor where it starts again', async () => {
    const { start, killed, logged } = await emptyDatabase()
    await killed('one')
    expect(await start('two')).toEqual(entered)
    const { start: again, killed: ended } = await emptyDatabase()
    await ended('one', both, 'its directory')
    expect(await again('one', both, 'its directory')).toEqual(entered)
    expect(logged).toEqual([])
  })

  test('a clock that is wrong changes nothing', async () => {
    const { start } = await emptyDatabase()
    expect(await start('one', both)).toEqual(entered)
    for (const days of [-1, 1]) {
      setSystemTime(Date.now() + days * 86_400_000)
      expect(await start('two', both)).toStartWith('REDIS_URL and MEDIA_URL must be set')
    }
  })

  test('one that stood still while another began says so, once, and so does the other', async () => {
    const { url, start, logged } = await emptyDatabase()
    const one = await start('one', both)
    if (typeof one === 'string') throw new Error(one)
    expect(one.problem()).toBeNull()
    const sql = new SQL(url, { max: 1 })
    cleanUp.unshift(() => sql.close())
    // As after a long sleep of the machine: the others hold it for gone until it beats again.
    let other = await start('two')
    while (typeof other === 'string') {
      await sql.unsafe('UPDATE nodes SET seen_at = 0')
      other = await start('two')
    }
    while (logged.length < 2) await Bun.sleep(20)
    await Bun.sleep(5 * pace.beatMs)
    // As /ready says of both.
    expect([one.problem(), other.problem()]).toEqual([
      expect.stringContaining('must be set'),
      expect.stringContaining('must be set'),
    ])
    expect(logged.filter((line) => line === 'nodes of this database do not fit each other')).toHaveLength(2)
  })

  test('servers: the second one ends with one line, and the first one again after a kill starts at once', async () => {
    const { url, drop } = await newPostgres()
    cleanUp.push(drop)
    const secrets = { JWT_SECRET: 'a secret of the tests, long enough', LOCATION_KEY: '11'.repeat(32) }
    const elsewhere = {
      REDIS_URL: 'redis://127.0.0.1:1',
      MEDIA_URL: 's3://KEY:hunter2@photos?endpoint=http://127.0.0.1:1',
    }
    const settings = () => ({ DATABASE_URL: url, DATA_DIR: dataDirectory(), ...secrets })
    const one = settings()
    const first = await startServer(one)
    for (const [more, says] of [
      [{}, /^convene: REDIS_URL and MEDIA_URL must be set, the same on all nodes: [^\n]+\n$/],
      [{ REDIS_URL: elsewhere.REDIS_URL }, /^convene: MEDIA_URL must be set, the same on all nodes: [^\n]+\n$/],
      [elsewhere, /^convene: REDIS_URL and MEDIA_URL must be set on all nodes, and [^\n]+\n$/],
    ] as const) {
      const { code, err } = await convene([], { ...settings(), PORT: '0', LOG_LEVEL: 'silent', ...more })
      expect([code, err]).toEqual([1, expect.stringMatching(says)])
    }
    expect((await fetch(new URL('/ready', first.base))).status).toBe(200)
    await first.end('SIGKILL')
    const again = await startServer(one)
    expect(again.log()).not.toContain('waiting for another node')
    expect(await again.end()).toBe(0)
    const nodes = [
      await startServer({ ...settings(), ...elsewhere }),
      await startServer({ ...settings(), ...elsewhere }),
    ]
    for (const node of nodes) {
      expect(node.log()).not.toContain('waiting for another node')
      expect(await node.end()).toBe(0)
    }
  })
})
