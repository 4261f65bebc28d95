// Makes the packages of a release from a built binary: dist/convene_VERSION_ARCH.deb, an OCI image layout as
// dist/convene-oci-ARCH.tar, dist/convene.cdx.json, dist/SHA256SUMS, and with RELEASE_KEY (a private Ed25519 key in PEM form)
// dist/SHA256SUMS.sig. `bun run package`, after `bun run build` or `bun run build --all`.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { commitOf } from '../src/commit.ts'
import { version } from '../src/version.ts'
import { deb } from './packages/deb.ts'
import { writeOciLayout } from './packages/oci.ts'
import { sbom } from './packages/sbom.ts'
import { signed } from './packages/sign.ts'
import { type Entry, tar } from './packages/tar.ts'

const { values } = parseArgs({ options: { binary: { type: 'string' }, out: { type: 'string', default: 'dist' } } })
const root = join(import.meta.dir, '..')
const out = values.out
const read = (name: string) => readFileSync(join(root, name), 'utf8')

// The time of the commit, so that the same sources give the same packages.
const dated = Bun.spawnSync(['git', '-C', root, 'log', '-1', '--format=%ct']).stdout.toString().trim()
const time = Number(process.env.SOURCE_DATE_EPOCH || dated) || 0

const here = process.arch === 'arm64' ? 'arm64' : 'x64'
const debian = { x64: 'amd64', arm64: 'arm64' } as const

for (const arch of ['x64', 'arm64'] as const) {
  const built = join(out, `convene-linux-${arch}`)
  const binary = existsSync(built) ? built : arch === here ? (values.binary ?? join(out, 'convene')) : null
  if (binary === null || !existsSync(binary)) continue
  const architecture = debian[arch]
  write(
    `convene_${version}_${architecture}.deb`,
    deb({
      version,
      architecture,
      binary: readFileSync(binary),
      unit: read('deploy/convene.service'),
      changelog: read('CHANGELOG.md'),
      license: read('LICENSE'),
      toml: read('deploy/convene.toml'),
      time,
    }),
  )
  // The image gets the C library of this machine, so only images for its architecture can be made.
  if (arch !== here) continue
  const layout = join(out, 'oci')
  const digest = writeOciLayout(layout, { version, commit: commitOf(root), architecture, binary, time })
  write(`convene-oci-${architecture}.tar`, tar(entriesOf(layout), time))
  rmSync(layout, { recursive: true })
  console.log(`  image ${digest}`)
}

write(
  'convene.cdx.json',
  Buffer.from(`${JSON.stringify(sbom({ lock: read('bun.lock'), version, bun: Bun.version, time }), null, 2)}\n`),
)

const released = readdirSync(out)
  .filter((name) => /^convene[-_.].*\.(?:deb|tar|json|exe)$|^convene-[a-z0-9-]+$/.test(name))
  .sort()
const sums = released.map(
  (name) => `${new Bun.CryptoHasher('sha256').update(readFileSync(join(out, name))).digest('hex')}  ${name}\n`,
)
write('SHA256SUMS', Buffer.from(sums.join('')))

const key = process.env.RELEASE_KEY
if (key) {
  const { signature, publicKey } = signed(readFileSync(join(out, 'SHA256SUMS')), key)
  write('SHA256SUMS.sig', signature)
  console.log(publicKey.trim())
} else console.log('not signed: RELEASE_KEY is not set')

function write(name: string, bytes: Uint8Array) {
  writeFileSync(join(out, name), bytes)
  console.log(join(out, name))
}

function entriesOf(directory: string, within = ''): Entry[] {
  return readdirSync(join(directory, within))
    .sort()
    .flatMap((name): Entry[] => {
      const path = within === '' ? name : `${within}/${name}`
      if (!statSync(join(directory, path)).isDirectory())
        return [{ name: path, bytes: readFileSync(join(directory, path)) }]
      return [{ name: `${path}/`, directory: true }, ...entriesOf(directory, path)]
    })
}
