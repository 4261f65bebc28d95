import { ar, type Entry, tar, withDirectories } from './tar.ts'

type Deb = {
  version: string
  architecture: 'amd64' | 'arm64'
  binary: Uint8Array
  unit: string
  changelog: string
  license: string
  toml: string
  time: number
}

const text = (content: string) => new TextEncoder().encode(content)

/** A Debian package: the binary, its unit, an empty file of settings, and the user that it runs as. */
export function deb({ version, architecture, binary, unit, changelog, license, toml, time }: Deb): Uint8Array {
  const files: Entry[] = [
    { name: './usr/bin/convene', bytes: binary, mode: 0o755 },
    { name: './usr/lib/systemd/system/convene.service', bytes: text(packagedUnit(unit)) },
    // Only root reads it: it may hold secrets. systemd reads it as root.
    { name: './etc/convene/convene.env', bytes: text(environmentFile), mode: 0o600 },
    { name: './usr/share/doc/convene/copyright', bytes: text(license) },
    { name: './usr/share/doc/convene/changelog.gz', bytes: Bun.gzipSync(Buffer.from(changelog)) },
    { name: './usr/share/doc/convene/convene.toml', bytes: text(toml) },
  ]
  const sums = files
    .map((file) => {
      const hash = new Bun.CryptoHasher('md5').update('bytes' in file ? file.bytes : '').digest('hex')
      return `${hash}  ${file.name.slice(2)}\n`
    })
    .join('')
  const size = files.reduce((sum, file) => sum + ('bytes' in file ? file.bytes.length : 0), 0)
  const control: Entry[] = [
    { name: './control', bytes: text(controlFile(version, architecture, Math.ceil(size / 1024))) },
    { name: './conffiles', bytes: text('/etc/convene/convene.env\n') },
    { name: './md5sums', bytes: text(sums) },
    ...Object.entries(scripts).map(([name, script]) => ({ name: `./${name}`, bytes: text(script), mode: 0o755 })),
  ]
  return ar(
    [
      { name: 'debian-binary', bytes: text('2.0\n') },
      { name: 'control.tar.gz', bytes: zipped(tar(control, time)) },
      { name: 'data.tar.gz', bytes: zipped(tar(withDirectories(files), time)) },
    ],
    time,
  )
}

const zipped = (bytes: Uint8Array) => Bun.gzipSync(Buffer.from(bytes), { level: 6 })

/** The unit of `deploy/` without the instructions to install it by hand, and with the package's path of the binary. */
function packagedUnit(unit: string): string {
  const start = unit.indexOf('[Unit]')
  const packaged = unit.slice(start).replaceAll('/usr/local/bin/convene', '/usr/bin/convene')
  if (start === -1 || !packaged.includes('ExecStart=/usr/bin/convene serve')) throw new Error('the unit has changed')
  return packaged
}

const environmentFile = `# Settings of Convene, one NAME='value' per line: convene serve --help lists them. Then: systemctl restart convene
#PUBLIC_URL='https://meet.example.org'
`

const controlFile = (version: string, architecture: string, kilobytes: number) => `Package: convene
Version: ${version}
Section: web
Priority: optional
Architecture: ${architecture}
Depends: libc6 (>= 2.31), adduser
Recommends: ca-certificates
Installed-Size: ${kilobytes}
Maintainer: The Convene authors <convene@example.org>
Description: backend of a social meeting app
 People, places, chat and safety in one executable with one data directory.
 It needs no other service.
`

const hasSystemd = '[ -d /run/systemd/system ]'

// `deb-systemd-helper`, a part of every Debian, remembers whether the operator has disabled the unit, and keeps that in an upgrade.
const scripts = {
  postinst: `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  if ! getent passwd convene >/dev/null; then
    adduser --system --group --home /var/lib/convene --no-create-home --shell /usr/sbin/nologin --quiet convene
  fi
  install -d -m 700 -o convene -g convene /var/lib/convene
  if grep -qs '^ExecStart=/usr/local/bin/convene ' /etc/systemd/system/convene.service; then
    echo "convene: /etc/systemd/system/convene.service, installed by hand, still runs /usr/local/bin/convene: remove both" >&2
  fi
  if deb-systemd-helper --quiet was-enabled convene.service; then
    deb-systemd-helper enable convene.service >/dev/null || true
  else
    deb-systemd-helper update-state convene.service >/dev/null || true
  fi
  if ${hasSystemd}; then
    systemctl daemon-reload
    # After an upgrade, the start copies the database and migrates it. A service that is disabled and stopped stays so.
    if [ -n "$2" ]; then action=restart; else action=start; fi
    # A service that cannot start, because of its settings for example, is installed all the same: systemd goes on trying.
    deb-systemd-invoke "$action" convene.service ||
      echo "convene: the service has not started: journalctl -u convene says why" >&2
  fi
fi
`,
  prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && ${hasSystemd}; then
  deb-systemd-invoke stop convene.service
fi
`,
  postrm: `#!/bin/sh
set -e
if ${hasSystemd}; then systemctl daemon-reload; fi
if [ "$1" = purge ]; then
  deb-systemd-helper purge convene.service >/dev/null || true
  rm -rf /etc/convene
  if [ -d /var/lib/convene ]; then
    # A community's data cannot be restored, so it is removed only by hand.
    echo "convene: /var/lib/convene is kept, with its user: remove both if you no longer need the community" >&2
  elif getent passwd convene >/dev/null; then
    deluser --system --quiet convene || true
  fi
fi
`,
}
