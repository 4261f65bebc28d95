import { join } from 'node:path'
import { load, median, noWrk, wrk } from './load.ts'
import { crowd, dataDir, startOurs } from './ours.ts'
import { pocketCrowd, startPocketBase } from './pocketbase.ts'
import { sends, theirSends } from './http.ts'
import { memory, type Server } from './process.ts'
import { markdown, number, options, publish } from './report.ts'

const root = join(import.meta.dir, '..')
const starts = 9

type Side = {
  name: string
  start(): Promise<Server & { startedMs: number }>
  ms: number[]
  idle: number[]
  peak: number
}

/** From the start of the compiled binary to its first answer, its memory at rest and at most under a load of sends. */
export async function main() {
  const chosen = options({ seconds: 5, rounds: starts })
  if (!wrk()) throw new Error(noWrk)
  const built = Bun.spawnSync([process.execPath, 'scripts/build.ts'], { cwd: root, stderr: 'inherit' })
  if (built.exitCode !== 0) throw new Error('the binary could not be built')
  const [ourDir, theirDir] = [dataDir(), dataDir()]
  const size = { others: 200, messages: 40 }
  const ours = await crowd(ourDir, size)
  const theirs = await pocketCrowd(theirDir, { ...size, signedIn: 32 })
  const command = [join(root, 'dist/convene')]
  const side = (name: string, start: Side['start']): Side => ({ name, start, ms: [], idle: [], peak: 0 })
  const us = side('Convene', () => startOurs(ourDir, { command }))
  const bare = side('without web pages', () => startOurs(ourDir, { command, more: { WEB_APP: 'off', CONSOLE: 'off' } }))
  const them = side('PocketBase', () => startPocketBase(theirDir))
  for (let turn = 0; turn < chosen.rounds; turn++)
    // In another order each time, because what has just run makes the next start slower.
    for (const one of [us, bare, them, us, bare].slice(turn % 3, (turn % 3) + 3)) {
      const server = await one.start()
      one.ms.push(server.startedMs)
      await Bun.sleep(1000)
      one.idle.push(memory(server.pid).now)
      await server.stop()
    }
  for (const [one, requests] of [
    [us, sends(ours.others.slice(0, 32))],
    [them, theirSends(theirs)],
  ] as const) {
    const server = await one.start()
    await load(server.url, requests, { seconds: chosen.seconds })
    one.peak = memory(server.pid).peak
    await server.stop()
  }
  const rows: [string, string, (side: Side) => number, number][] = [
    ['start to first answer', 'ms', ({ ms }) => median(ms), 1],
    ['memory at rest', 'MiB', ({ idle }) => median(idle), 1.5],
    ['memory at most, under sends', 'MiB', ({ peak }) => peak, 1.3],
  ]
  await publish(
    {
      title: 'The binary',
      tables: [
        markdown(
          ['', us.name, them.name],
          rows.map(([name, unit, of]) => [`${name}, ${unit}`, number(of(us)), number(of(them))]),
        ),
      ],
      findings: [
        ...rows.map(([name, , of, atMost]) => ({
          name: `${name} ÷ PocketBase’s`,
          value: of(us) / of(them),
          bound: { atMost },
        })),
        ...rows.slice(0, 2).map(([name, , of]) => ({
          name: `${name} ÷ that without web pages`,
          value: of(us) / of(bare),
          bound: { atMost: 1.05 },
        })),
      ],
      pairs: rows.map(([name, unit, of]) => ({ name, unit, ours: of(us), theirs: of(them), peer: them.name })),
      figures: { ours: us, bare, theirs: them },
    },
    chosen,
  )
}

if (import.meta.main) await main()
