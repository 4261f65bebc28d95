import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Entry, tar, withDirectories } from './tar.ts'

type Image = { version: string; commit: string | null; architecture: 'amd64' | 'arm64'; binary: string; time: number }

const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

/**
 * Writes a container image as an OCI image layout, without a daemon: one layer with the binary, the C library of this machine,
 * the certificates and an unprivileged user. Returns the digest of its manifest.
 */
export function writeOciLayout(directory: string, image: Image): string {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(join(directory, 'blobs/sha256'), { recursive: true })
  const blob = (mediaType: string, bytes: Uint8Array) => {
    const digest = sha256(bytes)
    writeFileSync(join(directory, 'blobs/sha256', digest), bytes)
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length }
  }
  const json = (mediaType: string, value: object) => blob(mediaType, Buffer.from(JSON.stringify(value)))

  const unpacked = tar(withDirectories(filesOf(image.binary)), image.time)
  const layer = blob('application/vnd.oci.image.layer.v1.tar+gzip', Bun.gzipSync(Buffer.from(unpacked), { level: 6 }))
  const created = new Date(image.time * 1000).toISOString()
  const config = json('application/vnd.oci.image.config.v1+json', {
    created,
    architecture: image.architecture,
    os: 'linux',
    config: {
      User: '65532:65532',
      Env: [
        'PATH=/usr/local/bin',
        'HOST=0.0.0.0',
        'PORT=3000',
        'DATA_DIR=/data',
        'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
      ],
      Entrypoint: ['/usr/local/bin/convene'],
      Cmd: ['serve'],
      ExposedPorts: { '3000/tcp': {} },
      Volumes: { '/data': {} },
      WorkingDir: '/data',
      StopSignal: 'SIGTERM',
      Labels: {
        'org.opencontainers.image.title': 'convene',
        'org.opencontainers.image.version': image.version,
        ...(image.commit && { 'org.opencontainers.image.revision': image.commit }),
        'org.opencontainers.image.licenses': 'MIT',
      },
    },
    rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(unpacked)}`] },
    history: [{ created, created_by: 'scripts/package.ts' }],
  })
  const manifest = json('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config,
    layers: [layer],
  })
  writeFileSync(join(directory, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
  writeFileSync(
    join(directory, 'index.json'),
    JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: [
        {
          ...manifest,
          platform: { architecture: image.architecture, os: 'linux' },
          // Podman names a loaded image after this.
          annotations: { 'org.opencontainers.image.ref.name': `convene:${image.version}` },
        },
      ],
    }),
  )
  return manifest.digest
}

/** The files of the root file system. */
function filesOf(binary: string): Entry[] {
  const file = (name: string, path: string, mode = 0o644): Entry => ({ name, bytes: readFileSync(path), mode })
  const text = (name: string, content: string): Entry => ({ name, bytes: Buffer.from(content) })
  const libraries = librariesOf(binary).map((path) => file(path.slice(1), realpathSync(path), 0o755))
  return [
    file('usr/local/bin/convene', binary, 0o755),
    ...libraries,
    file('etc/ssl/certs/ca-certificates.crt', '/etc/ssl/certs/ca-certificates.crt'),
    text('etc/passwd', 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/data:/sbin/nologin\n'),
    text('etc/group', 'root:x:0:\nnonroot:x:65532:\n'),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    { name: 'data/', directory: true, mode: 0o700, uid: 65532, gid: 65532 },
    { name: 'tmp/', directory: true, mode: 0o1777 },
  ]
}

/** The shared libraries that a binary links, and those that the C library loads to resolve host names. */
function librariesOf(binary: string): string[] {
  const { stdout, exitCode } = Bun.spawnSync(['ldd', binary])
  if (exitCode !== 0) throw new Error(`ldd cannot read ${binary}`)
  const named = [...stdout.toString().matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path!)
  const libc = named.find((path) => /\/libc\.so/.test(path))
  if (libc === undefined) throw new Error(`${binary} names no C library`)
  return [...new Set([...named, join(dirname(libc), 'libnss_dns.so.2'), join(dirname(libc), 'libnss_files.so.2')])]
}
