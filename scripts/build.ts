// Compiles the binary: `bun run build`, or `bun run build --all` for every platform. `bun run build --record` also records
// again which functions a start runs: use it when many of them have changed.
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { $ } from 'bun'
import { commitOf } from '../src/commit.ts'

const targets = [
  'linux-x64',
  'linux-arm64',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'windows-x64',
  'windows-arm64',
] as const

const { values } = parseArgs({
  options: { all: { type: 'boolean', default: false }, record: { type: 'boolean', default: false } },
})
const startOrder = 'scripts/start.order'

mkdirSync('dist', { recursive: true })

const flags = [
  '--compile',
  // Code that is imported where it is used becomes separate files, which a start does not read.
  '--format=esm',
  '--splitting',
  // Names are kept: full minification breaks how Elysia reads its handlers' parameters.
  '--minify-whitespace',
  '--minify-syntax',
  '--sourcemap',
  '--bytecode',
  // Functions that a start runs are placed side by side, so that it reads less of the file. The list is committed because the
  // same sources must give the same bytes, and two recordings differ a little. Functions changed since are placed at the end.
  `--bytecode-order=${startOrder}`,
  // Code that runs once, at the start, is not worth compiling. `serve` resets this once it answers.
  '--compile-jit-policy=100',
  // Files in the working directory must not change the binary's behaviour.
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
  // Otherwise code that asks for its location would contain a path of the build machine.
  `--define=__dirname="/"`,
  `--define=import.meta.dir="/"`,
  // A container image is built without the repository, so BUILD_COMMIT passes the commit.
  `--define=BUILD_COMMIT=${JSON.stringify(process.env.BUILD_COMMIT || commitOf('.') || '')}`,
]

async function compile(outfile: string, target?: string) {
  // The compiler also writes source maps beside the binary, which contains them already.
  const dir = `${outfile}.build`
  const made = join(dir, basename(outfile))
  await $`${process.execPath} build ${flags} ${target ? [`--target=bun-${target}`] : []} src/main.ts --outfile ${made}`.quiet()
  renameSync(made, outfile)
  rmSync(dir, { recursive: true })
  console.log(outfile)
}

/** Starts the binary, and records the functions that it runs until its first answer, by hashes of their syntax. */
async function recordStart(binary: string) {
  const dir = mkdtempSync(join(tmpdir(), 'convene-start-'))
  const recorded = join(dir, 'order')
  const server = Bun.spawn([binary, 'serve'], {
    env: { BUN_BYTECODE_ORDER_OUT: recorded, DATA_DIR: join(dir, 'data'), PORT: '0' },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let log = ''
  for await (const chunk of server.stdout.pipeThrough(new TextDecoderStream())) {
    const [, url] = /ready at (http:[^"\s]+)/.exec((log += chunk)) ?? []
    if (url === undefined) continue
    await fetch(`${url}/api/v1/me`)
    break
  }
  server.kill()
  await server.exited
  // Keep functions and modules. Their strings are twenty times as many lines and save little.
  const lines = (await Bun.file(recorded).text()).split('\n').filter((line) => /^[FMN] /.test(line))
  await Bun.write(startOrder, ['v2', ...lines.toSorted(), ''].join('\n'))
  rmSync(dir, { recursive: true })
}

if (!values.all) {
  await compile('dist/convene')
  if (values.record) {
    await recordStart('dist/convene')
    await compile('dist/convene')
  }
} else {
  const built: string[] = []
  const missed: string[] = []
  for (const target of targets) {
    const file = `convene-${target}${target.startsWith('windows') ? '.exe' : ''}`
    try {
      await compile(`dist/${file}`, target)
      built.push(file)
    } catch (error) {
      // A platform's runtime comes from the package registry, which may lack it or be unreachable.
      missed.push(target)
      console.error(`${target}: ${(error as $.ShellError).stderr?.toString().trim().split('\n').at(-1) ?? error}`)
    }
  }
  const sums = built.map(async (file) => {
    const bytes = await Bun.file(`dist/${file}`).bytes()
    return `${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}  ${file}\n`
  })
  await Bun.write('dist/SHA256SUMS', (await Promise.all(sums)).join(''))
  console.log('dist/SHA256SUMS')
  if (missed.length > 0) {
    console.error(`not built: ${missed.join(', ')}`)
    process.exit(1)
  }
}
