// Builds the web pages: `bun run build:web`. The server serves what is in `web/dist`, and the binary contains it. Does nothing
// if nothing has changed since the last build.
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Resvg } from '@resvg/resvg-js'
import type { BunPlugin } from 'bun'
import { brotliCompressSync, constants, zstdCompressSync } from 'node:zlib'
import { texts } from './texts.ts'

const root = join(import.meta.dir, '..')
const output = join(root, 'web/dist')
const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  wasm: 'application/wasm',
  woff2: 'font/woff2',
}

/**
 * One page with its scripts. `core` is what every part of the page needs, fetched with the entry. `worker` is a script that
 * the page registers under a path without a hash.
 */
type Face = { name: string; page: string; entry: string; core?: string; worker?: string }

const faces: Face[] = [
  {
    name: 'app',
    page: 'web/app/page.html',
    entry: 'web/app/app.tsx',
    core: 'web/app/start.tsx',
    worker: 'web/app/service-worker.ts',
  },
  { name: 'console', page: 'web/console/page.html', entry: 'web/console/console.tsx' },
]

/** Larger files are not cached by the service worker: the map and the decoder of HEIC photos. In bytes. */
const largestCached = 300_000

type Encoding = 'br' | 'zstd' | 'gzip' | 'identity'
type Asset = { name: string; type: string; hash: string; encodings: Partial<Record<Encoding, string>> }

async function digestOfSources(): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  const sources = ['web/{app,console,shared}/**/*', 'client/src/**/*', 'bun.lock', 'scripts/{build-web,texts}.ts']
  const paths = sources.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
  for (const path of paths.toSorted()) hasher.update(path).update(await Bun.file(join(root, path)).bytes())
  return hasher.digest('hex')
}

/** Worker scripts, by the constant that holds their URL in the page's code. */
const helpers: Record<string, string> = { heicWorkerUrl: 'web/app/chats/heic-worker.ts' }

/**
 * Keeps the core in one file. The bundler makes a file for each combination of parts that share a module: some twenty small
 * ones for the first screen alone. If each part imports the core, which is loaded before it, their shared modules stay there.
 */
const inOneFile = (core: string): BunPlugin => ({
  name: 'core',
  setup(build) {
    const path = join(root, core)
    const parts = new Set<string>()
    build.onResolve({ filter: /\.tsx$/ }, ({ path, importer, kind }) => {
      if (kind === 'dynamic-import') parts.add(join(importer, '..', path))
      return undefined
    })
    build.onLoad({ filter: /\.tsx$/ }, async ({ path: part }) => {
      const text = await Bun.file(part).text()
      const isPart = parts.has(part) && part !== path
      return { contents: isPart ? `import ${JSON.stringify(path)}\n${text}` : text, loader: 'tsx' }
    })
  },
})

async function bundle(entry: string, define: Record<string, string> = {}, core?: string) {
  const { outputs, metafile } = await Bun.build({
    metafile: true,
    entrypoints: [join(root, entry)],
    target: 'browser',
    splitting: true,
    minify: true,
    plugins: core === undefined ? [texts] : [texts, inOneFile(core)],
    publicPath: '/assets/',
    naming: { entry: '[name]-[hash].[ext]', chunk: 'chunk-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    // Otherwise libraries that ask for their location would contain a path of the build machine.
    define: { 'process.env.NODE_ENV': '"production"', __dirname: '"/"', __filename: '"/"', ...define },
  })
  const made = Object.entries(metafile?.outputs ?? {})
  /** The output file of a source that is imported dynamically. */
  const fileOf = (source: string) => basename(made.find(([, { entryPoint }]) => entryPoint === source)?.[0] ?? '')
  return { outputs, fileOf }
}

/**
 * Marks a script of which most functions run at once. Browsers that know this mark compile the whole script in the background
 * while it arrives, instead of each function at its first call.
 */
const eager = (script: Uint8Array) =>
  new TextEncoder().encode(`//# allFunctionsCalledOnLoad\n${new TextDecoder().decode(script)}`)

/** Stores a file compressed at the highest level. An encoding that saves less than a tenth is left out. */
async function store(dir: string, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Asset> {
  const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  const forms: Record<Encoding, Uint8Array> = {
    br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    zstd: zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }),
    // libdeflate's output is about 4 % smaller than zlib's at its highest level.
    gzip: Bun.gzipSync(bytes, { library: 'libdeflate', level: 12 }),
    identity: bytes,
  }
  const encodings: Asset['encodings'] = {}
  for (const [encoding, form] of Object.entries(forms) as [Encoding, Uint8Array][]) {
    if (encoding !== 'identity' && form.length > bytes.length * 0.9) continue
    const file = encoding === 'identity' ? name : `${name}.${encoding}`
    await Bun.write(join(dir, file), form)
    encodings[encoding] = file
  }
  return { name, type, hash: new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 22), encodings }
}

/** The app's icons, drawn from one SVG. Systems crop the maskable icon to their own shape, so its picture avoids the edges. */
async function icons(): Promise<[string, Uint8Array<ArrayBuffer>][]> {
  const svg = await Bun.file(join(root, 'web/app/icon.svg')).text()
  const maskable = svg.replace(/rx="\d+"/, '').replace('scale(1)', 'scale(0.8)')
  const png = (source: string, width: number) =>
    new Uint8Array(new Resvg(source, { fitTo: { mode: 'width', value: width } }).render().asPng())
  return [
    ['icon.svg', new TextEncoder().encode(svg)],
    ['icon-192.png', png(svg, 192)],
    ['icon-512.png', png(svg, 512)],
    ['icon-maskable.png', png(maskable, 512)],
  ]
}

/** The page with the links to its scripts and styles in place of `<!-- assets -->`. */
function pageOf(html: string, names: string[], preloads: string[]): string {
  const tags = names.map((name) =>
    name.endsWith('.css')
      ? `<link rel="stylesheet" href="/assets/${name}">`
      : `<script type="module" src="/assets/${name}"></script>`,
  )
  const links = preloads.map((name) => `<link rel="modulepreload" href="/assets/${name}">`)
  return html.replace('<!-- assets -->', [...links, ...tags].join('\n    '))
}

/** The chunks that an output imports before it runs, so that the browser fetches all of them at once. */
function staticImports(text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*"(?:\/assets\/|\.\/)([^"]+\.js)"/g)].map(([, name]) => name ?? '')
}

/** A module that lists every file. Imports with `type: 'file'` give paths that can be read in the binary, too. */
function index(assets: Asset[], pages: Record<string, Asset>, workers: Record<string, Asset>): string {
  const lines: string[] = []
  const variables = new Map<string, string>()
  const variable = (file: string) => {
    const known = variables.get(file)
    if (known !== undefined) return known
    const name = `file${variables.size}`
    variables.set(file, name)
    lines.push(`import ${name} from './${file}' with { type: 'file' }`)
    return name
  }
  const literal = ({ name, type, hash, encodings }: Asset) => {
    const files = Object.entries(encodings).map(([encoding, file]) => `${encoding}: ${variable(file)}`)
    return `{ name: '${name}', type: '${type}', hash: '${hash}', encodings: { ${files.join(', ')} } }`
  }
  const table = (of: Record<string, Asset>) =>
    `{ ${Object.entries(of)
      .map(([name, asset]) => `${name}: ${literal(asset)}`)
      .join(', ')} }`
  const body = [
    `export const assets = [${assets.map(literal).join(', ')}]`,
    `export const pages = ${table(pages)}`,
    `export const workers = ${table(workers)}`,
  ]
  return [...lines, ...body, ''].join('\n')
}

const digest = await digestOfSources()
const stamp = Bun.file(join(output, 'digest'))
if (!(await stamp.exists()) || (await stamp.text()) !== digest) {
  // Renamed at the end, so that an interrupted or concurrent build leaves nothing half-written.
  const dir = `${output}.${process.pid}`
  mkdirSync(dir, { recursive: true })
  const assets: Asset[] = []
  const pages: Record<string, Asset> = {}
  const workers: Record<string, Asset> = {}
  const addresses: Record<string, string> = {}
  for (const [name, entry] of Object.entries(helpers)) {
    const { outputs } = await bundle(entry)
    const [script] = outputs
    if (!script) continue
    const file = basename(script.path)
    addresses[name] = JSON.stringify(`/assets/${file}`)
    assets.push(await store(dir, file, new Uint8Array(await script.arrayBuffer())))
  }
  for (const { name, page, entry, core, worker } of faces) {
    const stem = basename(entry).replace(/\.tsx?$/, '')
    const { outputs, fileOf } = await bundle(entry, addresses, core)
    const made = new Map<string, Uint8Array<ArrayBuffer>>()
    for (const output of outputs) {
      const file = basename(output.path)
      // The entry's stylesheet contains the styles of all parts.
      if (!/^chunk-.*\.css$/.test(file)) made.set(file, new Uint8Array(await output.arrayBuffer()))
    }
    const own = [...made.keys()].filter((file) => file.startsWith(`${stem}-`))
    const preloads = new Set(core === undefined ? [] : [fileOf(core)])
    for (const file of [...own.filter((file) => file.endsWith('.js')), ...preloads])
      staticImports(new TextDecoder().decode(made.get(file))).forEach((name) => preloads.add(name))
    for (const [file, bytes] of made)
      if (!assets.some((asset) => asset.name === file))
        assets.push(await store(dir, file, core !== undefined && preloads.has(file) ? eager(bytes) : bytes))
    const html = pageOf(await Bun.file(join(root, page)).text(), own, [...preloads])
    pages[name] = await store(dir, `${name}.html`, new TextEncoder().encode(html))
    if (worker === undefined) continue
    // The service worker caches what the screens need. Large files are fetched when they are first used.
    const cached = [...made].filter(([, { length }]) => length <= largestCached).map(([file]) => file)
    const define = { assetNames: JSON.stringify(cached), buildId: JSON.stringify(digest.slice(0, 16)) }
    const { outputs: scripts } = await bundle(worker, define)
    const [script] = scripts
    if (script) workers[name] = await store(dir, `${name}-worker.js`, new Uint8Array(await script.arrayBuffer()))
  }
  for (const [file, bytes] of await icons()) assets.push(await store(dir, file, bytes))
  await Bun.write(join(dir, 'files.js'), index(assets, pages, workers))
  await Bun.write(join(dir, 'digest'), digest)
  rmSync(output, { recursive: true, force: true })
  try {
    renameSync(dir, output)
  } catch (error) {
    // A concurrent build of the same sources has finished first.
    if (!(await stamp.exists())) throw error
    rmSync(dir, { recursive: true, force: true })
  }
}
