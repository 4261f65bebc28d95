import { passkeyOf } from '../test/authenticator.ts'
import { median } from './load.ts'
import { dataDir, newPerson, openServices, startOurs } from './ours.ts'
import { markdown, number, options, publish } from './report.ts'

const consents = { terms: true, privacy: true, disclaimer: true }
const password = 'twelve green bottles'
// Work that goes on after an answer is done by then.
const pauseMs = 25

/** Requests of accounts that there are, and of none, which an attacker compares. Each answers how long it took, in ms. */
type Case = { name: string; ask(isKnown: boolean, i: number): Promise<number> }

/**
 * How well one time tells whether there is an account: the probability that one of a known account is longer than one of an
 * unknown (the area under the ROC curve). A half tells nothing, 0 and 1 everything.
 */
function tellingOf(known: readonly number[], unknown: readonly number[]): number {
  const all = [...known.map((ms) => ({ ms, isKnown: true })), ...unknown.map((ms) => ({ ms, isKnown: false }))]
  const ranks = all.toSorted((a, b) => a.ms - b.ms).reduce((sum, { isKnown }, i) => sum + (isKnown ? i + 1 : 0), 0)
  return (ranks - (known.length * (known.length + 1)) / 2) / (known.length * unknown.length)
}

/** What the time of an answer tells of who has an account here. */
export async function main() {
  const chosen = options({ seconds: 0, rounds: 400 })
  const dir = dataDir()
  const services = await openServices(dir)
  const people: string[] = []
  // A link is sent to each once by one case, and once by the other.
  for (let i = 0; i < 2 * chosen.rounds; i++) people.push((await newPerson(services, `Person ${i}`)).id)
  await services.storage.close()
  const PUBLIC_URL = 'http://localhost:3000'
  // Nobody listens there: a mail server on this machine would add its own work to the times.
  const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Convene <hello@example.org>', PUBLIC_URL }
  const server = await startOurs(dir, { more: mail })

  async function request(path: string, body: object | null, token = '') {
    const began = performance.now()
    const answer = await fetch(new URL(`/api/v1/${path}`, server.url), {
      method: body === null ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: body && JSON.stringify(body),
    })
    const text = await answer.text()
    return { ms: performance.now() - began, status: answer.status, body: text === '' ? null : JSON.parse(text) }
  }
  async function timed(path: string, body: object, expected: number) {
    const { ms, status } = await request(path, body)
    if (status !== expected) throw new Error(`${path} answered ${status}`)
    return ms
  }

  const addressOf = (isKnown: boolean, i: number) => `${isKnown ? people[i] : Bun.randomUUIDv7()}@example.org`
  const ada = { email: 'ada@example.org', password }
  const { body: session } = await request('auth/register', { ...ada, name: 'Ada', consents })
  const { body: creation } = await request('me/passkeys/options', {}, session.access_token)
  const passkey = passkeyOf(creation.options, { origin: PUBLIC_URL })
  const stranger = passkeyOf(creation.options, { origin: PUBLIC_URL })
  await request('me/passkeys', { label: 'Laptop', credential: passkey.registration }, session.access_token)

  const cases: Case[] = [
    {
      name: 'POST /auth/login, a wrong password',
      ask: (isKnown, i) => {
        const email = isKnown ? ada.email : addressOf(false, i)
        return timed('auth/login', { email, password: `wrong ${password}` }, 401)
      },
    },
    {
      name: 'POST /auth/password/forgot',
      ask: (isKnown, i) => timed('auth/password/forgot', { email: addressOf(isKnown, i) }, 202),
    },
    {
      name: 'the request after POST /auth/password/forgot',
      ask: async (isKnown, i) => {
        await timed('auth/password/forgot', { email: addressOf(isKnown, chosen.rounds + i) }, 202)
        return (await request('auth/providers', null)).ms
      },
    },
    {
      name: 'POST /auth/passkey, a wrong signature',
      ask: async (isKnown) => {
        const { body } = await request('auth/passkey/options', {})
        const credential = (isKnown ? passkey : stranger).answer(body.options, { otherKey: true })
        return timed('auth/passkey', { credential }, 401)
      },
    },
  ]
  const runs = []
  for (const { name, ask } of cases) {
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
    for (let i = 0; i < chosen.rounds; i++)
      for (const isKnown of Math.random() < 0.5 ? [true, false] : [false, true]) {
        times[isKnown ? 'known' : 'unknown'].push(await ask(isKnown, i))
        await Bun.sleep(pauseMs)
      }
    runs.push({ name, ...times, telling: tellingOf(times.known, times.unknown) })
  }
  await server.stop()
  await publish(
    {
      title: 'What times tell of accounts',
      tables: [
        markdown(
          ['request', 'known, median ms', 'unknown, median ms', 'known is longer in'],
          runs.map(({ name, known, unknown, telling }) => [
            ...[name, number(median(known)), number(median(unknown))],
            `${number(100 * telling)} %`,
          ]),
        ),
      ],
      findings: runs.map(({ name, telling }) => ({
        name: `how far ${name} is from a half`,
        value: Math.abs(telling - 0.5),
        bound: { atMost: 0.1 },
      })),
      pairs: [],
      figures: { runs },
    },
    chosen,
  )
}

if (import.meta.main) await main()
