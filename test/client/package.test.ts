import { $ } from 'bun'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { file, openapiTypes } from '../../client/scripts/openapi-types.ts'
import { limitOfAll, limits, sizeOfAll, sizes } from '../../client/scripts/size.ts'
import { testApp } from '../app.ts'

const root = join(import.meta.dir, '../..')
const tools = join(root, 'node_modules/.bin')
const project = mkdtempSync(join(tmpdir(), 'convene-fresh-'))
let tarball: string

beforeAll(async () => {
  await $`bun scripts/build.ts`.cwd(join(root, 'client')).quiet()
  const packed = await $`bun pm pack --destination ${project} --ignore-scripts --quiet`.cwd(join(root, 'client')).text()
  tarball = packed.trim().split('\n').at(-1)!
  await Bun.write(join(project, 'package.json'), JSON.stringify({ name: 'fresh', type: 'module', private: true }))
  await $`bun add ${tarball} typescript@5.9.3 @types/node@26.6.6 ws@8.23.0 @types/ws@8.18.2 react@19.3.1 @types/react@19.3.0`
    .cwd(project)
    .quiet()
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
  expect(sizeOfAll(measured)).toBeLessThanOrEqual(limitOfAll)
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

test.each(['bun', 'node'])(
  'two people chat in a program of %s',
  async (runtime) => {
    const app = await testApp()
    const { origin } = await app.listen()
    await $`bun build two-people.ts --outfile two-people.mjs --packages external --target node`.cwd(project).quiet()
    const { stdout, stderr, exitCode } = await $`${runtime} two-people.mjs ${origin} ${runtime}`
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
