import { load, medianRun, noWrk, type Request, type Run, wrk } from './load.ts'
import { bearer, crowd, type Crowd, dataDir, startOurs, text } from './ours.ts'
import { type PocketCrowd, pocketCrowd, startPocketBase } from './pocketbase.ts'
import { answerOf, memory, type Server, startBare } from './process.ts'
import { type Finding, markdown, number, options, publish } from './report.ts'

const others = 200
const messages = 40
const senders = 32
const clients = [1, 2, 4, 8, 16, 32, 64, 128, 256]

/** One piece of work, as each side is asked for it. */
type Work = {
  name: string
  ours: Request[]
  theirs: Request[]
  /** How many times as many a second as the peer. */
  atLeast: number
  /** The part of its p99 that ours may take. */
  p99AtMost?: number
  listening?: boolean
}

type Measured = { work: Work; ours: Run; theirs: Run; ratio: number; p99Ratio: number }

const json = { 'content-type': 'application/json' }

export const sends = (people: Crowd['others']): Request[] =>
  people.map((person, i) => ({
    method: 'POST',
    path: `/api/v1/chats/${person.chat_id}/messages`,
    headers: { ...json, ...bearer(person.token) },
    body: JSON.stringify({ text: text(i, 0) }),
  }))

export const theirSends = ({ signedIn }: PocketCrowd): Request[] =>
  signedIn.map((person, i) => ({
    method: 'POST',
    path: '/api/collections/messages/records',
    headers: { ...json, authorization: person.token },
    body: JSON.stringify({ chat: person.chat_id, sender: person.id, text: text(i, 0) }),
  }))

function works(ours: Crowd, theirs: PocketCrowd): Work[] {
  const records = '/api/collections'
  const hub = { ours: bearer(ours.hub.token), theirs: { authorization: theirs.hub.token } }
  const send = {
    ours: sends(ours.others.slice(0, senders)),
    theirs: theirSends(theirs),
    atLeast: 10,
    p99AtMost: 1 / 5,
  }
  return [
    {
      name: 'GET /me · own record',
      ours: [{ path: '/api/v1/me', headers: hub.ours }],
      theirs: [{ path: `${records}/users/records/${theirs.hub.id}`, headers: hub.theirs }],
      atLeast: 20,
    },
    {
      name: 'another’s profile · a user record',
      ours: ours.others.map(({ id }) => ({ path: `/api/v1/users/${id}`, headers: hub.ours })),
      theirs: theirs.others.map(({ id }) => ({ path: `${records}/users/records/${id}`, headers: hub.theirs })),
      atLeast: 12,
    },
    {
      name: 'list 30 messages',
      ours: ours.others.slice(0, senders).map(({ chat_id, token }) => ({
        path: `/api/v1/chats/${chat_id}/messages?limit=30`,
        headers: bearer(token),
      })),
      theirs: theirs.signedIn.map(({ chat_id, token }) => ({
        path: `${records}/messages/records?perPage=30&skipTotal=1&sort=-created&filter=(chat%3D%27${chat_id}%27)`,
        headers: { authorization: token },
      })),
      atLeast: 8,
    },
    {
      name: 'list 30 of 200 chats · with expand',
      ours: [{ path: '/api/v1/chats?limit=30', headers: hub.ours }],
      theirs: [
        {
          path: `${records}/chats/records?perPage=30&skipTotal=1&sort=-last_msg_at&expand=a,b,last_message`,
          headers: hub.theirs,
        },
      ],
      atLeast: 8,
    },
    { name: 'send a message · create a record', ...send },
    { name: 'send, pushed to a listener', ...send, listening: true },
  ]
}

/** Makes sure that what is measured is an answer, and as much of one on both sides. */
async function check({ name, ours, theirs }: Work, urls: { ours: URL; theirs: URL }) {
  for (const [side, [request]] of Object.entries({ ours, theirs }) as ['ours' | 'theirs', Request[]][]) {
    const { method, path, headers, body } = request!
    const response = await fetch(new URL(path, urls[side]), { method, headers, body })
    const answer = await response.text()
    if (!response.ok) throw new Error(`${name}: ${side} answered ${response.status} ${answer}`)
    const { items } = JSON.parse(answer) as { items?: unknown[] }
    if (name.startsWith('list') && items?.length !== 30) throw new Error(`${name}: ${side} listed ${items?.length}`)
  }
}

/** Takes turns: ours, theirs, ours, theirs … */
async function measure(
  work: Work,
  ours: Server,
  theirs: Server,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Measured> {
  const runs: { ours: Run[]; theirs: Run[] } = { ours: [], theirs: [] }
  // What runs for the first time is slower.
  await load(ours.url, work.ours, { seconds: 2 })
  await load(theirs.url, work.theirs, { seconds: 2 })
  for (let round = 0; round < rounds; round++) {
    runs.ours.push(await load(ours.url, work.ours, { seconds }))
    runs.theirs.push(await load(theirs.url, work.theirs, { seconds }))
  }
  const [us, them] = [medianRun(runs.ours), medianRun(runs.theirs)]
  for (const [side, { failed, answers }] of Object.entries({ ours: us, theirs: them }))
    if (failed > 0) console.error(`${work.name}: ${side} failed ${failed} of ${answers} requests`)
  return { work, ours: us, theirs: them, ratio: us.perSecond / them.perSecond, p99Ratio: us.p99 / them.p99 }
}

/** Somebody who is told of every message, on both sides, and counts what comes. */
async function listen(ours: Server, theirs: Server, crowd: Crowd, theirCrowd: PocketCrowd) {
  const frames = { ours: 0, theirs: 0 }
  const socket = new WebSocket(`${ours.url.origin.replace('http', 'ws')}/ws?token=${crowd.hub.token}`)
  socket.onmessage = () => void frames.ours++
  await new Promise((resolve) => (socket.onopen = resolve))
  const stop = new AbortController()
  const realtime = new URL('/api/realtime', theirs.url)
  const events = (await fetch(realtime, { signal: stop.signal })).body!.pipeThrough(new TextDecoderStream())
  const reader = events.getReader()
  const clientId = /"clientId":"([^"]+)"/.exec((await reader.read()).value ?? '')?.[1]
  const subscribed = await fetch(realtime, {
    method: 'POST',
    headers: { ...json, authorization: theirCrowd.hub.token },
    body: JSON.stringify({ clientId, subscriptions: ['messages/*'] }),
  })
  if (!subscribed.ok) throw new Error(`PocketBase took no subscription: ${await subscribed.text()}`)
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      frames.theirs += value.split('event:messages').length - 1
    }
  })().catch(() => {})
  return {
    frames,
    async close() {
      socket.close()
      stop.abort()
      await reading
    },
  }
}

/** fsyncs for each answered send, counted by strace; null where it is not there. */
async function fsyncPerAnswer(ours: Server, requests: Request[], seconds: number): Promise<number | null> {
  if (!Bun.which('strace')) {
    console.error('strace is not installed: fsyncs were not counted')
    return null
  }
  const strace = Bun.spawn(['strace', '-f', '-c', '-e', 'trace=fsync,fdatasync', '-p', String(ours.pid)], {
    stderr: 'pipe',
  })
  await Bun.sleep(500)
  const { answers } = await load(ours.url, requests, { seconds })
  strace.kill('SIGINT')
  const table = await new Response(strace.stderr).text()
  const calls = [...table.matchAll(/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s.*f(?:data)?sync$/gm)].map((row) =>
    Number(row[1]),
  )
  if (calls.length === 0) throw new Error(`strace counted nothing: ${table}`)
  return calls.reduce((sum, count) => sum + count, 0) / answers
}

export async function main() {
  const chosen = options({ seconds: 5, rounds: 3 })
  if (!wrk()) throw new Error(noWrk)
  const [ourDir, theirDir] = [dataDir(), dataDir()]
  const ourCrowd = await crowd(ourDir, { others, messages })
  const theirCrowd = await pocketCrowd(theirDir, { others, messages, signedIn: senders })
  const ours = await startOurs(ourDir)
  const theirs = await startPocketBase(theirDir)
  const hub = bearer(ourCrowd.hub.token)
  const bare = await startBare(await answerOf(ours.url, '/api/v1/me', hub))

  const all = works(ourCrowd, theirCrowd)
  const measured: Measured[] = []
  let heard = ''
  for (const work of all) {
    await check(work, { ours: ours.url, theirs: theirs.url })
    const listener = work.listening ? await listen(ours, theirs, ourCrowd, theirCrowd) : null
    measured.push(await measure(work, ours, theirs, chosen))
    if (listener)
      heard = `The listener heard ${number(listener.frames.ours)} frames of ours, ${number(listener.frames.theirs)} of theirs.`
    await listener?.close()
  }
  const answer = { ...all[0]!, name: 'GET /me · a bare Bun route of its bytes', atLeast: 0.6 }
  measured.push(await measure({ ...answer, theirs: [{ path: '/answer', headers: hub }] }, ours, bare, chosen))
  const fsyncs = await fsyncPerAnswer(ours, sends(ourCrowd.others.slice(0, senders)), chosen.seconds)
  const curve: { clients: number; run: Run }[] = []
  for (const connections of clients) {
    const { seconds } = chosen
    curve.push({
      clients: connections,
      run: await load(ours.url, sends(ourCrowd.others), { connections, seconds }),
    })
  }
  const peak = { ours: memory(ours.pid).peak, theirs: memory(theirs.pid).peak }
  for (const server of [ours, theirs, bare]) await server.stop()

  await publish(
    {
      title: 'Requests a second, 32 connections from one thread',
      tables: [
        markdown(
          ['work', 'Convene /s', 'peer /s', 'ratio', 'bound', 'p50 / p99 ms', 'the peer’s'],
          measured.map(({ work, ours: us, theirs: them, ratio }) => [
            work.name,
            number(us.perSecond),
            number(them.perSecond),
            `${number(ratio)} ×`,
            `≥ ${work.atLeast} ×`,
            `${number(us.p50)} / ${number(us.p99)}`,
            `${number(them.p50)} / ${number(them.p99)}`,
          ]),
        ),
        heard,
        `Memory at most, MiB: ${number(peak.ours)}; PocketBase ${number(peak.theirs)}.`,
        ...(fsyncs === null ? [] : [`fsyncs for each answered send, under strace: ${number(fsyncs)}.`]),
        markdown(
          ['clients that send', 'a second', 'p50 ms', 'p99 ms'],
          curve.map(({ clients: n, run }) => [String(n), number(run.perSecond), number(run.p50), number(run.p99)]),
        ),
      ],
      findings: measured.flatMap(({ work, ratio, p99Ratio }): Finding[] => [
        { name: work.name, value: ratio, bound: { atLeast: work.atLeast } },
        ...(work.p99AtMost === undefined
          ? []
          : [{ name: `${work.name}: p99 ÷ the peer’s`, value: p99Ratio, bound: { atMost: work.p99AtMost } }]),
      ]),
      pairs: measured.map(({ work, ours: us, theirs: them }) => ({
        name: work.name,
        unit: '/s',
        ours: us.perSecond,
        theirs: them.perSecond,
        peer: work.name.includes('bare') ? 'bare Bun' : 'PocketBase',
      })),
      figures: {
        requests: measured.map(({ work, ...rest }) => ({ work: work.name, ...rest })),
        peak_mib: peak,
        fsyncs_per_send: fsyncs,
        send_by_clients: curve,
      },
    },
    chosen,
  )
}

if (import.meta.main) await main()
