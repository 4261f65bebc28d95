// The sizes of what an app loads: minified by `bun build --minify` with everything it needs but React, and gzipped.
//
// `index` is the core: what a page needs to sign in, connect, list chats, send and receive. What it loads later by itself is
// counted beside it: `tabs` when a page connects that may share its socket with other tabs, which every browser with Web Locks
// does, and `photo` once it is connected or sends a photo.
import { bundle, loadedLater } from './bundle.ts'

// The aim for index is 8192.
export const limits = { index: 10_700, react: 2048, tabs: 1200, photo: 600 }
/** For the core with everything that it loads later. */
export const limitOfAll = 12_288

export type Sizes = Record<keyof typeof limits, number>

export async function sizes(): Promise<Sizes> {
  const measured: Record<string, number> = {}
  for (const name of Object.keys(limits)) {
    const [output] = await bundle([name], { minify: true, packages: 'bundle', external: ['react'] })
    measured[name] = Bun.gzipSync(new Uint8Array(await output!.arrayBuffer()), { level: 9 }).length
  }
  return measured as Sizes
}

export const sizeOfAll = (measured: Sizes): number =>
  ['index', ...loadedLater].reduce((sum, name) => sum + measured[name as keyof Sizes], 0)

if (import.meta.main) {
  const measured = await sizes()
  const rows: [string, number, number][] = Object.entries(limits).map(([name, limit]) => [
    name,
    measured[name as keyof Sizes],
    limit,
  ])
  for (const [name, size, limit] of [
    ...rows,
    ['index and what it loads later', sizeOfAll(measured), limitOfAll] as const,
  ]) {
    console.log(`${name}: ${size} of ${limit} bytes`)
    if (size > limit) process.exitCode = 1
  }
}
