// Compiles the one file that an operator needs: `bun run build`, or `bun run build --all` for every platform.
import { mkdirSync, renameSync, rmSync } from 'node:fs'
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

const { values } = parseArgs({ options: { all: { type: 'boolean', default: false } } })

mkdirSync('dist', { recursive: true })

const flags = [
  '--compile',
  // Commands, engines and features that are loaded where they are used are files of their own, which no start reads before.
  '--format=esm',
  '--splitting',
  // Names are kept: full minification breaks how Elysia reads its handlers' parameters.
  '--minify-whitespace',
  '--minify-syntax',
  '--sourcemap',
  '--bytecode',
  // What runs once, at the start, is not worth compiling: `serve` takes this back once it answers.
  '--compile-jit-policy=100',
  // What lies about in the working directory must not change what runs: settings are the environment's alone.
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
  // Who asks where they lie would be told the path on the machine that compiles.
  `--define=__dirname="/"`,
  `--define=import.meta.dir="/"`,
  // An image is built without the repository, which is told then.
  `--define=BUILD_COMMIT=${JSON.stringify(process.env.BUILD_COMMIT || commitOf('.') || '')}`,
]

async function compile(outfile: string, target?: string) {
  // Beside the binary it writes the source maps, which the binary carries too and reads from itself.
  const dir = `${outfile}.build`
  const made = join(dir, basename(outfile))
  await $`${process.execPath} build ${flags} ${target ? [`--target=bun-${target}`] : []} src/main.ts --outfile ${made}`.quiet()
  renameSync(made, outfile)
  rmSync(dir, { recursive: true })
  console.log(outfile)
}

if (!values.all) {
  await compile('dist/convene')
} else {
  const built: string[] = []
  const missed: string[] = []
  for (const target of targets) {
    const file = `convene-${target}${target.startsWith('windows') ? '.exe' : ''}`
    try {
      await compile(`dist/${file}`, target)
      built.push(file)
    } catch (error) {
      // The runtime of a platform comes from the package registry, which may not have it or not be reached.
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
