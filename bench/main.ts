/** `isLong`: it runs only when it is asked for. */
const subjects: Record<string, { about: string; isLong?: boolean; load(): Promise<{ main(): Promise<void> }> }> = {
  http: { about: 'requests a second beside PocketBase and a bare Bun route', load: () => import('./http.ts') },
  nearby: { about: 'the nearest of a million people, beside PostGIS and Redis', load: () => import('./nearby.ts') },
  push: { about: 'events to sockets, beside a bare Bun server', load: () => import('./push.ts') },
  sockets: {
    about: 'memory of idle sockets, and all of them coming back at once: --sockets N',
    load: () => import('./sockets.ts'),
  },
  overload: { about: 'half and twice the load that can be carried', load: () => import('./overload.ts') },
  start: { about: 'start and memory of the binary, beside PocketBase', load: () => import('./start.ts') },
  cluster: {
    about: 'what a send costs one node and several, on PostgreSQL and Redis',
    load: () => import('./cluster.ts'),
  },
  notifications: {
    about: 'what notifications cost a send, and how soon they are at the provider',
    load: () => import('./notifications.ts'),
  },
  replica: {
    about: 'what a replica costs a send, and how long a restore takes',
    load: () => import('./replica.ts'),
  },
  rules: { about: 'what rules and banned images cost a send of a text or a photo', load: () => import('./rules.ts') },
  images: { about: 'what perceptual hashes of images and banned ones cost', load: () => import('./images.ts') },
  timing: { about: 'what the time of an answer tells of who has an account', load: () => import('./timing.ts') },
  web: { about: 'the app on a slow phone: start, touch, lists and memory', load: () => import('./web.ts') },
  tail: {
    about: 'the slowest answers under half load while a backup, a replica, an erasure and the like run',
    load: () => import('./tail.ts'),
  },
  soak: {
    about: 'half load for two hours: memory, open files and latencies: --minutes N --people N --dir DIR',
    isLong: true,
    load: () => import('./soak.ts'),
  },
  growth: {
    about: 'communities of several sizes: --people 10000,1000000 --messages-each 1 --dir DIR',
    load: () => import('./growth.ts'),
  },
  cores: {
    about: 'what worker threads take off the one that writes: --people N --messages-each N --dir DIR',
    load: () => import('./cores.ts'),
  },
  privacy: { about: 'what an attacker learns from published positions', load: () => import('./privacy.ts') },
}

const help = `usage: bun run bench [SUBJECT [--json FILE] [--svg FILE] [--seconds N] [--rounds N]]

${Object.entries(subjects)
  .map(([name, { about }]) => `  ${name.padEnd(14)}${about}`)
  .join('\n')}

Prints tables in Markdown, and exits with 1 where a figure misses its bound; without a subject of all but the soak, one
after the other, in some half an hour. --seconds is how long one load lasts, --rounds how often it is repeated, not of nearby and privacy;
what is told is the median. How to read it all stands in bench/README.md.`

// What was started goes with this process then too.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

/** Each in a process of its own, as what one leaves in memory is no business of the next. */
async function all() {
  for (const [name, { isLong }] of Object.entries(subjects)) {
    if (isLong) continue
    const child = Bun.spawn([process.execPath, import.meta.path, name], { stdio: ['ignore', 'inherit', 'inherit'] })
    process.once('exit', () => child.kill())
    if ((await child.exited) !== 0) process.exitCode = 1
  }
  process.exit()
}

const name = Bun.argv[2]
if (name === undefined) await all()
const subject = name !== undefined && Object.hasOwn(subjects, name) ? subjects[name] : undefined
if (!subject || Bun.argv.includes('--help')) {
  console.log(help)
  process.exit(subject || name === '--help' ? 0 : 2)
}
const { main } = await subject.load()
await main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
// What was started, and was not stopped, goes with this process.
process.exit()

export {}
