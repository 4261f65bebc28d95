import { setImmediate } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { distance } from '../features/location/sphere.ts'
import { openPasswords } from '../features/auth/passwords.ts'
import { legalService } from '../features/legal/service.ts'
import { openProgress } from '../lib/progress.ts'
import { readSecrets } from '../installation/secrets.ts'
import { cities, type City } from '../seed/cities.ts'
import { openCommunity, type Plan } from '../seed/community.ts'
import { demoPassword } from '../seed/demo-account.ts'
import { openPhotos } from '../seed/photos.ts'
import { openFiles, tellOperator } from '../storage/files/open.ts'
import { up } from '../storage/migrate.ts'
import { openBulkLoad } from '../storage/sqlite/bulk.ts'
import { withDrizzle } from '../storage/sqlite/database.ts'
import { UsageError } from './command.ts'
import { openAlone, sqlitePath } from './database.ts'

export const help = `usage: convene seed --users N [--cities C | --near LAT,LNG] [--messages M] [--photos] [--seed S]

Fills an empty database with made-up people to try things with: accounts with profiles, preferences, consents and current
positions around real cities, all visible, and chats and reviews between neighbours, in English and Russian. Use a separate
database that others cannot reach, because all accounts have the same password.

  --users N      how many people
  --cities C     how many cities, 1 to ${cities.length} (20, or fewer so that each has at least 50 people); sizes follow Zipf's law,
                 with about 17 % of all people in the biggest, ${cities[0]?.name}
  --near LAT,LNG puts everybody around this place, in degrees, instead, so that they are near you
  --photos       draws portraits of people who do not exist, for most accounts: 2,000 take a minute or two and 40 MB
  --messages M   how many messages in all chats (as many as people)
  --seed S       any text (1); the same text makes the same people, ids, chats and texts. Times are counted back from
                 now, and positions are published under the installation's own location key.

Log in as user1@example.org, user2@example.org … with the password: ${demoPassword}
The first five have chats in any case, if there are enough messages.

If it is interrupted, the database stays empty. It refuses to run while the server runs. A million people with a million
messages take a minute or two, and 2 GB.`

export const onlyOurDatabase = true

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      users: { type: 'string' },
      cities: { type: 'string' },
      near: { type: 'string' },
      photos: { type: 'boolean', default: false },
      messages: { type: 'string' },
      seed: { type: 'string' },
    },
  })
  if (values.users === undefined) throw new UsageError('seed takes --users N: the number of people')
  const users = whole('users', values.users, 1, 10_000_000)
  if (values.near !== undefined && values.cities !== undefined)
    throw new UsageError('give --cities or --near, not both')
  const plan = {
    users,
    cities:
      values.near !== undefined
        ? [townAt(values.near)]
        : cities.slice(
            0,
            whole('cities', values.cities ?? String(Math.min(20, Math.ceil(users / 50))), 1, cities.length),
          ),
    messages: whole('messages', values.messages ?? String(users > 1 ? users : 0), 0, 1_000_000_000),
    seed: values.seed ?? '1',
  }
  await seed(plan, values.photos)
}

/** A town around a place, that has the name and the language of the nearest city that is known. */
function townAt(given: string): City {
  const [latitude = NaN, longitude = NaN, ...rest] = given.split(',').map((part) => (part.trim() ? Number(part) : NaN))
  if (rest.length > 0 || !(Math.abs(latitude) <= 85) || !(Math.abs(longitude) <= 180))
    throw new UsageError('--near must be a latitude from -85 to 85 and a longitude, as in 52.52,13.41')
  const here = { latitude, longitude }
  const [nearest] = cities.toSorted((a, b) => distance(here, a) - distance(here, b))
  if (nearest === undefined) throw new Error('there are no cities')
  // Half of them live within three kilometres.
  return { ...nearest, ...here, population: 300 }
}

function whole(name: string, given: string, min: number, max: number): number {
  const number = Number(given)
  if (!/^\d+$/.test(given) || number < min || number > max)
    throw new UsageError(`--${name} must be a whole number from ${min} to ${max}`)
  return number
}

async function seed(plan: Plan, isWithPhotos: boolean) {
  const started = performance.now()
  const config = readConfig()
  const path = sqlitePath(config, 'leave DATABASE_URL out to seed a file in DATA_DIR')
  const db = withDrizzle(await openAlone(path))
  try {
    up(db.$client)
    if (db.$client.query('SELECT 1 FROM users LIMIT 1').get())
      throw new Error(`${path} has people in it already: seed fills an empty database only`)
    const now = Date.now()
    const legal = legalService({ dir: config.legalDir })
    const community = openCommunity(plan, {
      now,
      locationKey: readSecrets(config).location,
      edition: (kind) => legal.edition(kind, 'en'),
    })
    const load = openBulkLoad(db, { now, passwordHash: await openPasswords().hash('seed', demoPassword) })
    const progress = await openProgress('seeding', plan.users + plan.messages, 'rows')
    const photos = isWithPhotos ? openPhotos(openFiles(config, tellOperator), plan.seed, now) : null
    let chats = 0
    let reviews = 0
    try {
      let waiting = 0
      let reached = 0
      const count = async (rows: number) => {
        waiting += rows
        if (waiting < (photos ? 16 : 5000)) return
        progress.advance(waiting)
        waiting = 0
        // So that Ctrl-C is heard.
        await setImmediate()
      }
      for (const residents of inChunks(community.residents(), photos ? 16 : 1000)) {
        const drawn = photos ? await Promise.all(residents.map((resident, i) => photos.of(resident, reached + i))) : []
        for (const [i, resident] of residents.entries()) load.addResident(resident, drawn[i] ?? null)
        reached += residents.length
        await count(residents.length)
      }
      for (const chat of community.chats()) {
        load.addChat(chat)
        chats++
        if (chat.review) reviews++
        await count(chat.messages.length)
      }
      load.finish()
      progress.advance(waiting)
    } catch (error) {
      load.abandon()
      await photos?.abandon()
      throw error
    } finally {
      progress.stop()
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(
      `seeded ${path} in ${seconds} s: users ${plan.users}, cities ${plan.cities.length}, chats ${chats}, ` +
        `messages ${plan.messages}, reviews ${reviews}${photos ? `, photos ${photos.count()}` : ''}. Log in as user1@example.org with the password: ${demoPassword}`,
    )
  } finally {
    db.$client.close()
  }
}

function* inChunks<T>(all: Iterable<T>, size: number): Generator<T[]> {
  let chunk: T[] = []
  for (const each of all) {
    chunk.push(each)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
