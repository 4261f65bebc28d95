import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeProtectedHeader, jwtVerify } from 'jose'

export type Apn = { device: string; headers: IncomingHttpHeaders; payload: any; token: string }

type Given = { stream: ServerHttp2Stream; apn: Apn; session: Http2Session }
/** Answers in place of the acceptance; `true` accepts. */
type Behaviour = (given: Given) => true | void

type Options = {
  tls?: { cert: string; key: string }
  /** How many requests it takes at once over a connection. */
  atOnce?: number
}

/** The Apple Push Notification service: HTTP/2, provider tokens, reasons. */
export async function apnsServer({ tls, atOnce }: Options = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const received: Apn[] = []
  const sessions = new Set<Http2Session>()
  let connections = 0
  let most = 0
  let running = 0
  let behaviour: Behaviour | null = null
  let ended = ''

  const settings = atOnce === undefined ? {} : { maxConcurrentStreams: atOnce }
  const server: Http2Server | Http2SecureServer = tls
    ? createSecureServer({ ...tls, settings })
    : createServer({ settings })
  server.on('session', (session: Http2Session) => {
    connections++
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => {})
  })
  server.on('sessionError', () => {})
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    most = Math.max(most, ++running)
    stream.on('error', () => {})
    stream.on('close', () => running--)
    void answer(stream, headers).catch(() => refuse(stream, 500, 'InternalServerError'))
  })

  async function answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    const { session } = stream
    let text = ''
    stream.setEncoding('utf8')
    for await (const chunk of stream) text += chunk
    const token = /^bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
    const key = createPublicKey(publicKey)
    const verified = await jwtVerify(token, key, { algorithms: ['ES256'], issuer: 'TEAM123456' }).catch(() => null)
    if (verified === null || decodeProtectedHeader(token).kid !== 'KEY1234567' || !verified.payload.iat)
      return refuse(stream, 403, 'InvalidProviderToken')
    if (token === ended) return refuse(stream, 403, 'ExpiredProviderToken')
    const device = /^\/3\/device\/([0-9a-f]+)$/.exec(headers[':path'] ?? '')?.[1] ?? ''
    if (device === '') return refuse(stream, 404, 'BadPath')
    const apn = { device, headers, payload: JSON.parse(text), token }
    if (behaviour && session && behaviour({ stream, apn, session }) !== true) return
    received.push(apn)
    stream.respond({ ':status': 200, 'apns-id': crypto.randomUUID() })
    stream.end()
  }

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const directory = mkdtempSync(join(tmpdir(), 'convene-apns-'))
  const file = join(directory, 'AuthKey_KEY1234567.p8')
  writeFileSync(file, privateKey)

  return {
    url: `${tls ? 'https' : 'http'}://${tls ? 'localhost' : '127.0.0.1'}:${port}`,
    file,
    privateKey,
    received,
    connections: () => connections,
    /** The most requests that it had at once. */
    most: () => most,
    sessions,
    /** That provider token counts as too old. */
    endToken: (token: string) => void (ended = token),
    behave: (given: Behaviour | null) => void (behaviour = given),
    stop() {
      for (const session of sessions) session.destroy()
      server.close()
      rmSync(directory, { recursive: true })
    },
  }
}

export function refuse(stream: ServerHttp2Stream, status: number, reason: string, headers = {}, timestamp?: number) {
  if (stream.destroyed) return
  stream.respond({ ':status': status, 'apns-id': crypto.randomUUID(), ...headers })
  stream.end(JSON.stringify({ reason, timestamp }))
}
