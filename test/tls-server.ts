import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate of these names, which is its own authority, by OpenSSL. */
export function certificateFor(names: readonly string[]): { cert: string; key: string } {
  const directory = mkdtempSync(join(tmpdir(), 'convene-tls-'))
  try {
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
    const subject = ['-subj', `/CN=${names[0]}`, '-addext', `subjectAltName=${names.map((n) => `DNS:${n}`).join(',')}`]
    const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
    const { exitCode, stderr } = Bun.spawnSync(['openssl', 'req', ...made, '-keyout', key, '-out', cert, ...subject], {
      stdout: 'ignore',
      stderr: 'pipe',
    })
    if (exitCode !== 0) throw new Error(`openssl: ${stderr}`)
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Serves https on a free port of this machine, until `stop`. */
export async function serveTls({ cert, key }: { cert: string; key: string }, answer: RequestListener) {
  const server = createServer({ cert, key }, answer)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    port,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
