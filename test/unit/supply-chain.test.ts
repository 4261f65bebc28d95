import { expect, test } from 'bun:test'
import { join } from 'node:path'

const read = (path: string) => Bun.file(join(import.meta.dir, '../..', path)).text()
const manifest = JSON.parse(await read('package.json'))
const readme = await read('README.md')

const clientManifest = JSON.parse(await read('client/package.json'))

/** The tools of `test:documents`, which are installed for it alone. */
const documentTools = JSON.parse(await read('test/documents/package.json'))

type Lock = { packages: Record<string, [name: string, ...rest: unknown[]]> }
const lock = Bun.JSONC.parse(await read('bun.lock')) as Lock
const lockOfTools = Bun.JSONC.parse(await read('test/documents/bun.lock')) as Lock

test('every dependency has one exact version, and so has what they are overridden with', () => {
  const asked = {
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.overrides,
    ...documentTools.dependencies,
    ...clientManifest.dependencies,
    ...clientManifest.devDependencies,
  }
  expect(Object.keys(asked).length).toBeGreaterThan(15)
  for (const [name, version] of Object.entries(asked))
    expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+$/)])
  expect(manifest.engines.bun).toBe(manifest.packageManager.replace('bun@', ''))
})

test('what is installed is what the lock file names, from the registry, by its hash', () => {
  const packages = [...Object.entries(lock.packages), ...Object.entries(lockOfTools.packages)].filter(
    ([, [name]]) => name !== 'convene-client@workspace:client',
  )
  expect(packages.length).toBeGreaterThan(50)
  for (const [place, [name, from, , hash]] of packages) {
    // Another registry, a repository or an archive would stand where nothing does.
    expect([place, name, from]).toEqual([place, expect.stringMatching(/@\d+\.\d+\.\d+/), ''])
    expect([place, hash]).toEqual([place, expect.stringMatching(/^sha512-[\w+/]{86}==$/)])
  }
})

test('no installation but by the lock file, and none runs scripts of packages', async () => {
  const commands = [...Object.values<string>(manifest.scripts), await read('.ci/run'), await read('Dockerfile')].join(
    '\n',
  )
  const installs = commands.match(/bun install\b.*?(?=&&|\n|$)/g)!
  expect(installs.length).toBeGreaterThan(5)
  for (const install of installs) expect(install).toContain('--frozen-lockfile')
  expect(manifest.trustedDependencies).toEqual([])
  expect(documentTools.trustedDependencies).toEqual([])
})

test('images and actions are named by digests, which cannot change as tags do', async () => {
  const dockerfile = await read('Dockerfile')
  const images = [...dockerfile.matchAll(/^ARG \w+_IMAGE=(\S+)$/gm)].map(([, image]) => image!)
  expect(images.length).toBe(2)
  for (const image of images) expect(image).toMatch(/@sha256:[\da-f]{64}$/)
  expect([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, from]) => from)).toEqual(['${BUILD_IMAGE}', '${BASE_IMAGE}'])
  expect(dockerfile).toContain(`bun@${manifest.engines.bun}\n`)
  const workflows = await Promise.all(['ci', 'release'].map((name) => read(`.github/workflows/${name}.yml`)))
  const actions = workflows.flatMap((text) => [...text.matchAll(/uses: (.+)$/gm)].map(([, action]) => action!))
  expect(actions.length).toBeGreaterThan(4)
  // With the release that it is, for the reader.
  for (const action of actions) expect(action).toMatch(/^[\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/)
})

test('every dependency stands in the README with its reason, and no other does', () => {
  const section = /## Dependencies\n(.*?)\n## /s.exec(readme)![1]!
  const rows = [...section.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].filter(
    ([, names]) => !/^(package$|-+$)/.test(names!),
  )
  const named = rows.flatMap(([, names]) => names!.split(', '))
  for (const [, names, reason] of rows) expect([names, reason]).toEqual([names, expect.stringMatching(/\w{3}/)])
  const isNamed = (name: string) =>
    named.some((one) => (one.endsWith('/*') ? name.startsWith(one.slice(0, -1)) : one === name))
  const all = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  expect(all.filter((name) => !isNamed(name))).toEqual([])
  expect(
    named.filter(
      (one) => !all.some((name) => name === one || (one.endsWith('/*') && name.startsWith(one.slice(0, -1)))),
    ),
  ).toEqual([])
})
