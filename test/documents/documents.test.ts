import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../convene.ts'

// The tools are packages of their own (see package.json here): ten times the size of what the server needs.
const tools = join(import.meta.dir, 'node_modules')
const directory = mkdtempSync(join(tmpdir(), 'convene-documents-'))
const dataDir = mkdtempSync(join(tmpdir(), 'convene-documents-data-'))
let server: Awaited<ReturnType<typeof startServer>>

beforeAll(async () => {
  symlinkSync(tools, join(directory, 'node_modules'))
  cpSync(join(import.meta.dir, 'tours'), directory, { recursive: true })
  server = await startServer({ DATA_DIR: dataDir, RATE_LIMIT: 'off' })
  for (const [path, name] of [
    ['/openapi/json', 'openapi.json'],
    ['/asyncapi.json', 'asyncapi.json'],
  ] as const)
    await Bun.write(join(directory, name), await (await fetch(new URL(path, server.base))).text())
  await Bun.write(join(directory, 'spectral.yaml'), 'extends: ["spectral:oas"]\n')
})

afterAll(async () => {
  await server.end()
  for (const made of [directory, dataDir]) rmSync(made, { recursive: true, force: true })
})

/** Runs a script of a tool's package, and answers all that it has printed. Throws where it fails. */
async function run(script: string, ...args: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, script, ...args], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      BASE_URL: server.base.origin,
      NO_COLOR: '1',
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${script} ended with exit code ${code}:\n${out}${err}`)
  return out + err
}

const tool = (path: string, ...args: string[]) => run(join(tools, path), ...args)

test.each(['openapi.json', 'asyncapi.json'])('Redocly finds neither errors nor warnings in %s', async (name) => {
  const said = await tool('@redocly/cli/bin/cli.js', 'lint', name, '--extends', 'recommended-strict')
  expect(said).toContain('Your API description is valid')
  expect(said).not.toMatch(/\d+ (warning|error|problem)/)
})

test('Spectral finds nothing to say', async () => {
  const said = await tool(
    '@stoplight/spectral-cli/dist/index.js',
    ...['lint', 'openapi.json', '--ruleset', 'spectral.yaml', '--display-only-failures=false'],
    ...['--fail-severity', 'hint'],
  )
  expect(said).toContain('No results with a severity')
})

test('the parser of AsyncAPI takes the document as it is', async () => {
  const said = await run(join(import.meta.dir, 'asyncapi.mjs'), join(directory, 'asyncapi.json'))
  expect(JSON.parse(said)).toEqual([])
})

const warning = /warn|deprecat|duplicate|error|conflict/i

test('openapi-typescript, hey-api and orval make clients without a warning, which compile and go on a tour', async () => {
  const orval = {
    input: 'openapi.json',
    output: { target: 'orval/client.ts', client: 'fetch', baseUrl: server.base.origin },
  }
  await Bun.write(join(directory, 'orval.config.mjs'), `export default ${JSON.stringify({ convene: orval })}`)
  const said = [
    await tool('openapi-typescript/bin/cli.js', 'openapi.json', '--output', 'openapi-typescript/schema.ts'),
    await tool(
      '@hey-api/openapi-ts/bin/run.js',
      ...['--input', 'openapi.json', '--output', 'hey-api', '--client', '@hey-api/client-fetch'],
    ),
    await tool('orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs'),
  ]
  expect(said.filter((text) => warning.test(text))).toEqual([])

  const compilerOptions = {
    target: 'ESNext',
    module: 'ESNext',
    moduleResolution: 'bundler',
    lib: ['ESNext', 'DOM', 'DOM.Iterable'],
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  }
  await Bun.write(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  await Bun.write(join(directory, 'process.d.ts'), 'declare const process: { env: Record<string, string | undefined> }')
  expect(await tool('typescript/bin/tsc', '--project', 'tsconfig.json')).toBe('')

  for (const tour of ['openapi-fetch', 'hey-api', 'orval']) expect(await run(join(directory, `${tour}.ts`))).toBe('')
})
