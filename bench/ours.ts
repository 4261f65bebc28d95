import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../src/config.ts'
import { anybody } from '../src/features/registration/rules.ts'
import { openLog } from '../src/telemetry/log.ts'
import { readSecrets } from '../src/installation/secrets.ts'
import { buildServices } from '../src/services.ts'
import { openStorage } from '../src/storage/open.ts'
import { freePort, type Server, start } from './process.ts'

export type Person = { id: string; token: string }

/** People, and a chat of the first with each of the others, with messages of theirs in it. */
export type Crowd = { hub: Person; others: (Person & { chat_id: string })[] }

const client = { address: '127.0.0.1', user_agent: 'bench', language: 'en' }
const root = join(import.meta.dir, '..')

/** A data directory that goes with the process. */
export function dataDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'convene-bench-'))
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
  return dir
}

type Environment = Record<string, string>

const environment = (dir: string, more: Environment = {}) => ({
  DATA_DIR: dir,
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'warn',
  ...more,
})

/** Our services over a data directory, or the database of `more`, for filling it while no server runs on it. */
export async function openServices(dir: string, more?: Environment) {
  const config = readConfig(environment(dir, more))
  const { storage } = await openStorage(config.database, {
    onFatal(error) {
      throw error
    },
  })
  return buildServices({ config, secrets: readSecrets(config), storage, log: openLog(config) })
}

type Services = Awaited<ReturnType<typeof openServices>>

/** Somebody new, signed in. Without a password, as each would cost a hash of 46 MiB. */
export async function newPerson({ storage, consents, auth }: Services, name: string): Promise<Person> {
  const id = Bun.randomUUIDv7()
  await storage.accounts.register(
    {
      id,
      email: `${id}@example.org`,
      phone: null,
      admission: anybody,
      messenger_id: null,
      password_hash: null,
      name,
      city: 'Riga',
      bio: 'Here for coffee, walks along the river and board games.',
      gender: 'other',
      photo: null,
      language: 'en',
      created_at: Date.now(),
    },
    consents.entries(id, { terms: true, privacy: true, disclaimer: true }, client),
  )
  return { id, token: (await auth.begin(id, client)).access_token }
}

/** Fills an empty data directory with a crowd. */
export async function crowd(
  dir: string,
  { others: count, messages }: { others: number; messages: number },
): Promise<Crowd> {
  const services = await openServices(dir)
  const { callers, chats, storage } = services
  const hub = await newPerson(services, 'Hub')
  const hubCaller = await callers.byToken(hub.token)
  const people = await Promise.all(Array.from({ length: count }, (_, i) => newPerson(services, `Person ${i}`)))
  const others = await Promise.all(
    people.map(async (person, i) => {
      const caller = await callers.byToken(person.token)
      const { chat } = await chats.ensure(caller, hub.id)
      for (let n = 0; n < messages; n++)
        await chats.send(n % 2 === 0 ? caller : hubCaller, chat.id, { text: text(i, n) })
      return { ...person, chat_id: chat.id }
    }),
  )
  await storage.close()
  return { hub, others }
}

/** Two people and the chat that they have. */
export type Pair = { id: string; a: Person; b: Person }

// So many writes at once that none is refused as too many.
const pairsAtOnce = 200

/** Fills an empty data directory, or the database of `more`, with pairs of people. */
export async function pairs(dir: string, count: number, more?: Environment): Promise<Pair[]> {
  const services = await openServices(dir, more)
  const pair = async (i: number): Promise<Pair> => {
    const [a, b] = await Promise.all([newPerson(services, `A ${i}`), newPerson(services, `B ${i}`)])
    const { chat } = await services.chats.ensure(await services.callers.byToken(a.token), b.id)
    return { id: chat.id, a, b }
  }
  const made: Pair[] = []
  for (let from = 0; from < count; from += pairsAtOnce) {
    const length = Math.min(pairsAtOnce, count - from)
    made.push(...(await Promise.all(Array.from({ length }, (_, i) => pair(from + i)))))
  }
  await services.storage.close()
  return made
}

/** What people write, some 50 characters. */
export const text = (person: number, n: number) => `Message ${n} of ${person}: shall we meet at the river at noon?`

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Runs a command of ours to its end. */
export async function convene(command: string[], env: Environment) {
  const child = Bun.spawn([process.execPath, join(root, 'src/main.ts'), ...command], {
    env: { ...process.env, ...env },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`convene ${command[0]} failed: ${said}`)
}

/** Starts the real server over a data directory: from source, or from the binary given. */
export function startOurs(
  dir: string,
  { command = [process.execPath, join(root, 'src/main.ts')], more }: { command?: string[]; more?: Environment } = {},
): Promise<Server & { startedMs: number }> {
  const port = freePort()
  return start({
    command: [...command, 'serve'],
    env: { ...environment(dir, more), PORT: String(port) },
    url: new URL(`http://127.0.0.1:${port}`),
    path: '/api/v1/me',
  })
}
