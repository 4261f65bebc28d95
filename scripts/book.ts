// The component book: `bun run web:book`. It is for development only, and not part of the binary.
import { basename, join, relative } from 'node:path'
import type { BunPlugin } from 'bun'
import { texts } from './texts.ts'

const root = join(import.meta.dir, '..')
const types: Record<string, string> = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

/** The names of the components in a file's text, by convention: functions and constants with a capital letter. */
const componentsIn = (text: string): string[] => [
  ...new Set(
    [
      ...text.matchAll(
        /^(?:export )?(?:default )?(?:async )?(?:function|class|const) ([A-Z]\w*)\b(?!\s*:\s*Record|\s*=\s*(?:createContext|lazy))/gm,
      ),
    ].map(([, name = '']) => name),
  ),
]

/** The components of a face, such as `people/nearby.tsx#Nearby`. Some state of the book has to render each. */
export async function componentsOf(face: string): Promise<string[]> {
  const found: string[] = []
  for (const path of new Bun.Glob('**/*.tsx').scanSync({ cwd: join(root, 'web', face) })) {
    const text = await Bun.file(join(root, 'web', face, path)).text()
    found.push(...componentsIn(text).map((name) => `${path}#${name}`))
  }
  return found.toSorted()
}

/** Registers each component under its file's name, and replaces the face's client with the book's. */
const asBook = (face: string): BunPlugin => ({
  name: 'book',
  setup(build) {
    const own = join(root, 'web', face)
    build.onResolve({ filter: /\/client\.ts$/ }, ({ path, importer }) =>
      importer.startsWith(own) && join(importer, '..', path) === join(own, 'client.ts')
        ? { path: join(root, 'web/book', face, 'client.ts') }
        : undefined,
    )
    build.onLoad({ filter: /\.tsx$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      if (!path.startsWith(own + '/')) return { contents: text, loader: 'tsx' }
      const names = componentsIn(text).map((name) => {
        // React renders the component inside `memo`.
        const drawn = `typeof ${name} === 'object' && ${name} && 'type' in ${name} ? ${name}.type : ${name}`
        return `;(globalThis.bookComponents ??= new Map()).set(${drawn}, '${relative(own, path)}#${name}');`
      })
      return { contents: `${text}\n${names.join('\n')}`, loader: 'tsx' }
    })
  },
})

type Built = { html: string; files: Map<string, Blob> }

async function build(entry: string, page: string, plugins: BunPlugin[]): Promise<Built> {
  const { outputs } = await Bun.build({
    entrypoints: [join(root, entry)],
    target: 'browser',
    splitting: true,
    publicPath: '/assets/',
    naming: { entry: '[name]-[hash].[ext]', chunk: 'chunk-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: {
      'process.env.NODE_ENV': '"production"',
      __dirname: '"/"',
      __filename: '"/"',
      heicWorkerUrl: '"/assets/none"',
    },
    plugins: [texts, ...plugins],
  })
  const files = new Map<string, Blob>(outputs.map((output) => [basename(output.path), output]))
  const stem = basename(entry).replace(/\.tsx?$/, '')
  const own = [...files.keys()].filter((name) => name.startsWith(`${stem}-`))
  const tags = own.map((name) =>
    name.endsWith('.css')
      ? `<link rel="stylesheet" href="/assets/${name}">`
      : `<script type="module" src="/assets/${name}"></script>`,
  )
  return { html: (await Bun.file(join(root, page)).text()).replace('<!-- assets -->', tags.join('\n    ')), files }
}

/** When the sources of the pages were last changed. */
async function changedAt(): Promise<number> {
  const paths = [...new Bun.Glob('web/{app,console,shared,book}/**/*').scanSync({ cwd: root })]
  const times = await Promise.all(paths.map((path) => Bun.file(join(root, path)).lastModified))
  return Math.max(...times)
}

/** Serves the book. A request for a page rebuilds it if its sources have changed. */
export function serveBook({ port = 0, watch = true } = {}) {
  const built = new Map<string, { at: number; made: Promise<Built> }>()
  const files = new Map<string, Blob>()

  async function pageOf(face: string | null): Promise<Response> {
    const key = face ?? ''
    const known = built.get(key)
    const at = watch || !known ? await changedAt() : known.at
    if (!known || known.at !== at) {
      const made =
        face === null
          ? build('web/book/index.tsx', 'web/book/index.html', [])
          : build(`web/book/${face}/frame.ts`, 'web/book/frame.html', [asBook(face)])
      built.set(key, { at, made })
    }
    const { html, files: made } = await built.get(key)!.made
    for (const [name, file] of made) files.set(name, file)
    return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' } })
  }

  return Bun.serve({
    port,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/') return pageOf(null)
      const face = /^\/book\/([a-z]+)\//.exec(pathname)?.[1]
      if (face !== undefined && (await Bun.file(join(root, 'web/book', face, 'frame.ts')).exists())) return pageOf(face)
      const file = /^\/assets\/(.+)$/.exec(pathname)?.[1]
      const found = file === undefined ? undefined : files.get(file)
      if (!found || file === undefined) return new Response('', { status: 404 })
      const type = types[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
      return new Response(found, { headers: { 'content-type': type, 'cache-control': 'max-age=31536000, immutable' } })
    },
  })
}

if (import.meta.main) {
  const { url } = serveBook({ port: Number(process.env.PORT ?? 4100) })
  console.log(`The component book is at ${url}`)
}
