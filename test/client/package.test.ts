import { $ } from 'bun'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { file, openapiTypes } from '../../client/scripts/openapi-types.ts'
import { limits, sizes } from '../../client/scripts/size.ts'
import { testApp } from '../app.ts'

const root = join(import.meta.dir, '../..')
const tools = join(root, 'node_modules/.bin')
const project = mkdtempSync(join(tmpdir(), 'convene-fresh-'))
let tarball: string
// Elements, components and packages of the app that the snippets name.
const docsGiven = `
  const createClient: typeof import('convene-client').createClient
  const passkey: typeof import('convene-client').passkey
  const url: string, email: string, password: string, idToken: string, nonce: string, id: string, userId: string, messageId: string
  const lat: number, lng: number
  const Telegram: { WebApp: { initData: string } }
  const render: (state?: unknown) => void
  const show: (...shown: unknown[]) => void
  const input: { files: File[] }
  const asset: { uri: string }
  const Row: (props: { message: ChatMessage }) => null
`
const others = [
  ...['typescript@5.9.3', '@types/node@26.6.6', 'ws@8.23.0', '@types/ws@8.18.2', 'react@19.3.1', '@types/react@19.3.0'],
  'deno@2.9.6',
  // React Native's bundler.
  ...['metro@0.87.1', '@react-native/babel-preset@0.86.3', '@react-native/metro-babel-transformer@0.86.3'],
  '@babel/core@7.29.13',
]

beforeAll(async () => {
  await $`bun scripts/build.ts`.cwd(join(root, 'client')).quiet()
  const packed = await $`bun pm pack --destination ${project} --ignore-scripts --quiet`.cwd(join(root, 'client')).text()
  tarball = packed.trim().split('\n').at(-1)!
  await Bun.write(join(project, 'package.json'), JSON.stringify({ name: 'fresh', type: 'module', private: true }))
  await $`bun add ${tarball} ${others}`.cwd(project).quiet()
  await $`cp ${join(import.meta.dir, 'two-people.ts')} ${project}`
  await Bun.write(
    join(project, 'hooks.tsx'),
    `import { useChats, useMessages, useNearby, usePresence, useSession, useTyping } from 'convene-client/react'
export function App({ id }: { id: string }) {
  const unread: number = useChats(({ unreadTotal }) => unreadTotal)
  const { items } = useMessages(id)
  const { state } = useSession()
  const nearby = useNearby({ lat: 52.5, lng: 13.4 })
  return <p>{state}{unread}{items[0]?.text}{useTyping(id)}{usePresence(id).online}{nearby.items[0]?.distance_m}</p>
}
`,
  )
}, 120_000)
afterAll(() => rmSync(project, { recursive: true }))

test('the types are those of the server’s document: `bun run client:types` makes them', async () => {
  const app = await testApp()
  const { body } = await app.request('GET', '/openapi/json')
  expect((await openapiTypes(body)) === (await Bun.file(file).text())).toBe(true)
})

test('the sizes stay within their limits', async () => {
  const measured = await sizes()
  console.log(measured)
  for (const [name, limit] of Object.entries(limits))
    expect(measured[name as keyof typeof measured]).toBeLessThanOrEqual(limit)

  const text = await Bun.file(join(import.meta.dir, '../../docs/client.md')).text()
  const table = text.slice(text.indexOf('## Size')).matchAll(/^\|[^|]+\| +(\d+\.\d) \|/gm)
  const { index, live, tabs, photo, react, whole } = measured
  const kilobytes = (...bytes: number[]) => (bytes.reduce((sum, one) => sum + one, 0) / 1000).toFixed(1)
  expect(Array.from(table, ([, kB]) => kB)).toEqual([index, live, tabs, photo, react].map((one) => kilobytes(one)))
  expect(text.replaceAll('\n', ' ')).toContain(
    `loads ${kilobytes(index)} kB before its first paint, ${kilobytes(index, live)} kB after it, and ${kilobytes(index, live, tabs, photo)} kB once it is connected. A bundler that does not split code makes one file of ${kilobytes(whole)} kB.`,
  )
})

test('publint and arethetypeswrong find nothing in the package', async () => {
  await $`${tools}/publint ${tarball} --strict`.quiet()
  await $`${tools}/attw ${tarball} --profile esm-only`.quiet()
})

test.each([
  { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2023'], types: ['node'], name: 'Node' },
  { module: 'preserve', moduleResolution: 'bundler', lib: ['es2023', 'dom'], types: [], name: 'browser' },
])(
  'it type-checks in a strict project for $name',
  async ({ name: _, ...options }) => {
    const compilerOptions = { strict: true, noEmit: true, target: 'es2023', jsx: 'react-jsx', ...options }
    // process belongs to Node.
    const files = options.types.length > 0 ? ['two-people.ts', 'hooks.tsx'] : ['hooks.tsx']
    await Bun.write(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    const { stdout, exitCode } = await $`node_modules/.bin/tsc`.cwd(project).quiet().nothrow()
    expect([exitCode, stdout.toString()]).toEqual([0, ''])
  },
  60_000,
)

test('the snippets of docs/client.md type-check in a strict project', async () => {
  const text = await Bun.file(join(root, 'docs/client.md')).text()
  const snippets = [...text.matchAll(/^```(ts|tsx|js)\n(.*?)^```/gms)].map(([, kind, code]) => ({ kind, code: code! }))
  expect(snippets.length).toBeGreaterThan(8)
  // What the snippets leave to the reader.
  const given = `import type { ChatMessage, Convene, OpenChat, Profile } from 'convene-client'
declare global {
  const convene: Convene
  const chat: OpenChat
  const user: Profile
GIVEN}`
  const native = `declare module '@react-native-async-storage/async-storage' {
  const storage: import('convene-client').ClientStorage
  export default storage
}
declare module 'react-native' {
  export const AppState: { addEventListener(type: 'change', listener: (state: string) => void): void }
}`
  await Bun.write(join(project, 'native.d.ts'), native)
  await Bun.write(join(project, 'given.d.ts'), given.replace('GIVEN', docsGiven))
  const files = ['given.d.ts', 'native.d.ts']
  for (const [i, { code }] of snippets.entries()) {
    files.push(`docs-${i}.tsx`)
    await Bun.write(join(project, `docs-${i}.tsx`), `${code}\nexport {}\n`)
  }
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: 'es2023', jsx: 'react-jsx', module: 'preserve', types: ['node'] },
    ...{ moduleResolution: 'bundler', lib: ['es2023', 'dom', 'dom.iterable'], skipLibCheck: true },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  }
  await Bun.write(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const { stdout } = await $`node_modules/.bin/tsc`.cwd(project).quiet().nothrow()
  expect(stdout.toString()).toBe('')
}, 60_000)

const runtimes = {
  bun: ['bun'],
  node: ['node'],
  deno: ['node_modules/.bin/deno', 'run', '--allow-all', '--node-modules-dir=manual', '--quiet'],
}
test.each(Object.keys(runtimes) as (keyof typeof runtimes)[])(
  'two people chat in a program of %s',
  async (runtime) => {
    const app = await testApp()
    const { origin } = await app.listen()
    await $`bun build two-people.ts --outfile two-people.mjs --packages external --target node`.cwd(project).quiet()
    const { stdout, stderr, exitCode } = await $`${runtimes[runtime]} two-people.mjs ${origin} ${runtime}`
      .cwd(project)
      .quiet()
      .nothrow()
    expect([
      exitCode,
      stderr.toString().replaceAll(/.*(ExperimentalWarning|--trace-warnings|UNDICI).*\n?/g, ''),
    ]).toEqual([0, ''])
    expect(stdout.toString().trim().split('\n')).toEqual([
      'Bob reads: Coffee?',
      'Ada sees: Coffee? (sent)',
      'Ada sees: Tea! (sent)',
    ])
  },
  60_000,
)

test('React Native’s bundler takes it with all that it loads later, and two people chat in the bundle', async () => {
  const app = await testApp()
  const { origin } = await app.listen()
  const program = (await Bun.file(join(import.meta.dir, 'two-people.ts')).text())
    .replace("(await import('ws')).default", 'null')
    .replace('as [string, string]', '')
  const body = program.replace(/^import .*$/m, '')
  await Bun.write(
    join(project, 'native.ts'),
    `import { createClient } from 'convene-client'\nimport { useChats } from 'convene-client/react'
if (typeof useChats !== 'function') throw new Error('no hooks')\nasync function main() {\n${body}\n}\nvoid main()\n`,
  )
  await Bun.write(join(project, 'babel.config.cjs'), "module.exports = { presets: ['@react-native/babel-preset'] }")
  await Bun.write(
    join(project, 'metro.config.cjs'),
    `module.exports = { watchFolders: [__dirname], transformer: {
  babelTransformerPath: require.resolve('@react-native/metro-babel-transformer'),
  asyncRequireModulePath: require.resolve('metro-runtime/src/modules/asyncRequire'),
} }`,
  )
  await $`node node_modules/.bin/metro build native.ts --out native.js --platform ios --config metro.config.cjs`
    .cwd(project)
    .quiet()
  const run = await $`bun native.js ${origin} native`.cwd(project).quiet().nothrow()
  expect([run.exitCode, run.stderr.toString()]).toEqual([0, ''])
  expect(run.stdout.toString().trim().split('\n')).toEqual([
    'Bob reads: Coffee?',
    'Ada sees: Coffee? (sent)',
    'Ada sees: Tea! (sent)',
  ])
}, 120_000)
