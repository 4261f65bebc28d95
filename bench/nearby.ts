import { RedisClient, SQL } from 'bun'
import type { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { migrations } from '../migrations/index.ts'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { boxAround, destination, EARTH_RADIUS_M, type Point } from '../src/features/location/sphere.ts'
import type { NearbyFilters, NearbyQuery, Neighbour } from '../src/features/location/store.ts'
import { listen } from '../src/listen.ts'
import { openLog } from '../src/telemetry/log.ts'
import { readSecrets } from '../src/installation/secrets.ts'
import { buildServices } from '../src/services.ts'
import { up } from '../src/storage/migrate.ts'
import { openDatabase as openPostgres } from '../src/storage/postgres/database.ts'
import { openMigrator } from '../src/storage/postgres/migrate.ts'
import { nearbySearch as nearbyOnPostgres } from '../src/storage/postgres/nearby.ts'
import { hotUsers } from '../src/storage/postgres/users.ts'
import { nearbySearch } from '../src/storage/sqlite/nearby.ts'
import { reachCache } from '../src/storage/reach-cache.ts'
import { squareOf } from '../src/storage/squares.ts'
import { openDatabase, sqliteStorage, withDrizzle } from '../src/storage/sqlite/storage.ts'
import { bearer, dataDir, newPerson } from './ours.ts'
import { chart, type Pair } from './report.ts'

/**
 * The fifty nearest of a million people, 170,000 of them in one city: our search, in this process and through HTTP, against
 * PostGIS and Redis on the same points, asked directly, taking turns.
 */

const LIMIT = 50
const NOW = Date.UTC(2026, 10, 21)
const CALLER = '019a0000-0000-7000-8000-000000000000'
const CITY = { latitude: 52.52, longitude: 13.405 }
/** No slower contender may take longer than this for one case. */
const CASE_MS = 2500
const SAMPLES = 150

type Case = { name: string; radius: number; points: Point[] }
type Contender = {
  name: string
  ask(centre: Point, radius: number): Promise<string[]> | string[]
  /** How long the last answer took, where that is not the time of `ask`. */
  lastMs?(): number
}
type Timing = { case: string; contender: string; p50_ms: number; p99_ms: number; samples: number; found: number }

/** Mulberry32: the same numbers for the same seed. */
function random(seed: number) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const around = (r: () => number, centre: Point, spread: number) =>
  destination(centre, 2 * Math.PI * r(), spread * Math.sqrt(-2 * Math.log(1 - r())))

type City = { centre: Point; size: number; spread: number }

/** The biggest has 17 % of the people and a spread of 8 km; the others follow Zipf's law and are as dense. */
function cities(r: () => number, users: number): City[] {
  const count = 1000
  const biggest = Math.round(users * 0.17)
  const harmonic = Array.from({ length: count - 1 }, (_, i) => 1 / (i + 2)).reduce((a, b) => a + b)
  const sizes = Array.from({ length: count }, (_, i) =>
    i === 0 ? biggest : Math.round((users - biggest) / ((i + 1) * harmonic)),
  )
  return sizes.map((size, i) => ({
    centre: i === 0 ? CITY : { latitude: -45 + 107 * r(), longitude: -180 + 360 * r() },
    size,
    spread: Math.max(800, 8000 * Math.sqrt(size / biggest)),
  }))
}

/** Fills a database as the migrations make it. People of all cities come in turn, as they would. */
function fill(db: Database, users: number) {
  const r = random(1)
  const one = (word: string, of: number) => `${word} ${Math.floor(of * r() * r())}`
  const some = (word: string, of: number, most: number) => [
    ...new Set(Array.from({ length: 1 + Math.floor(most * r()) }, () => one(word, of))),
  ]
  const towns = cities(r, users)
  const residents = towns.flatMap(({ size }, town) => Array.from({ length: size }, () => town))
  for (let i = residents.length - 1; i > 0; i--) {
    const j = Math.floor(r() * (i + 1))
    ;[residents[i], residents[j]] = [residents[j]!, residents[i]!]
  }
  const user = db.prepare(
    'INSERT INTO users (id, name, city, bio, gender, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const preferences = db.prepare(
    'INSERT INTO preferences (user_id, drinks, activities, purposes, language) VALUES (?, ?, ?, ?, ?)',
  )
  const location = db.prepare(
    'INSERT INTO locations (user_id, latitude, longitude, square, visible, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const bio = 'Here for coffee, walks along the river, board games, and long talks about books.'
  const insert = db.transaction((from: number, to: number) => {
    for (let i = from; i < to; i++) {
      const town = residents[i]!
      const at = around(r, towns[town]!.centre, towns[town]!.spread)
      const point = { latitude: +at.latitude.toFixed(5), longitude: +at.longitude.toFixed(5) }
      const joined = NOW - (users - i) * 20_000
      const id = Bun.randomUUIDv7('hex', joined)
      const lot = r()
      const gender = lot < 0.48 ? 'female' : lot < 0.96 ? 'male' : lot < 0.97 ? 'other' : null
      user.run(id, `Person ${i}`, `City ${town}`, bio.slice(0, 20 + 60 * r()), gender, joined, joined)
      const drinks = [...some('drink', 20, 4), ...(r() < 0.001 ? ['absinthe'] : [])]
      const language = ['en', 'es', 'de', 'fr', 'ru'][r() < 0.6 ? town % 5 : Math.floor(5 * r())]!
      preferences.run(
        id,
        JSON.stringify(drinks),
        JSON.stringify(some('activity', 30, 5)),
        JSON.stringify(some('purpose', 6, 2)),
        language,
      )
      const updated = NOW - Math.floor(r() * 29 * 86_400_000)
      location.run(id, point.latitude, point.longitude, squareOf(point), r() < 0.95, updated)
    }
  })
  for (let i = 0; i < residents.length; i += 10_000) insert(i, Math.min(i + 10_000, residents.length))
  db.run(`INSERT INTO nearby_traits SELECT trait, square, location_id FROM visible_traits ORDER BY 1, 2, 3`)
  // for comparison: the two other indexes that such a search could use
  db.run(`CREATE INDEX by_latitude ON locations (latitude, longitude, updated_at, user_id) WHERE visible = 1`)
  db.run(`CREATE VIRTUAL TABLE by_box USING rtree (id, south, north, west, east, +user_id TEXT)`)
  db.run(`INSERT INTO by_box SELECT id, latitude, latitude, longitude, longitude, user_id FROM locations
    WHERE visible = 1 ORDER BY square`)
}

/** The filled database, from an earlier run where there is one. */
function database(users: number): Database {
  const dir = join(tmpdir(), 'convene-bench-nearby')
  const path = join(dir, `${users}-${migrations.at(-1)!.number}.db`)
  if (!existsSync(path)) {
    rmSync(dir, { recursive: true, force: true })
    mkdirSync(dir, { recursive: true })
    const db = openDatabase(`${path}.new`)
    db.run('PRAGMA synchronous = OFF')
    up(db)
    fill(db, users)
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    renameSync(`${path}.new`, path)
  }
  return openDatabase(path)
}

const query = (centre: Point, radius: number, more: Partial<NearbyQuery> = {}): NearbyQuery => ({
  caller: CALLER,
  centre,
  radius,
  limit: LIMIT,
  filters: {},
  after: null,
  since: NOW - 30 * 86_400_000,
  now: NOW,
  ...more,
})

const ids = (found: Neighbour[]) => found.map(({ user_id }) => user_id)

/** The whole of it: who is signed in asks a server for the fifty, with their profiles, over one connection. */
async function throughHttp(db: Database): Promise<{ contender: Contender; close(): Promise<void> }> {
  const storage = sqliteStorage(withDrizzle(db), {
    onFatal(error) {
      throw error
    },
  })
  const config = readConfig({ DATA_DIR: dataDir(), RATE_LIMIT: 'off', LOG_LEVEL: 'warn' })
  const services = buildServices({
    config,
    secrets: readSecrets(config),
    storage,
    log: openLog(config),
    now: () => NOW,
  })
  const app = buildApp(services)
  const url = listen(app, services, { host: '127.0.0.1', port: 0 })
  const headers = bearer((await newPerson(services, 'Who asks')).token)
  const asker = new Worker(new URL('asker.ts', import.meta.url).href)
  let lastMs = 0
  const ask = async ({ latitude, longitude }: Point, radius: number) => {
    const place = `lat=${latitude}&lng=${longitude}&radius=${radius}&limit=${LIMIT}`
    const { promise, resolve } = Promise.withResolvers<{ ms: number; body: string }>()
    asker.onmessage = ({ data }) => resolve(data)
    asker.postMessage({ url: new URL(`/api/v1/search/nearby?${place}`, url).href, headers })
    const { ms, body } = await promise
    lastMs = ms
    const { items } = JSON.parse(body) as { items: { user: { id: string } }[] }
    return items.map(({ user }) => user.id)
  }
  // Code that runs for the first time is slower. Elsewhere, so that nobody whom the cases find is remembered.
  const r = random(3)
  for (let i = 0; i < 1000; i++) await ask(destination(CITY, 2 * Math.PI * r(), 12_000 + 10_000 * r()), 3000)
  return {
    contender: { name: 'Convene through HTTP, with profiles', ask, lastMs: () => lastMs },
    async close() {
      asker.terminate()
      await app.server!.stop(true)
    },
  }
}

/** Our search in all its forms, and the plain ways: all of the box, sorted. */
async function ours(db: Database) {
  const http = await throughHttp(db)
  const off = nearbySearch(db)
  const on = nearbySearch(db, reachCache())
  const haversine = `2 * ${EARTH_RADIUS_M} * asin(min(1, sqrt(pow(sin(radians(latitude - $latitude) / 2), 2) +
    cos(radians($latitude)) * cos(radians(latitude)) * pow(sin(radians(longitude - $longitude) / 2), 2))))`
  const plain = (rows: string) => {
    const statement = db.prepare<{ user_id: string }, [Record<string, number>]>(`
      SELECT * FROM (SELECT user_id, ${haversine} AS distance FROM ${rows})
      WHERE distance <= $radius ORDER BY distance, user_id LIMIT ${LIMIT}`)
    return (centre: Point, radius: number) => {
      const { south, north, longitudes } = boxAround(centre, radius)
      return statement.all({ ...centre, radius, south, north, ...longitudes[0]! }).map(({ user_id }) => user_id)
    }
  }
  return {
    contenders: [
      { name: 'Convene, cache off', ask: (centre, radius) => ids(off(query(centre, radius))) },
      { name: 'Convene, cache on', ask: (centre, radius) => ids(on(query(centre, radius))) },
      http.contender,
    ] satisfies Contender[],
    plain: [
      { name: 'grid, growing boxes (ours)', ask: (centre, radius) => ids(off(query(centre, radius))) },
      {
        name: 'latitude/longitude B-tree, whole box',
        ask: plain(`locations INDEXED BY by_latitude
          WHERE visible = 1 AND latitude BETWEEN $south AND $north AND longitude BETWEEN $west AND $east`),
      },
      {
        name: 'R*Tree, whole box',
        ask: plain(`(SELECT l.user_id, l.latitude, l.longitude FROM by_box AS b CROSS JOIN locations AS l ON l.id = b.id
          WHERE b.north >= $south AND b.south <= $north AND b.east >= $west AND b.west <= $east)`),
      },
    ] satisfies Contender[],
    search: { off, on },
    close: http.close,
  }
}

type Peer = { contenders: Contender[]; close(): Promise<void> }

/** A new database on the server, and a connection to it. Gone with `close`. Null where there is none. */
async function newPostgres(name: string, extension?: string) {
  const server = process.env['BENCH_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
  const database = `convene_bench_${name}_${process.pid}`
  const admin = new SQL(server, { max: 1, connectionTimeout: 2 })
  try {
    if (extension !== undefined) {
      const [available] = await admin`SELECT 1 FROM pg_available_extensions WHERE name = ${extension}`
      if (!available) throw new Error(`the extension ${extension} is not installed`)
    }
    await admin.unsafe(`CREATE DATABASE ${database}`)
  } catch (error) {
    console.log(
      `No database for ${name}: skipped (${(error as Error).message}; BENCH_POSTGRES_URL names another server)`,
    )
    await admin.close()
    return null
  }
  const { href: url } = Object.assign(new URL(server), { pathname: `/${database}` })
  const sql = new SQL(url, { max: 1 })
  return {
    url,
    sql,
    async close() {
      await sql.close()
      await admin.unsafe(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
      await admin.close()
    },
  }
}

/**
 * The people in the order of their squares, as JSON arrays. Neighbours are stored side by side, as the manual of PostGIS
 * advises: in the order of joining it takes ten times as long.
 */
function* inChunks(db: Database): Generator<string> {
  const rows = db.prepare<{ square: number; id: number; row: string }, [number, number]>(`
    SELECT l.square, l.id, json_object('id', u.id, 'name', u.name, 'city', u.city, 'bio', u.bio, 'gender', u.gender,
      'drinks', json(drinks), 'activities', json(activities), 'purposes', json(purposes), 'language', language,
      'created_at', u.created_at, 'latitude', latitude, 'longitude', longitude, 'square', square,
      'updated_at', l.updated_at) AS row
    FROM locations AS l INDEXED BY locations_nearby
    CROSS JOIN users AS u ON u.id = l.user_id CROSS JOIN preferences AS p ON p.user_id = u.id
    WHERE l.visible = 1 AND (l.square, l.id) > (?, ?) ORDER BY l.square, l.id LIMIT 20000`)
  for (let [square, id] = [-1, 0]; ;) {
    const chunk = rows.all(square, id)
    if (chunk.length === 0) return
    ;({ square, id } = chunk.at(-1)!)
    yield `[${chunk.map(({ row }) => row).join()}]`
  }
}

/** Our search on PostgreSQL, on the same people. Gone with `close`. */
async function onPostgres(db: Database): Promise<Peer | null> {
  const made = await newPostgres('ours')
  if (!made) return null
  const { url, sql } = made
  try {
    const migrator = await openMigrator(url)
    await migrator.up()
    await migrator.close()
    await sql.unsafe('SET synchronous_commit = off')
    for (const people of inChunks(db))
      await sql.unsafe(
        `WITH people AS MATERIALIZED (SELECT * FROM json_to_recordset($1::text::json) AS r (id text, name text, city text,
           bio text, gender text, drinks text, activities text, purposes text, language text, created_at bigint,
           latitude float8, longitude float8, square bigint, updated_at bigint)),
         users AS (INSERT INTO users (id, name, city, bio, gender, created_at, updated_at)
           SELECT id, name, city, bio, gender, created_at, created_at FROM people),
         preferences AS (INSERT INTO preferences SELECT id, drinks, activities, purposes, language FROM people)
         INSERT INTO locations (user_id, latitude, longitude, square, updated_at)
           SELECT id, latitude, longitude, square, updated_at FROM people`,
        [people],
      )
    await sql.unsafe('INSERT INTO nearby_traits SELECT trait, square, user_id FROM visible_traits ORDER BY 1, 2, 3')
    await sql.unsafe('VACUUM ANALYZE')
    await sql.unsafe('CHECKPOINT')
  } catch (error) {
    await made.close()
    throw error
  }
  // One connection each, as their peers have.
  const opened = await openPostgres(`${url}${url.includes('?') ? '&' : '?'}max=1`)
  const [off, on] = [nearbyOnPostgres(opened), nearbyOnPostgres(opened, reachCache())]
  const users = hotUsers(opened)
  return {
    contenders: [
      {
        name: 'Convene on PostgreSQL, cache off',
        ask: async (centre, radius) => ids(await off(query(centre, radius))),
      },
      { name: 'Convene on PostgreSQL', ask: async (centre, radius) => ids(await on(query(centre, radius))) },
      {
        name: 'Convene on PostgreSQL with profiles',
        async ask(centre, radius) {
          const found = ids(await on(query(centre, radius)))
          const profiles = new Map((await users.profiles(found)).map((profile) => [profile.id, profile]))
          return found.filter((id) => profiles.has(id))
        },
      },
    ],
    async close() {
      await opened.close()
      await made.close()
    },
  }
}

/** PostGIS on the same people: its index walks outward from the point by itself. Gone with `close`. */
async function postgis(db: Database): Promise<Peer | null> {
  const made = await newPostgres('postgis', 'postgis')
  if (!made) return null
  const { sql, close } = made
  try {
    await sql.unsafe(`
      CREATE EXTENSION postgis;
      SET synchronous_commit = off;
      CREATE TABLE users (id uuid PRIMARY KEY, name text, city text, bio text, gender text, photo text, drinks jsonb,
        activities jsonb, purposes jsonb, language text, created_at bigint);
      CREATE TABLE locations (user_id uuid PRIMARY KEY, position geography(point, 4326), updated_at bigint)`)
    for (const people of inChunks(db))
      await sql.unsafe(
        `WITH people AS MATERIALIZED (SELECT * FROM json_to_recordset($1::text::json) AS r (id uuid, name text, city text,
           bio text, gender text, drinks jsonb, activities jsonb, purposes jsonb, language text, created_at bigint,
           latitude float8, longitude float8, updated_at bigint)),
         added AS (INSERT INTO users SELECT id, name, city, bio, gender, null, drinks, activities, purposes, language,
           created_at FROM people)
         INSERT INTO locations SELECT id, ST_Point(longitude, latitude)::geography, updated_at FROM people`,
        [people],
      )
    await sql.unsafe('CREATE INDEX ON locations USING gist (position)')
    await sql.unsafe('VACUUM ANALYZE')
    await sql.unsafe('CHECKPOINT')
  } catch (error) {
    await close()
    throw error
  }
  // The third argument makes a sphere of the spheroid, as ours is one.
  const bare = `SELECT user_id, updated_at, ST_Y(position::geometry) AS latitude, ST_X(position::geometry) AS longitude,
      ST_Distance(position, ST_Point($1::float8, $2::float8)::geography, false) AS distance
    FROM locations ORDER BY position <-> ST_Point($1::float8, $2::float8)::geography LIMIT ${LIMIT}`
  const within = `SELECT * FROM (${bare}) AS n WHERE distance <= $3::float8`
  const joined = `SELECT n.*, u.* FROM (${bare}) AS n JOIN users AS u ON u.id = n.user_id
    WHERE distance <= $3::float8 ORDER BY n.distance`
  const ask = (text: string) => async (centre: Point, radius: number) =>
    ((await sql.unsafe(text, [centre.longitude, centre.latitude, radius])) as { user_id: string }[]).map(
      ({ user_id }) => user_id,
    )
  return {
    contenders: [
      { name: 'PostGIS KNN', ask: ask(within) },
      { name: 'PostGIS KNN with profiles', ask: ask(joined) },
    ],
    close,
  }
}

/** Redis on the same points. Its key is gone with `close`. */
async function redis(db: Database): Promise<Peer | null> {
  const client = new RedisClient(process.env['BENCH_REDIS_URL'] ?? 'redis://127.0.0.1:6379', {
    connectionTimeout: 2000,
    autoReconnect: false,
  })
  const key = `convene-bench-${process.pid}`
  try {
    await client.connect()
  } catch (error) {
    console.log(`Redis not available: skipped (${(error as Error).message}; BENCH_REDIS_URL names another server)`)
    return null
  }
  const rows = db.prepare<{ id: number; user_id: string; lng: string; lat: string }, [number]>(`
    SELECT id, user_id, CAST(longitude AS TEXT) AS lng, CAST(latitude AS TEXT) AS lat FROM locations
    WHERE visible = 1 AND id > ? ORDER BY id LIMIT 5000`)
  for (let last = 0; ;) {
    const chunk = rows.all(last)
    if (chunk.length === 0) break
    last = chunk.at(-1)!.id
    await client.send('GEOADD', [key, ...chunk.flatMap(({ user_id, lng, lat }) => [lng, lat, user_id])])
  }
  return {
    contenders: [
      {
        name: 'Redis GEOSEARCH',
        async ask({ latitude, longitude }, radius) {
          const from = ['FROMLONLAT', `${longitude}`, `${latitude}`, 'BYRADIUS', `${radius}`, 'm']
          const found = await client.send('GEOSEARCH', [
            key,
            ...from,
            'ASC',
            'COUNT',
            `${LIMIT}`,
            'WITHDIST',
            'WITHCOORD',
          ])
          return (found as [string][]).map(([id]) => id)
        },
      },
    ],
    async close() {
      await client.send('UNLINK', [key])
      client.close()
    },
  }
}

function cases(db: Database, users: number): Case[] {
  const r = random(2)
  const points = (place: () => Point) => Array.from({ length: SAMPLES }, place)
  const towns = cities(random(1), users).slice(700)
  const nobody = db.prepare<{ n: number }, number[]>(
    'SELECT count(*) AS n FROM locations WHERE latitude BETWEEN ? AND ? AND longitude BETWEEN ? AND ?',
  )
  const sea = (): Point => {
    for (;;) {
      const [latitude, longitude] = [-50 + 100 * r(), -175 + 350 * r()]
      if (nobody.get(latitude - 1.5, latitude + 1.5, longitude - 3, longitude + 3)!.n === 0)
        return { latitude, longitude }
    }
  }
  const seas = Array.from({ length: 10 }, sea)
  const centre = points(() => around(r, CITY, 3000))
  const outskirts = points(() => destination(CITY, 2 * Math.PI * r(), 40_000 + 40_000 * r()))
  const town = points(() => around(r, towns[Math.floor(r() * towns.length)]!.centre, 1500))
  const nowhere = points(() => around(r, seas[Math.floor(r() * seas.length)]!, 2000))
  return [
    { name: 'city centre, 1 km', radius: 1000, points: centre },
    { name: 'city centre, 5 km', radius: 5000, points: centre },
    { name: 'city centre, 50 km', radius: 50_000, points: centre },
    { name: 'city centre, 100 km', radius: 100_000, points: centre },
    { name: '40 to 80 km from the city, 50 km', radius: 50_000, points: outskirts },
    { name: '40 to 80 km from the city, 100 km', radius: 100_000, points: outskirts },
    { name: 'small town, 5 km', radius: 5000, points: town },
    { name: 'small town, 50 km', radius: 50_000, points: town },
    { name: 'sea, 50 km', radius: 50_000, points: nowhere },
    { name: 'sea, 100 km', radius: 100_000, points: nowhere },
  ]
}

const percentile = (sorted: number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!

function timing(name: string, contender: string, times: number[], found: number): Timing {
  const sorted = times.toSorted((a, b) => a - b)
  const [p50_ms, p99_ms] = [percentile(sorted, 0.5), percentile(sorted, 0.99)]
  return { case: name, contender, p50_ms, p99_ms, samples: times.length, found: found / times.length }
}

/** Asks each contender about each point in turn; one that is slow leaves the turns when its time is up. */
async function run({ name, radius, points }: Case, contenders: Contender[]): Promise<Timing[]> {
  const runs = contenders.map((contender) => ({ contender, times: [] as number[], spent: 0, found: 0 }))
  for (const { contender } of runs) for (const point of points.slice(0, 3)) await contender.ask(point, radius)
  for (const [i, point] of points.entries()) {
    for (let turn = 0; turn < runs.length; turn++) {
      const one = runs[(i + turn) % runs.length]!
      if (one.spent > CASE_MS) continue
      const start = performance.now()
      // Nothing is awaited that is there already, as in a request.
      const answer = one.contender.ask(point, radius)
      const found = answer instanceof Promise ? await answer : answer
      const time = one.contender.lastMs?.() ?? performance.now() - start
      one.times.push(time)
      one.spent += time
      one.found += found.length
    }
  }
  return runs.map(({ contender, times, found }) => timing(name, contender.name, times, found))
}

/** Pages and filters, which only ours has. */
function furtherSearches(search: Awaited<ReturnType<typeof ours>>['search'], points: Point[]): Timing[] {
  const wishes: [string, NearbyFilters][] = [
    ['gender: female (48 %)', { gender: ['female'] }],
    ['gender: other (1 %)', { gender: ['other'] }],
    ['drinks: absinthe (0.1 %)', { drinks: ['absinthe'] }],
    ['drinks: absinthe, gender: other', { drinks: ['absinthe'], gender: ['other'] }],
    ['drinks: what nobody drinks', { drinks: ['lava'] }],
    ['gender, language, drinks', { gender: ['female'], language: ['en'], drinks: ['drink 3'] }],
  ]
  const queries: [string, (centre: Point) => NearbyQuery][] = [
    ...[2, 10, 50].map((page): [string, (centre: Point) => NearbyQuery] => [
      `page ${page}`,
      (centre) => {
        let after: Neighbour | null = null
        for (let i = 1; i < page; i++) after = search.off(query(centre, 50_000, { after })).at(-1)!
        return query(centre, 50_000, { after })
      },
    ]),
    ...wishes.map(([name, filters]): [string, (centre: Point) => NearbyQuery] => [
      name,
      (centre) => query(centre, 50_000, { filters }),
    ]),
  ]
  return queries.flatMap(([name, build]) => {
    const built = points.slice(0, 60).map(build)
    return Object.entries(search).map(([cache, find]) => {
      built.forEach(find)
      let found = 0
      const times = built.map((one) => {
        const start = performance.now()
        found += find(one).length
        return performance.now() - start
      })
      return timing(`city centre, 50 km, ${name}`, `Convene, cache ${cache}`, times, found)
    })
  })
}

const figure = (ms: number) => (ms < 10 ? ms.toFixed(2) : ms.toFixed(0))

/** A table of `p50 (p99)` in milliseconds, a row for each case. */
function table(timings: Timing[]): string {
  const names = [...new Set(timings.map(({ contender }) => contender))]
  const rows = [...new Set(timings.map((one) => one.case))].map((name) => {
    const cells = names.map((contender) => {
      const one = timings.find((timing) => timing.case === name && timing.contender === contender)
      return one ? `${figure(one.p50_ms)} (${figure(one.p99_ms)})` : '–'
    })
    return `| ${[name, ...cells].join(' | ')} |`
  })
  return [`| ms, p50 (p99) | ${names.join(' | ')} |`, `|---|${'---:|'.repeat(names.length)}`, ...rows].join('\n')
}

type Bar = { bar: string; value: number | null; must: string; met: boolean | null }

function bars(timings: Timing[]): Bar[] {
  const p50 = (name: string, contender: string) =>
    timings.find((one) => one.case === name && one.contender === contender)?.p50_ms ?? null
  const ratio = (bar: string, a: number | null, b: number | null, most: number, must = `≤ ${most}`): Bar => {
    const value = a === null || b === null ? null : a / b
    return { bar, value, must, met: value === null ? null : value <= most }
  }
  const city = (km: number) => `city centre, ${km} km`
  return [
    ...[1, 5, 50].map((km) =>
      ratio(
        `${city(km)}: ours through HTTP, with profiles ÷ PostGIS KNN with profiles, asked directly`,
        p50(city(km), 'Convene through HTTP, with profiles'),
        p50(city(km), 'PostGIS KNN with profiles'),
        1,
      ),
    ),
    ...[1, 5, 50].map((km) =>
      ratio(`${city(km)}: ours ÷ PostGIS KNN`, p50(city(km), 'Convene, cache off'), p50(city(km), 'PostGIS KNN'), 1),
    ),
    ...[1, 5, 50].map((km) =>
      ratio(
        `${city(km)}: ours on PostgreSQL ÷ PostGIS KNN`,
        p50(city(km), 'Convene on PostgreSQL'),
        p50(city(km), 'PostGIS KNN'),
        1.5,
      ),
    ),
    ratio(
      'ours on PostgreSQL at 50 km ÷ at 1 km',
      p50(city(50), 'Convene on PostgreSQL, cache off'),
      p50(city(1), 'Convene on PostgreSQL, cache off'),
      2,
    ),
    ratio(`ours at 50 km ÷ at 1 km`, p50(city(50), 'Convene, cache off'), p50(city(1), 'Convene, cache off'), 2),
    ratio(`${city(50)}: ours ÷ Redis`, p50(city(50), 'Convene, cache off'), p50(city(50), 'Redis GEOSEARCH'), 0.1),
    ratio('sea, 50 km: ours, ms', p50('sea, 50 km', 'Convene, cache off'), 1, 5, '≤ 5 ms'),
    ratio('small town, 50 km: ours, ms', p50('small town, 50 km', 'Convene, cache off'), 1, 5, '≤ 5 ms'),
  ]
}

/** Ours beside the peer that does the same. */
function pairs(timings: readonly Timing[]): Pair[] {
  const [http, alone] = ['Convene through HTTP, with profiles', 'Convene, cache off']
  const beside = [
    [http, 'PostGIS KNN with profiles', 'HTTP and profiles'],
    [alone, 'PostGIS KNN', 'the search'],
    [alone, 'Redis GEOSEARCH', 'the search'],
  ] as const
  const shown = timings.map((one) => one.case).filter((name) => /centre, (1|5|50) km|(town|sea), 50/.test(name))
  return [...new Set(shown)].flatMap((name) =>
    beside.flatMap(([contender, peer, what]) => {
      const [ours, theirs] = [contender, peer].map((side) =>
        timings.find((one) => one.case === name && one.contender === side),
      )
      if (!ours || !theirs) return []
      return { name: `${name}: ${what}`, unit: 'ms', ours: ours.p50_ms, theirs: theirs.p50_ms, peer }
    }),
  )
}

/** Prints the tables as Markdown, and writes the figures to the files that `--json` and `--svg` name. `--users` is for a quick look. */
export async function main() {
  const { values } = parseArgs({
    args: Bun.argv.slice(2),
    options: { json: { type: 'string' }, svg: { type: 'string' }, users: { type: 'string', default: '1000000' } },
    allowPositionals: true, // the bench's name
  })
  const users = Number(values.users)
  console.log(`Filling SQLite with ${users.toLocaleString('en')} people, where no earlier run has …`)
  const db = database(users)
  console.log('Filling the peers …')
  const peers = [await onPostgres(db), await postgis(db), await redis(db)].filter((peer) => peer !== null)
  try {
    const { contenders, plain, search, close } = await ours(db)
    const all = cases(db, users)
    const against: Timing[] = []
    for (const one of all)
      against.push(...(await run(one, [...contenders, ...peers.flatMap((peer) => peer.contenders)])))
    const further = furtherSearches(search, all[0]!.points)
    const indexes: Timing[] = []
    for (const one of all.filter(({ name }) => /centre, (1|5|50) km|sea, 50/.test(name)))
      indexes.push(...(await run(one, plain)))
    await close()

    const judged = bars(against)
    if (judged.some(({ met }) => met === false)) process.exitCode = 1
    console.log(`\n${table(against)}\n\n${table(further)}\n\nBy index, without the cache:\n\n${table(indexes)}\n`)
    console.log('| bar | value | must be | met |\n|---|---:|---:|---|')
    for (const { bar, value, must, met } of judged)
      console.log(
        `| ${bar} | ${value === null ? '–' : value.toFixed(2)} | ${must} | ${met === null ? '–' : met ? 'yes' : 'NO'} |`,
      )
    if (values.svg)
      await Bun.write(values.svg, chart(`The ${LIMIT} nearest of ${users.toLocaleString('en')}, p50`, pairs(against)))
    if (values.json)
      await Bun.write(
        values.json,
        `${JSON.stringify({ users, limit: LIMIT, against, further, indexes, bars: judged }, null, 2)}\n`,
      )
  } finally {
    for (const peer of peers) await peer.close()
    db.close()
  }
}

if (import.meta.main) await main()
