/**
 * Requests a second beside PocketBase, the same work on both sides, in turns: one thread of wrk with 32 connections, each
 * side with the machine to itself while it is asked. Of the rounds the medians count. `bun bench/http.ts [--json FILE]`
 */
import { parseArgs } from 'node:util'
import { load, noWrk, type Request, type Run, wrk } from './load.ts'
import { bearer, crowd, dataDir, startOurs } from './ours.ts'
import { pocketCrowd, startPocketBase } from './pocketbase.ts'
import { startBare } from './bare.ts'
import { memory } from './process.ts'
import { median, table } from './table.ts'

const seconds = 3
const rounds = 3
const chats = 200
const senders = 32
const json = { 'content-type': 'application/json' }

type Work = { name: string; ours: Request[]; theirs: Request[]; bar: number }

const summary = (runs: readonly Run[]) => ({
  perSecond: median(runs.map((run) => run.perSecond)),
  p99: median(runs.map((run) => run.p99)),
  failed: runs.reduce((sum, run) => sum + run.failed, 0),
})

export async function main() {
  const { values } = parseArgs({
    args: Bun.argv.slice(2),
    options: { json: { type: 'string' } },
    allowPositionals: true,
  })
  if (!wrk()) throw new Error(noWrk)
  const [ourDir, theirDir] = [dataDir(), dataDir()]
  const ours = await crowd(ourDir, { others: chats, messages: 30 })
  const theirs = await pocketCrowd(theirDir, { others: chats, messages: 30, signedIn: senders })
  const [we, they] = [await startOurs(ourDir), await startPocketBase(theirDir)]

  const [someone, theirSomeone] = [ours.others[7]!, theirs.others[7]!]
  const hub = bearer(ours.hub.token)
  const theirHub = { authorization: theirs.hub.token }
  const text = 'Shall we meet at the river at noon, where we met last time?'
  const works: Work[] = [
    {
      name: 'list 30 messages',
      ours: [{ path: `/api/v1/chats/${someone.chat_id}/messages?limit=30`, headers: hub }],
      theirs: [
        {
          path: `/api/collections/messages/records?perPage=30&skipTotal=1&sort=-created&filter=${encodeURIComponent(`chat="${theirSomeone.chat_id}"`)}`,
          headers: theirHub,
        },
      ],
      bar: 8,
    },
    {
      name: 'read a public profile',
      ours: [{ path: `/api/v1/users/${someone.id}`, headers: hub }],
      theirs: [{ path: `/api/collections/users/records/${theirSomeone.id}`, headers: theirHub }],
      bar: 12,
    },
    {
      name: 'GET /me',
      ours: [{ path: '/api/v1/me', headers: hub }],
      theirs: [{ path: `/api/collections/users/records/${theirs.hub.id}`, headers: theirHub }],
      bar: 20,
    },
    {
      name: 'list 30 of 200 chats',
      ours: [{ path: '/api/v1/chats?limit=30', headers: hub }],
      theirs: [
        {
          path: '/api/collections/chats/records?perPage=30&skipTotal=1&sort=-last_msg_at&expand=a,b,last_message',
          headers: theirHub,
        },
      ],
      bar: 8,
    },
    // Last, as it fills the chats that the others list.
    {
      name: 'send a message',
      ours: ours.others.slice(0, senders).map(({ token, chat_id }) => ({
        method: 'POST',
        path: `/api/v1/chats/${chat_id}/messages`,
        headers: { ...json, ...bearer(token) },
        body: JSON.stringify({ text }),
      })),
      theirs: theirs.signedIn.map(({ id, token, chat_id }) => ({
        method: 'POST',
        path: '/api/collections/messages/records',
        headers: { ...json, authorization: token },
        body: JSON.stringify({ chat: chat_id, sender: id, text }),
      })),
      bar: 10,
    },
  ]

  const results = []
  for (const work of works) {
    const [mine, others]: [Run[], Run[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      mine.push(await load(we.url, work.ours, { seconds }))
      others.push(await load(they.url, work.theirs, { seconds }))
    }
    const [a, b] = [summary(mine), summary(others)]
    if (a.failed + b.failed > 0) throw new Error(`${work.name}: ${a.failed} of ours and ${b.failed} of theirs failed`)
    results.push({ name: work.name, ours: a, theirs: b, ratio: a.perSecond / b.perSecond, bar: work.bar })
    console.error(`${work.name}: ${Math.round(a.perSecond)} / ${Math.round(b.perSecond)}`)
  }

  // The same bytes from a bare Bun route: what is left for us to lose.
  const me = await (await fetch(new URL('/api/v1/me', we.url), { headers: hub })).text()
  const bare = await startBare(me)
  const [mine, bareRuns]: [Run[], Run[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    mine.push(await load(we.url, [{ path: '/api/v1/me', headers: hub }], { seconds }))
    bareRuns.push(await load(bare.url, [{ path: '/' }], { seconds }))
  }
  await bare.stop()
  const bareRatio = summary(mine).perSecond / summary(bareRuns).perSecond
  const [ourMemory, theirMemory] = [memory(we.pid), memory(they.pid)]
  await we.stop()
  await they.stop()

  console.log(
    table(
      ['work', 'ours /s', 'p99 ms', 'PocketBase /s', 'p99 ms', 'ratio', 'bar'],
      results.map(({ name, ours: a, theirs: b, ratio, bar }) => [
        name,
        Math.round(a.perSecond).toString(),
        a.p99.toFixed(1),
        Math.round(b.perSecond).toString(),
        b.p99.toFixed(1),
        `${ratio.toFixed(1)} ×`,
        `≥ ${bar} ×${ratio >= bar ? '' : ' (missed)'}`,
      ]),
    ),
  )
  console.log(`\nGET /me beside a bare Bun route of the same bytes: ${bareRatio.toFixed(2)} (bar ≥ 0.6)`)
  console.log(
    `\nMemory after it, MiB: ours ${ourMemory.now.toFixed(0)} (peak ${ourMemory.peak.toFixed(0)}), PocketBase ${theirMemory.now.toFixed(0)} (peak ${theirMemory.peak.toFixed(0)})`,
  )
  if (values.json) await Bun.write(values.json, JSON.stringify({ results, bareRatio, ourMemory, theirMemory }, null, 2))
}

if (import.meta.main) await main()
