import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { version } from '../../src/version.ts'
import { deb } from '../../scripts/packages/deb.ts'
import { signed } from '../../scripts/packages/sign.ts'

const root = join(import.meta.dir, '../..')
// Packages are made of the binary that is tested: `bun run test:process` builds it.
const binary = process.env.CONVENE_BIN ? resolve(process.env.CONVENE_BIN) : null
const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'

const out = mkdtempSync(join(tmpdir(), 'convene-packages-'))
afterAll(() => rmSync(out, { recursive: true }))

function run(command: string[], options: { env?: Record<string, string>; cwd?: string } = {}) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, {
    cwd: options.cwd ?? root,
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...options.env },
  })
  return { code: exitCode, out: stdout.toString(), err: stderr.toString() }
}

const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

test('only an Ed25519 key signs, and what is wrong with another one is said without it', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  for (const wrong of ['hunter2', rsa.toString()]) {
    let message = ''
    try {
      signed(new Uint8Array(), wrong)
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).toMatch(/^RELEASE_KEY must be /)
    expect(message).not.toContain(wrong.slice(30, 60) || wrong)
  }
})

describe.skipIf(binary === null || process.platform !== 'linux')(
  binary === null ? 'SKIPPED: packages are made of a binary: set CONVENE_BIN' : 'the packages of a release',
  () => {
    const package_ = (directory: string, env = {}) =>
      run([process.execPath, 'scripts/package.ts', '--binary', binary!, '--out', directory], {
        env: { SOURCE_DATE_EPOCH: '1790000000', ...env },
      })

    beforeAll(() => {
      const made = package_(out, { RELEASE_KEY: key })
      expect([made.code, made.err]).toEqual([0, ''])
    }, 120_000)

    test('have checksums, which are signed, and the private key is nowhere in them', () => {
      const lines = readFileSync(join(out, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
      expect(lines.map((line) => line.split('  ')[1])).toEqual([
        `convene-oci-${architecture}.tar`,
        'convene.cdx.json',
        `convene_${version}_${architecture}.deb`,
      ])
      expect(run(['sha256sum', '--check', '--quiet', 'SHA256SUMS'], { cwd: out }).code).toBe(0)
      const [sums, signature] = ['SHA256SUMS', 'SHA256SUMS.sig'].map((name) => readFileSync(join(out, name)))
      expect(verify(null, sums!, createPublicKey(key), signature!)).toBe(true)
      expect(verify(null, Buffer.concat([sums!, Buffer.from(' ')]), createPublicKey(key), signature!)).toBe(false)
    })

    test('are the same bytes when they are made again from the same sources', () => {
      const again = join(out, 'again')
      mkdirSync(again)
      const made = package_(again)
      expect([made.code, made.out.includes('not signed')]).toEqual([0, true])
      expect(readFileSync(join(again, 'SHA256SUMS'), 'utf8')).toBe(readFileSync(join(out, 'SHA256SUMS'), 'utf8'))
      expect(readdirSync(again)).not.toContain('SHA256SUMS.sig')
    }, 120_000)

    test('the bill of materials names every package of the lock file once, with its checksum', async () => {
      const bill = await Bun.file(join(out, 'convene.cdx.json')).json()
      expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component: { version } } })
      const lock = readFileSync(join(root, 'bun.lock'), 'utf8')
      const locked = new Set(
        [...lock.matchAll(/^ {4}"[^"]+": \["(@?[^@"]+@(?!workspace)[^"]+)"/gm)].map(([, id]) => id!),
      )
      const [bun, ...others] = bill.components as {
        name: string
        version: string
        scope: string
        hashes?: object[]
        'bom-ref': string
      }[]
      expect(bun).toMatchObject({ name: 'bun', version: Bun.version })
      expect(new Set(others.map((each) => `${each.name}@${each.version}`))).toEqual(locked)
      expect(new Set(others.map((each) => each['bom-ref'])).size).toBe(others.length)
      expect(others.every(({ hashes }) => hashes?.length === 1)).toBe(true)
      const scope = (name: string) => others.find((each) => each.name === name)!.scope
      expect(['elysia', 'pino', 'sonic-boom', 'oxlint', 'drizzle-kit'].map(scope)).toEqual([
        'required',
        'required',
        'required',
        'optional',
        'optional',
      ])
    })

    test('the image is a valid layout, whose digests fit, and contains no more than it names', async () => {
      const layout = join(out, 'layout')
      mkdirSync(layout)
      expect(run(['tar', '-xf', join(out, `convene-oci-${architecture}.tar`), '-C', layout]).code).toBe(0)
      expect(await Bun.file(join(layout, 'oci-layout')).json()).toEqual({ imageLayoutVersion: '1.0.0' })
      const used = new Set<string>()
      const blob = ({ digest, size }: { digest: string; size: number }) => {
        const bytes = readFileSync(join(layout, 'blobs', digest.replace(':', '/')))
        expect([bytes.length, `sha256:${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}`]).toEqual([
          size,
          digest,
        ])
        used.add(digest.slice('sha256:'.length))
        return bytes
      }
      const index = await Bun.file(join(layout, 'index.json')).json()
      expect(index.manifests[0].annotations).toEqual({ 'org.opencontainers.image.ref.name': `convene:${version}` })
      const manifest = JSON.parse(blob(index.manifests[0]).toString())
      const config = JSON.parse(blob(manifest.config).toString())
      const layer = blob(manifest.layers[0])
      const unpacked = Bun.gunzipSync(layer)
      expect(config.rootfs.diff_ids).toEqual([
        `sha256:${new Bun.CryptoHasher('sha256').update(unpacked).digest('hex')}`,
      ])
      expect(config.config).toMatchObject({ User: '65532:65532', Cmd: ['serve'], Volumes: { '/data': {} } })
      expect(readdirSync(join(layout, 'blobs/sha256')).sort()).toEqual([...used].sort())

      const files = join(out, 'root')
      mkdirSync(files)
      writeFileSync(join(out, 'layer.tar'), unpacked)
      const unpacking = run(['tar', '-xpf', join(out, 'layer.tar'), '--numeric-owner', '-C', files])
      expect([unpacking.code, unpacking.err]).toEqual([0, ''])
      // The root of another system is for root only.
      if (process.getuid?.() !== 0) return
      // What every container runtime mounts, and nothing else of this system.
      const enter =
        'mkdir -p "$0/proc" "$0/dev" && mount --bind /proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot --userspec=65532:65532 "$0" /usr/local/bin/convene "$@"'
      const inside = ['unshare', '-m', 'sh', '-c', enter, files]
      const told = run([...inside, '--version'])
      expect([told.code, told.err, told.out.startsWith(`${version} (`)]).toEqual([0, '', true])
      const env = Object.fromEntries(
        (config.config.Env as string[]).map((each) => each.split(/=(.*)/s) as [string, string]),
      )
      const child = Bun.spawn([...inside, 'serve'], {
        env: { ...env, PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOST: '127.0.0.1', PORT: '0' },
        stdout: 'pipe',
        stderr: 'inherit',
      })
      try {
        let log = ''
        for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
          log += text
          const url = /ready at (http:[^"\s]+)/.exec(log)?.[1]
          if (url === undefined) continue
          expect((await fetch(new URL('/ready', url))).status).toBe(200)
          break
        }
        child.kill('SIGTERM')
        expect([await child.exited, log.includes('ready at')]).toEqual([0, true])
      } finally {
        child.kill('SIGKILL')
      }
    }, 60_000)
  },
)

const overlay = () => {
  if (process.getuid?.() !== 0 || ['dpkg', 'unshare', 'chroot', 'adduser'].some((name) => Bun.which(name) === null))
    return false
  const trial = run([
    'unshare',
    '-m',
    'sh',
    '-c',
    'd=$(mktemp -d) && mount -t tmpfs none $d && mkdir $d/u $d/w $d/m && mount -t overlay overlay -o lowerdir=/,upperdir=$d/u,workdir=$d/w $d/m; s=$?; umount -l $d; rmdir $d; exit $s',
  ])
  return trial.code === 0
}
const noOverlay = overlay() ? null : 'SKIPPED: installing a package needs root, dpkg and an overlay over this system'

describe.skipIf(noOverlay !== null)(noOverlay ?? 'the Debian package', () => {
  const script = (release: string) => `#!/bin/sh\necho "convene ${release}"\n`
  const packageOf = (release: string) => {
    const read = (name: string) => readFileSync(join(root, name), 'utf8')
    const bytes = deb({
      version: release,
      architecture,
      // What it installs does not depend on what the binary does.
      binary: Buffer.from(script(release)),
      unit: read('deploy/convene.service'),
      changelog: read('CHANGELOG.md'),
      license: read('LICENSE'),
      toml: read('deploy/convene.toml'),
      time: 1_790_000_000,
    })
    const path = join(out, `convene-${release}.deb`)
    writeFileSync(path, bytes)
    return path
  }

  /** Runs the lines in a copy of this system that is thrown away. */
  function inCopy(lines: string): { code: number; out: string; err: string } {
    const one = packageOf('1.0.0')
    const two = packageOf('1.1.0')
    writeFileSync(join(out, 'inside.sh'), `set -e\nexport DEBIAN_FRONTEND=noninteractive\n${lines}\n`)
    writeFileSync(
      join(out, 'outside.sh'),
      `set -e
d=$(mktemp -d)
mount -t tmpfs none $d
mkdir $d/u $d/w $d/m
mount -t overlay overlay -o lowerdir=/,upperdir=$d/u,workdir=$d/w $d/m
rm -rf $d/m/run/systemd/system
mkdir $d/m/packages
cp ${one} $d/m/packages/one.deb
cp ${two} $d/m/packages/two.deb
cp ${join(out, 'inside.sh')} $d/m/packages/inside.sh
s=0; chroot $d/m sh /packages/inside.sh || s=$?
umount -l $d; rmdir $d
exit $s
`,
    )
    return run(['unshare', '-m', 'sh', join(out, 'outside.sh')])
  }

  test('installs binary, unit and user; an upgrade keeps settings and data; a removal keeps both, and a purge the data', () => {
    const {
      code,
      out: told,
      err,
    } = inCopy(`
dpkg --force-depends -i /packages/one.deb >/dev/null
/usr/bin/convene
id -un "$(stat -c %u /var/lib/convene)"
stat -c '%a %U' /var/lib/convene /etc/convene/convene.env
grep -c '^ExecStart=/usr/bin/convene serve$' /usr/lib/systemd/system/convene.service
getent passwd convene | cut -d: -f6,7
dpkg -V convene && echo intact
echo "PORT='8080'" >> /etc/convene/convene.env
echo community > /var/lib/convene/convene.db
dpkg --force-depends -i /packages/two.deb >/dev/null
/usr/bin/convene
tail -n 1 /etc/convene/convene.env
cat /var/lib/convene/convene.db
dpkg -r convene >/dev/null
[ ! -e /usr/bin/convene ] && [ ! -e /usr/lib/systemd/system/convene.service ] && echo removed
tail -n 1 /etc/convene/convene.env
cat /var/lib/convene/convene.db
dpkg -P convene >/dev/null 2>/tmp/said
grep -c 'is kept' /tmp/said
[ ! -e /etc/convene ] && echo purged
cat /var/lib/convene/convene.db
getent passwd convene | cut -d: -f1
`)
    expect([code, told.trim().split('\n'), code === 0 ? '' : err]).toEqual([
      0,
      [
        'convene 1.0.0',
        'convene',
        '700 convene',
        '600 root',
        '1',
        '/var/lib/convene:/usr/sbin/nologin',
        'intact',
        'convene 1.1.0',
        "PORT='8080'",
        'community',
        'removed',
        "PORT='8080'",
        'community',
        '1',
        'purged',
        'community',
        'convene',
      ],
      '',
    ])
  }, 120_000)

  test('enables the service at its first installation, and a service that the operator has disabled stays so', () => {
    const { code, out: told } = inCopy(`
wanted=/etc/systemd/system/multi-user.target.wants/convene.service
say() { if [ -L $wanted ]; then echo enabled; else echo disabled; fi; }
dpkg --force-depends -i /packages/one.deb >/dev/null
say
dpkg --force-depends -i /packages/two.deb >/dev/null
say
# As \`systemctl disable\` does.
rm $wanted
dpkg --force-depends -i /packages/one.deb >/dev/null 2>&1
say
dpkg -r convene >/dev/null
dpkg --force-depends -i /packages/two.deb >/dev/null
say
dpkg -P convene >/dev/null 2>&1
find /etc/systemd /var/lib/systemd/deb-systemd-helper-enabled -name '*convene*'
dpkg --force-depends -i /packages/two.deb >/dev/null
say
`)
    expect([code, told.trim().split('\n')]).toEqual([0, ['enabled', 'enabled', 'disabled', 'disabled', 'enabled']])
  }, 120_000)

  test('a service that does not start is said, and leaves the package installed', () => {
    const { code, out: told } = inCopy(`
# As on a machine that systemd has started, where no start succeeds.
mkdir -p /run/systemd/system
rm -f /usr/sbin/policy-rc.d /usr/bin/systemctl
cat > /usr/bin/systemctl <<'END'
#!/bin/sh
case " $* " in
  *" is-enabled "*) echo enabled ;;
  *" is-active "*) exit 3 ;;
  *" start "* | *" restart "*) echo "$*" >> /tmp/asked; exit 1 ;;
esac
END
chmod 755 /usr/bin/systemctl
rm -f /tmp/asked
for package in one two; do
  dpkg --force-depends -i /packages/$package.deb 2>&1 >/dev/null | grep 'has not started'
  dpkg-query -W -f '\${db:Status-Status} \${Version}\\n' convene
done
grep -c ' start convene.service' /tmp/asked
grep -c ' restart convene.service' /tmp/asked
`)
    expect([code, told.trim().split('\n')]).toEqual([
      0,
      [
        'convene: the service has not started: journalctl -u convene says why',
        'installed 1.0.0',
        'convene: the service has not started: journalctl -u convene says why',
        'installed 1.1.0',
        '1',
        '1',
      ],
    ])
  }, 120_000)

  test('a unit that was installed by hand, and would go on running the old binary, is named', () => {
    const unit = readFileSync(join(root, 'deploy/convene.service'), 'utf8')
    const { code, out: told } = inCopy(`
mkdir -p /etc/systemd/system
cat > /etc/systemd/system/convene.service <<'END'
${unit}END
dpkg --force-depends -i /packages/one.deb 2>&1 >/dev/null | grep 'by hand'
# One that the operator has made of the package's.
sed -i s,/usr/local/bin,/usr/bin, /etc/systemd/system/convene.service
dpkg --force-depends -i /packages/two.deb 2>&1 >/dev/null | grep 'by hand' || echo silent
`)
    expect([code, told.trim().split('\n')]).toEqual([
      0,
      [
        'convene: /etc/systemd/system/convene.service, installed by hand, still runs /usr/local/bin/convene: remove both',
        'silent',
      ],
    ])
  }, 120_000)

  test('a purge without data removes the user too', () => {
    const { code, out: told } = inCopy(`
dpkg --force-depends -i /packages/one.deb >/dev/null
rmdir /var/lib/convene
dpkg -P convene >/dev/null 2>&1
getent passwd convene || echo gone
`)
    expect([code, told.trim()]).toEqual([0, 'gone'])
  }, 120_000)
})
