import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { jwtVerify } from 'jose'
import type { Notification } from '../src/outbox/push.ts'
import { certificateFor, serveTls } from './tls-server.ts'

/** A notification of somebody's message, as the delivery makes one. */
export const aMessage: Notification = {
  kind: 'message',
  tag: 'chat_019aa5c7-0000-7000-8000-000000000000',
  title: 'Ada',
  body: 'sent a message',
  chat_id: '019aa5c7-0000-7000-8000-000000000000',
  unread: 3,
  language: 'en',
}

/** The receiving end of a subscription: the keys that a browser keeps for itself. */
export function userAgent() {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  const auth = randomBytes(16)
  return {
    keys: { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') },
    decrypt: (message: Buffer) => decrypted(message, ecdh, auth),
  }
}

/** The plain text of a message of one record (RFC 8188, RFC 8291). */
export function decrypted(message: Buffer, ecdh: ReturnType<typeof createECDH>, auth: Buffer): string {
  const [salt, recordSize, idLength] = [message.subarray(0, 16), message.readUInt32BE(16), message.readUInt8(20)]
  const sender = message.subarray(21, 21 + idLength)
  const record = message.subarray(21 + idLength)
  if (record.length > recordSize) throw new Error('more than one record')
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender])
  const secret = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), auth, info, 32))
  const key = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: aes128gcm\0', 16))
  const nonce = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: nonce\0', 12))
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = padded.findLastIndex((byte) => byte !== 0)
  if (padded[end] !== 2) throw new Error('the last record ends with the byte 2, and zeros')
  return padded.subarray(0, end).toString()
}

export type Pushed = {
  path: string
  headers: IncomingMessage['headers']
  /** The claims of the VAPID token. */
  claims: Record<string, unknown>
  vapidKey: string
  body: Buffer
}

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

/** A push service (RFC 8030) that verifies who sends (RFC 8292). What `behave` was given answers instead of 201. */
export async function pushService() {
  const tls = certificateFor(['push.example', '*.push.example', 'localhost'])
  const pushed: Pushed[] = []
  const connections = new Set<number>()
  let behaviour: Behaviour | null = null

  async function accept(request: IncomingMessage, response: ServerResponse) {
    connections.add(request.socket.remotePort ?? 0)
    if (behaviour) return behaviour(request, response)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { authorization = '', host } = request.headers
    const [, token = '', vapidKey = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
    const { payload: claims } = await jwtVerify(token, keyOf(vapidKey), {
      algorithms: ['ES256'],
      audience: `https://${host}`,
    })
    pushed.push({ path: request.url ?? '', headers: request.headers, claims, vapidKey, body: Buffer.concat(chunks) })
    response.writeHead(201, { location: '/message/1' }).end()
  }

  const server = await serveTls(tls, (request, response) => {
    accept(request, response).catch(() => response.writeHead(403).end())
  })
  return {
    ...server,
    pushed,
    connections,
    ca: tls.cert,
    origin: `https://push.example:${server.port}`,
    behave: (given: Behaviour | null) => void (behaviour = given),
  }
}

/** The public key of an uncompressed point. */
function keyOf(point: string) {
  const bytes = Buffer.from(point, 'base64url')
  const [x, y] = [bytes.subarray(1, 33).toString('base64url'), bytes.subarray(33).toString('base64url')]
  return createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } })
}
