// The sizes of what an app loads: built by `bun build --minify --splitting` with everything it needs but React, and gzipped.
//
// `index` is the core, which an app imports: the session, the API and the shape of everything else. The rest loads by itself:
// `live` (chats, the outbox, the socket) right after the core, `tabs` when a page connects that may share its socket with
// other tabs, and `photo` once it is connected or sends a photo. `whole` is everything but the hooks in one file, as made by
// bundlers that do not split code.
import { join } from 'node:path'

export const limits = { index: 7100, live: 8650, tabs: 1250, photo: 600, react: 2048, whole: 15_350 }

type Sizes = Record<keyof typeof limits, number>

const source = join(import.meta.dir, '../src')

export async function sizes(): Promise<Sizes> {
  const { outputs } = await Bun.build({
    entrypoints: ['index', 'live', 'tabs', 'photo'].map((name) => join(source, `${name}.ts`)),
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
  })
  const texts = new Map(await Promise.all(outputs.map(async (one) => [one.path.slice(2), await one.text()] as const)))
  const importedBy = (name: string, found = new Set([name])): Set<string> => {
    for (const [, next] of texts.get(name)!.matchAll(/(?:from|import)"\.\/([^"]+)"/g))
      if (!found.has(next!)) importedBy(next!, found.add(next!))
    return found
  }
  const core = importedBy('index.js')
  const sizeOf = (files: Iterable<string>) =>
    [...files].reduce((sum, file) => sum + Bun.gzipSync(texts.get(file)!, { level: 9 }).length, 0)
  const beside = (name: string) => sizeOf([...importedBy(`${name}.js`)].filter((file) => !core.has(file)))

  const whole = await Bun.build({
    entrypoints: [join(source, 'index.ts')],
    target: 'browser',
    format: 'esm',
    minify: true,
  })
  const hooks = await Bun.build({
    entrypoints: [join(source, 'react.ts')],
    target: 'browser',
    format: 'esm',
    minify: true,
    external: ['react'],
  })
  return {
    index: sizeOf(core),
    live: beside('live'),
    tabs: beside('tabs'),
    photo: beside('photo'),
    react: Bun.gzipSync(await hooks.outputs[0]!.text(), { level: 9 }).length,
    whole: Bun.gzipSync(await whole.outputs[0]!.text(), { level: 9 }).length,
  }
}

if (import.meta.main)
  for (const [name, size] of Object.entries(await sizes())) {
    const limit = limits[name as keyof Sizes]
    console.log(`${name}: ${size} of ${limit} bytes`)
    if (size > limit) process.exitCode = 1
  }
