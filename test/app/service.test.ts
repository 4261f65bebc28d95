import { describe, expect, jest, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jobs, startJobs } from '../../src/jobs.ts'
import { openMetrics } from '../../src/telemetry/metrics.ts'
import { down, up } from '../../src/storage/migrate.ts'
import { openDatabase, sqliteStorage, withDrizzle } from '../../src/storage/sqlite/storage.ts'
import { version } from '../../src/version.ts'
import { storageFull } from '../../src/lib/refusal.ts'
import { openRoom } from '../../src/installation/room.ts'
import { start, testApp } from '../app.ts'
import { areThreads, nodesOfApps, oneNodeTest, sqliteTest } from '../engines.ts'
import { expectProblem } from '../problem.ts'
import { connect, ofType } from '../socket-client.ts'

const token = 'a token for the scraper'.replaceAll(' ', '-')

/** What a node reports about itself. */
const ofOneNode = oneNodeTest('each node speaks of itself alone')

describe('health and readiness', () => {
  test('a healthy and ready server says so to anybody, without a limit or a cache', async () => {
    const { request } = await testApp({ RATE_LIMIT: 'on' })
    const health = await request('GET', '/health')
    expect([health.status, health.body]).toEqual([200, { status: 'ok', version, checks: {} }])
    const ready = await request('GET', '/ready')
    const shared = nodesOfApps > 1 && !areThreads ? { redis: 'ok' } : {}
    const checks = { storage: 'ok', migrations: 'ok', running: 'ok', room: 'ok', ...shared }
    expect([ready.status, ready.body]).toEqual([200, { status: 'ok', version, checks }])
    for (const { headers } of [health, ready]) {
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.has('ratelimit-limit')).toBe(false)
    }
  })

  ofOneNode('a server that is about to stop lives, and is not ready', async () => {
    const { request, services } = await testApp()
    services.hub.closeAll()
    const { status, body } = await request('GET', '/ready')
    expect([status, body.status]).toEqual([503, 'unavailable'])
    expect(body.checks).toEqual({ storage: 'ok', migrations: 'ok', running: 'failed', room: 'ok' })
    expect((await request('GET', '/health')).status).toBe(200)
  })

  test('incomplete settings are named, and do not make it unready', async () => {
    const { request } = await testApp({ BACKUP_KEEP: '3' })
    const { status, body } = await request('GET', '/ready')
    expect([status, body.status, body.checks.settings]).toEqual([200, 'degraded', 'half_set'])
  })

  sqliteTest('a schema that was taken back makes it unready, until it is brought up again', async () => {
    const { request, db } = await testApp()
    down(db.$client)
    const { status, body } = await request('GET', '/ready')
    expect([status, body.checks]).toEqual([503, { storage: 'ok', migrations: 'failed', running: 'ok', room: 'ok' }])
    up(db.$client)
    expect((await request('GET', '/ready')).status).toBe(200)
  })

  test('the schema of a newer release makes it unready, although the database answers', async () => {
    const { request, rows } = await testApp()
    await rows('INSERT INTO schema_migrations SELECT number + 1000, name, applied_at FROM schema_migrations')
    const { status, body } = await request('GET', '/ready')
    expect([status, body.checks]).toMatchObject([503, { storage: 'ok', migrations: 'failed' }])
    await rows('DELETE FROM schema_migrations WHERE number > 1000')
    expect((await request('GET', '/ready')).status).toBe(200)
  })

  test('a database that does not answer makes it unready, and the error is not shown', async () => {
    const { request, nodes } = await testApp()
    for (const { services } of nodes)
      services.storage.schemaFits = () => Promise.reject(new Error('no answer from schema_migrations'))
    const { status, body, text } = await request('GET', '/ready')
    expect(status).toBe(503)
    expect(body.checks).toMatchObject({ storage: 'failed', migrations: 'failed', running: 'ok' })
    expect(text).not.toContain('schema_migrations')
    expect((await request('GET', '/health')).status).toBe(200)
  })
})

describe('the front page', () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

  test('tells a browser what this is and where its documentation is', async () => {
    const { request } = await testApp()
    const { status, headers, text } = await request('GET', '/', { headers: { accept: browser } })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain(`Convene ${version}`)
    const links = Array.from(text.matchAll(/<a href="([^"]+)"/g), ([, path]) => path!)
    expect(links).toEqual(['/openapi', '/openapi/json'])
    for (const path of links) expect([path, (await request('GET', path)).status]).toEqual([path, 200])
    // It runs no script, and loads nothing from other hosts.
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(text).not.toContain('<script')
  })

  test('tells a program the same as JSON', async () => {
    const { request } = await testApp()
    for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/html;q=0', 'text/htmlx']) {
      const { status, body, headers } = await request('GET', '/', { headers: accept === undefined ? {} : { accept } })
      // Not cached, so that no client gets the form that another one asked for.
      expect([accept, status, headers.get('cache-control')]).toEqual([accept, 200, 'no-store'])
      expect(body).toMatchObject({ name: 'Convene', version, documentation: '/openapi', openapi: '/openapi/json' })
      for (const path of [body.documentation, body.openapi, body.health])
        expect([path, (await request('GET', path)).status]).toEqual([path, 200])
    }
  })

  test('accepts only GET', async () => {
    const { request } = await testApp()
    expect((await request('HEAD', '/')).status).toBe(200)
    const { status, headers } = await request('POST', '/')
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

describe('a full disk', () => {
  sqliteTest('makes it unready from the first write that is refused until one succeeds', async () => {
    const app = await testApp()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = (await ada.post('chats', { user_id: bob.id })).body
    const ready = async () => {
      app.clock.now += 5000
      const { status, body } = await app.request('GET', '/ready')
      return [status, body.status, body.checks.room]
    }
    expect(await ready()).toEqual([200, 'ok', 'ok'])
    const pages = app.db.$client.query<{ page_count: number }, []>('PRAGMA page_count').get()!.page_count
    app.db.$client.run(`PRAGMA max_page_count = ${pages}`)
    const statuses = new Set<number>()
    for (let i = 0; i < 200 && !statuses.has(503); i++)
      statuses.add((await ada.post(`chats/${chat.id}/messages`, { text: 'long '.repeat(700) })).status)
    expect([...statuses]).toContain(503)
    expect(await ready()).toEqual([503, 'unavailable', 'failed'])
    expect(await ready()).toEqual([503, 'unavailable', 'failed'])
    expect((await ada.get('me')).status).toBe(200)
    expect((await app.request('GET', '/health')).status).toBe(200)
    app.db.$client.run(`PRAGMA max_page_count = ${pages + 10_000}`)
    expect(await ready()).toEqual([200, 'ok', 'ok'])
    expect((await ada.put('me', { city: 'Riga' })).status).toBe(200)
  })

  const opened = ({ tryWrite = async () => {}, free = async () => 2 ** 30 } = {}) => {
    const clock = { now: start }
    const dataDir = mkdtempSync(join(tmpdir(), 'convene-test-'))
    const database = { engine: 'sqlite', path: join(dataDir, 'elsewhere', 'convene.db') } as const
    const asked: string[] = []
    const room = openRoom({
      config: { dataDir, database },
      store: { set: async () => tryWrite() },
      now: () => clock.now,
      free: (path) => (asked.push(path), free()),
    })
    return { room, clock, dataDir, asked }
  }

  test('is detected by the free space of the data or the database, checked every five seconds at most', async () => {
    let left = 2 ** 20
    const { room, clock, dataDir, asked } = opened({ free: async () => left })
    expect(await room.isLeft()).toBe(true)
    expect(asked).toEqual([dataDir, join(dataDir, 'elsewhere')])
    left--
    clock.now += 4999
    expect(await room.isLeft()).toBe(true)
    clock.now += 1
    expect(await room.isLeft()).toBe(false)
    left++
    clock.now += 5000
    expect(await room.isLeft()).toBe(true)
    rmSync(dataDir, { recursive: true })
  })

  test('by a quota or elsewhere is detected by a refused write, and ends after a write to the database and beside it', async () => {
    let fails = true
    let tries = 0
    const tryWrite = async () => {
      tries++
      if (fails) throw storageFull()
    }
    const { room, clock, dataDir } = opened({ tryWrite })
    expect([await room.isLeft(), tries]).toEqual([true, 0])
    room.refused()
    expect(await room.isLeft()).toBe(false)
    for (let i = 0; i < 3; i++) room.refused()
    expect([await room.isLeft(), tries]).toEqual([false, 1])
    fails = false
    clock.now += 5000
    expect([await room.isLeft(), tries]).toEqual([true, 3])
    clock.now += 5000
    expect([await room.isLeft(), tries]).toEqual([true, 3])
    expect(readdirSync(dataDir)).toEqual([])
    rmSync(dataDir, { recursive: true })
    room.refused()
    expect(await room.isLeft()).toBe(false)
  })

  test('a place whose free space is unknown is not full', async () => {
    const { room, dataDir } = opened({ free: () => Promise.reject(new Error('ENOSYS')) })
    expect(await room.isLeft()).toBe(true)
    rmSync(dataDir, { recursive: true })
  })

  test('a refused write of an answer is reported to the check of free space', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    for (const { services } of app.nodes) {
      const refuse = () => Promise.reject(storageFull())
      services.storage.users.update = refuse
      services.storage.community.set = refuse
    }
    for (let i = 0; i < 8 * app.nodes.length; i++)
      expectProblem(await ada.put('me', { city: 'Riga' }), 503, 'storage_full')
    const { status, body } = await app.request('GET', '/ready')
    expect([status, body.status, body.checks.room]).toEqual([503, 'unavailable', 'failed'])
  })
})

describe('metrics', () => {
  /** The samples, by name and labels. */
  const samplesOf = (text: string) =>
    new Map(
      text
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    )
  const scrape = async (base: URL) => samplesOf(await (await fetch(new URL('/metrics', base))).text())
  const answered = (labels: string) => `convene_http_request_duration_seconds_count{${labels}}`

  ofOneNode('are for this machine itself, and for nobody whom a proxy lets through', async () => {
    const test = await testApp()
    const base = await test.listen()
    const local = await fetch(new URL('/metrics', base))
    expect(local.status).toBe(200)
    expect(local.headers.get('content-type')).toStartWith('text/plain; version=0.0.4')
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']) {
      const proxied = await fetch(new URL('/metrics', base), { headers: { [header]: '127.0.0.1' } })
      expect([header, proxied.status]).toEqual([header, 403])
    }
    const { status, body } = await test.request('GET', '/metrics')
    expect([status, body.code]).toEqual([403, 'forbidden'])
  })

  test('need METRICS_TOKEN, from any address', async () => {
    const { request, person } = await testApp({ METRICS_TOKEN: token })
    const ada = await person()
    const statusFor = async (authorization: string) =>
      (await request('GET', '/metrics', { headers: { authorization, 'x-forwarded-for': '203.0.113.7' } })).status
    expect(await statusFor(`Bearer ${token}`)).toBe(200)
    for (const wrong of [`Bearer ${token}x`, `Bearer ${token.slice(1)}`, token, 'Bearer', `Bearer ${ada.token}`])
      expect([wrong, await statusFor(wrong)]).toEqual([wrong, 403])
    expect((await request('GET', `/metrics?_t=${token}`)).status).toBe(403)
  })

  test('are closed to every token without METRICS_TOKEN', async () => {
    const { request } = await testApp()
    for (const authorization of ['Bearer null', 'Bearer undefined', 'Bearer '])
      expect((await request('GET', '/metrics', { headers: { authorization } })).status).toBe(403)
  })

  ofOneNode('count requests by method, pattern and status, and name nobody and nothing else', async () => {
    const test = await testApp()
    const base = await test.listen()
    const ada = await test.person('Ada')
    const bob = await test.person('Bob')
    const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
    const position = JSON.stringify({ latitude: 38.71693, longitude: -9.13991 })
    const ask = async (path: string, init: RequestInit = {}) =>
      (await fetch(new URL(path, base), { headers, ...init })).arrayBuffer()
    await ask(`/api/v1/users/${bob.id}`)
    await ask(`/api/v1/users/${bob.id}`)
    await ask(`/api/v1/users/${Bun.randomUUIDv7()}`)
    await ask('/api/v1/me/location', { method: 'PUT', body: position })
    await ask('/api/v1/blocks', { method: 'POST', body: '{}' })
    await ask('/api/v1/me', { headers: {} })
    await ask('/api/v1/nowhere/secret-path?token=secret-token')
    await ask('/api/v1/me', { method: 'PROPFIND' })

    const samples = await scrape(base)
    const count = (method: string, route: string, status: number) =>
      samples.get(answered(`method="${method}",route="${route}",status="${status}"`))
    expect(count('GET', '/api/v1/users/:id', 200)).toBe(2)
    expect(count('GET', '/api/v1/users/:id', 404)).toBe(1)
    expect(count('PUT', '/api/v1/me/location', 200)).toBe(1)
    expect(count('POST', '/api/v1/blocks', 422)).toBe(1)
    expect(count('GET', '/api/v1/me', 401)).toBe(1)
    expect(count('GET', 'none', 404)).toBe(1)
    expect(count('other', 'none', 405)).toBe(1)
    const all = [...samples.keys()].join('\n')
    for (const hidden of [ada.id, bob.id, ada.token, ada.email, '38.71', '127.0.0.1', 'secret', 'PROPFIND'])
      expect(all).not.toContain(hidden)
  })

  ofOneNode('tell how many are connected, and what was pushed to them', async () => {
    const test = await testApp()
    const base = await test.listen()
    const [ada, bob] = [await test.person('Ada'), await test.person('Bob')]
    const chat = (await ada.post('chats', { user_id: bob.id })).body
    const client = connect(base, bob.token)
    const second = connect(base, bob.token)
    await Promise.all([client.until(ofType('hello')), second.until(ofType('hello'))])
    await ada.post(`chats/${chat.id}/messages`, { text: 'hello' })
    await Promise.all([client.until(ofType('message')), second.until(ofType('message'))])
    const samples = await scrape(base)
    expect(samples.get('convene_sockets')).toBe(2)
    expect(samples.get('convene_users_connected')).toBe(1)
    expect(samples.get('convene_events_pushed_total')).toBe(1)

    client.socket.close()
    second.socket.close()
    await Promise.all([client.closed, second.closed])
    const after = await scrape(base)
    expect([after.get('convene_sockets'), after.get('convene_users_connected')]).toEqual([0, 0])
    expect(after.get('convene_events_pushed_total')).toBe(1)
  })

  ofOneNode('tell how often a token was remembered', async () => {
    const test = await testApp()
    const base = await test.listen()
    const ada = await test.person('Ada')
    for (let i = 0; i < 3; i++) await ada.get('me')
    test.forget(ada.id)
    await ada.get('me')
    const samples = await scrape(base)
    expect(samples.get('convene_token_lookups_total{outcome="miss"}')).toBe(2)
    expect(samples.get('convene_token_lookups_total{outcome="hit"}')).toBe(2)
  })

  ofOneNode('tell how many searches began with what another had found out', async () => {
    const test = await testApp()
    const base = await test.listen()
    const ada = await test.person('Ada')
    for (let i = 0; i < 3; i++) await ada.get('search/nearby?lat=52.5&lng=13.4')
    await ada.get('search/nearby?lat=52.5&lng=13.4&drinks=tea')
    const samples = await scrape(base)
    expect(samples.get('convene_nearby_cache_lookups_total{outcome="miss"}')).toBe(2)
    expect(samples.get('convene_nearby_cache_lookups_total{outcome="hit"}')).toBe(2)
    expect([...samples.keys()].join()).not.toContain('52.5')
  })

  test('have the time and the size of the newest scheduled backup, even after a restart', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'convene-backups-'))
    const { services } = await testApp({ BACKUP_DIR: directory })
    const tell = async () => {
      const metrics = openMetrics()
      jobs({ ...services, metrics })
      const samples = samplesOf(await metrics.text())
      return ['convene_backup_last_success_timestamp_seconds', 'convene_backup_last_size_bytes'].map((name) =>
        samples.get(name),
      )
    }
    expect(await tell()).toEqual([0, 0])
    for (const [name, bytes, at] of [
      ['convene-20261120T030000Z.db', 100, 1000],
      ['convene-20261121T030000Z.db', 200, 2000],
      ['convene-20261122T030000Z.db.0a1b2c3d.part', 300, 3000],
    ] as const) {
      writeFileSync(join(directory, name), 'x'.repeat(bytes))
      utimesSync(join(directory, name), at, at)
    }
    expect(await tell()).toEqual([2000, 200])
    rmSync(directory, { recursive: true })
    // If none are made, an alert on their age must not fire.
    expect(await (await testApp()).services.metrics.text()).not.toContain('convene_backup')
  })

  test('have the sizes of write groups, and the size of the database on disk', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'convene-metrics-'))
    const client = openDatabase(join(directory, 'convene.db'))
    up(client)
    const metrics = openMetrics()
    const storage = sqliteStorage(withDrizzle(client), {
      onFatal(error) {
        throw error
      },
      onGroup: metrics.writeGroup,
    })
    const hub = { counts: () => ({ sockets: 0, users: 0, pushed: 0 }) }
    metrics.watch({ callers: { counts: () => ({ hits: 0, misses: 0 }) }, hub, storage })
    const entry = { at: 1, actor_id: null, action: 'test', subject_id: null, metadata: {} }
    await Promise.all(Array.from({ length: 5 }, () => storage.audit.record({ id: Bun.randomUUIDv7(), ...entry })))
    const samples = samplesOf(await metrics.text())
    expect(samples.get('convene_write_group_size_sum')).toBe(5)
    expect(samples.get('convene_write_group_size_count')).toBe(1)
    expect(samples.get('convene_write_commit_seconds_count')).toBe(1)
    expect(samples.get('convene_write_commit_seconds_sum')).toBeGreaterThan(0)
    expect(samples.get('convene_wal_bytes')).toBe(Bun.file(join(directory, 'convene.db-wal')).size)
    expect(samples.get('convene_wal_bytes')).toBeGreaterThan(0)
    await storage.close()
    expect(samplesOf(await metrics.text()).get('convene_database_bytes')).toBeGreaterThan(100_000)
    rmSync(directory, { recursive: true })
  })

  test('say how late the latest of all threads is', async () => {
    const [main, worker] = [openMetrics({ ofProcess: true }), openMetrics({ ofWorker: true })]
    const name = 'nodejs_eventloop_lag_p99_seconds'
    main.addWorkers(async () => {
      const all = await worker.asJson()
      const late = all.map((metric) =>
        metric.name === name ? { ...metric, values: [{ labels: {}, value: 7 }] } : metric,
      )
      return [late, all]
    })
    expect(samplesOf(await main.text()).get(name)).toBe(7)
  })

  // A database server has its own timers, which the test's clock does not control.
  sqliteTest('tell the runs of jobs, those that failed too, and when one last succeeded', async () => {
    const { services, clock } = await testApp()
    jest.useFakeTimers()
    try {
      const schedule = '0 * * * *'
      const stop = startJobs(services, [
        { name: 'fine', schedule, run: async () => 1 },
        { name: 'broken', schedule, run: () => Promise.reject(new Error('not today')) },
      ])
      for (let hour = 0; hour < 2; hour++) {
        clock.now += 3_600_000
        jest.advanceTimersByTime(3_600_000)
        for (let i = 0; i < 20; i++) await Promise.resolve()
      }
      await stop()
    } finally {
      jest.useRealTimers()
    }
    const samples = samplesOf(await services.metrics.text())
    expect(samples.get('convene_job_duration_seconds_count{job="fine",outcome="done"}')).toBe(2)
    expect(samples.get('convene_job_duration_seconds_count{job="broken",outcome="failed"}')).toBe(2)
    // Exported before the first one, because an increase from no value would not count.
    expect(samples.get('convene_job_duration_seconds_count{job="fine",outcome="failed"}')).toBe(0)
    const lastSuccess = (job: string) => samples.get(`convene_job_last_success_timestamp_seconds{job="${job}"}`)!
    expect(lastSuccess('fine')).toBeGreaterThan(lastSuccess('broken'))
  })
})

describe('HEAD and OPTIONS', () => {
  test('HEAD answers like GET, without the body', async () => {
    const test = await testApp()
    const base = await test.listen()
    const ada = await test.person('Ada')
    const headers = { authorization: `Bearer ${ada.token}` }
    for (const path of ['/api/v1/legal/terms', '/api/v1/me', `/api/v1/users/${ada.id}`, '/health', '/openapi']) {
      const get = await fetch(new URL(path, base), { headers })
      const head = await fetch(new URL(path, base), { method: 'HEAD', headers })
      expect([path, head.status, await head.text()]).toEqual([path, 200, ''])
      expect(Number(head.headers.get('content-length'))).toBe((await get.arrayBuffer()).byteLength)
      expect(head.headers.get('content-type')?.toLowerCase()).toBe(get.headers.get('content-type')!.toLowerCase())
    }
  })

  test('HEAD is refused where GET is, with the same status', async () => {
    const test = await testApp()
    const base = await test.listen()
    const headOf = async (path: string) => (await fetch(new URL(path, base), { method: 'HEAD' })).status
    expect(await headOf('/api/v1/me')).toBe(401)
    expect(await headOf(`/api/v1/users/${Bun.randomUUIDv7()}`)).toBe(401)
    expect(await headOf('/api/v1/nowhere')).toBe(404)
  })

  test('an unsupported method answers 405 and names the supported ones', async () => {
    const test = await testApp()
    const base = await test.listen()
    const asked = async (method: string, path: string) => {
      const { status, headers } = await fetch(new URL(path, base), { method })
      return [status, headers.get('allow')]
    }
    expect(await asked('OPTIONS', '/api/v1/me')).toEqual([405, expect.stringMatching(/^GET, HEAD, PUT/)])
    expect(await asked('PATCH', `/api/v1/messages/${Bun.randomUUIDv7()}`)).toEqual([405, 'PUT, DELETE'])
    expect(await asked('HEAD', '/api/v1/auth/login')).toEqual([405, 'POST'])
    expect(await asked('POST', '/health')).toEqual([405, 'GET, HEAD'])
    expect(await asked('OPTIONS', '/api/v1/nowhere')).toEqual([404, null])
  })
})
