import { openLoop } from './open-loop.ts'
import { load, median, noWrk, type Run, wrk } from './load.ts'
import { crowd, dataDir, startOurs } from './ours.ts'
import { sends } from './http.ts'
import { markdown, number, options, publish } from './report.ts'

const connections = 1000
const parts = [0.5, 1, 2]

/** Sends at half, at once and at twice the rate that the server can take: what it accepts, refuses, and how long that takes. */
export async function main() {
  const chosen = options({ seconds: 5, rounds: 3 })
  if (!wrk()) throw new Error(noWrk)
  const dir = dataDir()
  const { others } = await crowd(dir, { others: 200, messages: 4 })
  const server = await startOurs(dir)
  const requests = sends(others)
  await load(server.url, requests, { connections: 64, seconds: 2 })
  const most = (await load(server.url, requests, { connections: 64, seconds: chosen.seconds })).perSecond
  const clients = await openLoop(server.url, requests, connections)
  const runs = parts.map((part) => ({ part, accepted: [] as Run[], refused: [] as number[], others: 0 }))
  for (let round = 0; round < chosen.rounds; round++)
    for (const run of runs) {
      const found = await clients.run(most * run.part, chosen.seconds)
      run.accepted.push(found.accepted)
      run.refused.push(found.refused)
      run.others += found.others
    }
  clients.close()
  await server.stop()
  const p99 = (part: number) => median(runs.find((run) => run.part === part)!.accepted.map((run) => run.p99))
  await publish(
    {
      title: 'Under pressure',
      tables: [
        markdown(
          ['sends offered a second', 'accepted', 'refused (503)', 'p50 ms of the accepted', 'p99 ms'],
          runs.map(({ part, accepted, refused }) => [
            `${number(most * part)} (${part} × what 64 clients got)`,
            number(median(accepted.map((run) => run.perSecond))),
            number(median(refused)),
            number(median(accepted.map((run) => run.p50))),
            number(p99(part)),
          ]),
        ),
      ],
      findings: [
        { name: 'p99 of what is accepted at twice the load ÷ at half', value: p99(2) / p99(0.5), bound: { atMost: 5 } },
        {
          name: 'answers that are neither',
          value: runs.reduce((sum, run) => sum + run.others, 0),
          bound: { atMost: 0 },
        },
      ],
      pairs: [
        { name: 'p99 of what is accepted', unit: 'ms', ours: p99(2), theirs: p99(0.5), peer: 'at half the load' },
      ],
      figures: { most, runs },
    },
    chosen,
  )
}

if (import.meta.main) await main()
