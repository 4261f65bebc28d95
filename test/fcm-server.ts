import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jwtVerify } from 'jose'

export type FcmMessage = { token: string; data: Record<string, string>; [field: string]: any }

type Reply = Response | 'hang'

/**
 * Firebase Cloud Messaging, HTTP v1, with the token endpoint of Google: it verifies the assertion of the service account and the
 * access token. `reply` answers in place of the acceptance.
 */
export function fcmServer() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const email = 'convene@meet-1.iam.gserviceaccount.com'
  const messages: FcmMessage[] = []
  let reply: ((message: FcmMessage) => Reply | null) | null = null
  let replyToken: (() => Reply) | null = null
  let issued = 0
  const valid = new Set<string>()

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    routes: {
      '/token': {
        async POST(request) {
          if (replyToken) return answerOf(replyToken())
          const form = new URLSearchParams(await request.text())
          const { payload } = await jwtVerify(form.get('assertion') ?? '', await keyOf(), {
            algorithms: ['RS256'],
            audience: tokenUrl(),
            issuer: email,
          })
          if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer' || !payload.scope)
            return Response.json({ error: 'invalid_grant' }, { status: 400 })
          const token = `ya29.token-${++issued}`
          valid.add(token)
          return Response.json({ access_token: token, expires_in: 3599, token_type: 'Bearer' })
        },
      },
      '/v1/projects/meet-1/messages:send': {
        async POST(request) {
          const token = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? ''
          const text = await request.text()
          if (!valid.has(token)) return fcmError(401, 'UNAUTHENTICATED')
          const { message }: { message: FcmMessage } = JSON.parse(text)
          const given = reply?.(message) ?? null
          if (given !== null) return answerOf(given)
          messages.push(message)
          return Response.json({ name: `projects/meet-1/messages/${messages.length}` })
        },
      },
    },
    fetch: () => new Response('not here', { status: 404 }),
  })
  const tokenUrl = () => `http://127.0.0.1:${server.port}/token`
  const keyOf = async () => (await import('node:crypto')).createPublicKey(publicKey)
  const answerOf = (given: Reply): Response | Promise<Response> => (given === 'hang' ? new Promise(() => {}) : given)
  const directory = mkdtempSync(join(tmpdir(), 'convene-fcm-'))
  const file = join(directory, 'service-account.json')
  const account = {
    type: 'service_account',
    project_id: 'meet-1',
    private_key_id: 'key-1',
    private_key: privateKey,
    client_email: email,
    token_uri: tokenUrl(),
  }
  writeFileSync(file, JSON.stringify(account))

  return {
    url: `http://127.0.0.1:${server.port}`,
    /** The key file, and what it says. */
    file,
    account,
    messages,
    issued: () => issued,
    /** The tokens that were issued are no longer accepted. */
    endTokens: () => valid.clear(),
    replyWith: (given: typeof reply) => void (reply = given),
    replyToTokenRequestsWith: (given: typeof replyToken) => void (replyToken = given),
    async stop() {
      await server.stop(true)
      rmSync(directory, { recursive: true })
    },
  }
}

/** An error as FCM answers it. */
export function fcmError(status: number, name: string, errorCode?: string, headers: Record<string, string> = {}) {
  const details =
    errorCode === undefined ? [] : [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }]
  const message = 'Something about the token secret-device.'
  return Response.json({ error: { code: status, message, status: name, details } }, { status, headers })
}
