/** The same file in a process of its own, with `--variant=…`. One question at a time: `ask` waits for its answer. */
export async function child<Asked, Answered>(file: string, variant: string) {
  const ready = Promise.withResolvers<void>()
  let next = Promise.withResolvers<Answered>()
  const spawned = Bun.spawn([process.execPath, file, `--variant=${variant}`], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (message) => (message === 'ready' ? ready.resolve() : next.resolve(message as Answered)),
    onExit() {
      const gone = new Error(`the process of ${variant} is gone`)
      ready.reject(gone)
      next.reject(gone)
    },
  })
  // Nobody may be waiting when it ends.
  next.promise.catch(() => {})
  process.once('exit', () => spawned.kill('SIGKILL'))
  await ready.promise
  return {
    ask(asked: Asked): Promise<Answered> {
      next = Promise.withResolvers()
      next.promise.catch(() => {})
      spawned.send(asked)
      return next.promise
    },
    async stop(): Promise<void> {
      spawned.kill('SIGKILL')
      await spawned.exited
    },
  }
}

/** A process for each variant. */
export async function children<Variant extends string, Asked, Answered>(file: string, variants: readonly Variant[]) {
  const all = await Promise.all(
    variants.map(async (variant) => [variant, await child<Asked, Answered>(file, variant)] as const),
  )
  return Object.fromEntries(all) as Record<Variant, (typeof all)[number][1]>
}

/** In such a process: the variant that it is of. */
export const variantOf = <Variant extends string>(variants: readonly Variant[]): Variant | undefined =>
  variants.find((name) => Bun.argv.includes(`--variant=${name}`))

/** In such a process: answers whatever is asked from now on. */
export function answer<Asked, Answered>(work: (asked: Asked) => Promise<Answered>): void {
  process.on('message', async (asked: Asked) => void process.send!(await work(asked)))
  process.send!('ready')
}

/** How often `send` ends within that time, so many at once, and what processor time each took. */
export async function sendFor(ms: number, concurrency: number, send: () => Promise<unknown>) {
  const before = process.cpuUsage()
  const end = performance.now() + ms
  let sent = 0
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() < end) {
        await send()
        sent++
      }
    }),
  )
  const { user, system } = process.cpuUsage(before)
  return { sent, cpuUs: (user + system) / sent }
}
