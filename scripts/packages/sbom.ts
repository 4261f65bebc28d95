type Locked = [
  string,
  string?,
  { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> }?,
  string?,
]
type Lock = {
  workspaces: Record<
    string,
    { name: string; dependencies?: Record<string, string>; devDependencies?: Record<string, string> }
  >
  packages: Record<string, Locked>
}

/**
 * A software bill of materials in the CycloneDX 1.6 format: every package of bun.lock with its version and checksum, and Bun,
 * which the binary contains. Development dependencies are `optional`; the web pages are built from some of them.
 */
export function sbom({
  lock: lockText,
  version,
  bun,
  time,
}: {
  lock: string
  version: string
  bun: string
  time: number
}) {
  const lock = Bun.JSONC.parse(lockText) as Lock
  const required = closure(lock, Object.keys(lock.workspaces['']!.dependencies ?? {}))
  const components = new Map<string, object>()
  for (const [key, [id, , , integrity]] of Object.entries(lock.packages)) {
    const at = id.lastIndexOf('@')
    const [name, release] = [id.slice(0, at), id.slice(at + 1)]
    // A package of this repository.
    if (release.startsWith('workspace:')) continue
    const purl = `pkg:npm/${name.replace('@', '%40')}@${release}`
    if (components.has(purl) && !required.has(key)) continue
    components.set(purl, {
      type: 'library',
      'bom-ref': purl,
      name,
      version: release,
      purl,
      scope: required.has(key) ? 'required' : 'optional',
      ...(integrity?.startsWith('sha512-') && {
        hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }],
      }),
    })
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: new Date(time * 1000).toISOString(),
      component: { type: 'application', 'bom-ref': `convene@${version}`, name: 'convene', version },
    },
    components: [
      {
        type: 'platform',
        'bom-ref': `bun@${bun}`,
        name: 'bun',
        version: bun,
        purl: `pkg:github/oven-sh/bun@bun-v${bun}`,
        scope: 'required',
      },
      ...[...components.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, component]) => component),
    ],
  }
}

/** The keys in the lock file of these packages and all their dependencies. */
function closure({ packages }: Lock, roots: string[]): Set<string> {
  const found = new Set<string>()
  const visit = (name: string, within: string) => {
    // A package's own copy of another one has precedence, as in node_modules.
    const parts = within === '' ? [] : within.split('/')
    let key = name
    for (let i = parts.length; i > 0; i--) {
      const own = `${parts.slice(0, i).join('/')}/${name}`
      if (packages[own]) {
        key = own
        break
      }
    }
    const locked = packages[key]
    if (!locked || found.has(key)) return
    found.add(key)
    const { dependencies = {}, optionalDependencies = {} } = locked[2] ?? {}
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) visit(other, key)
  }
  for (const name of roots) visit(name, '')
  return found
}
