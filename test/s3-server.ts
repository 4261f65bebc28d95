import { afterAll } from 'bun:test'
import { DUMMY_ACCOUNT } from '@20minutes/s3rver/lib/models/account.js'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import './s3rver-on-bun.ts'

// Loaded after what it is to find changed.
const { default: S3rver } = await import('@20minutes/s3rver')

export const bucket = 'convene-tests'
export const keyId = 'AKCONVENETESTS'
/** Of the store. */
export const region = 'us-east-1'
/** With what a URL would take for its own. */
export const secret = 'the/secret+of@the:tests?100%'

/** As in stores that name keys after their users. */
export const keyIdOfUser = 'ada+tests:ada@example.org'

for (const id of [keyId, keyIdOfUser]) DUMMY_ACCOUNT.createKeyPair(id, secret)

export type S3Server = Awaited<ReturnType<typeof s3Server>>

const opened: { stop(): Promise<void> }[] = []
afterAll(async () => {
  for (const server of opened.splice(0)) await server.stop()
})

/**
 * A store that speaks S3 on loopback, with one bucket, and checks signatures. Its lists have three entries on a page. It
 * goes when the file's tests end.
 */
export async function s3Server() {
  const directory = mkdtempSync(join(tmpdir(), 'convene-s3-'))
  const open = (allowMismatchedSignatures: boolean) =>
    new S3rver({
      directory,
      silent: true,
      vhostBuckets: false,
      allowMismatchedSignatures,
      configureBuckets: [{ name: bucket }],
    })
  const strict = open(false)
  await strict.configureBuckets()
  const [answer, answerList] = [strict.callback(), open(true).callback()]
  const requests: string[] = []
  let fault: { where: RegExp; by: RequestListener } | null = null
  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`
    requests.push(line)
    const credential = /X-Amz-Credential=([^&]+)/.exec(request.url!)
    if (fault?.where.test(line)) fault.by(request, response)
    // Stores check the region, with a code of its own for each kind of signature.
    else if (credential && !credential[1]!.includes(`%2F${region}%2F`))
      refusing(400, 'AuthorizationQueryParametersError')(request, response)
    else if (!credential && !request.headers.authorization?.includes(`/${region}/`))
      refusing(400, 'AuthorizationHeaderMalformed')(request, response)
    // For a list it leaves the slash behind the bucket out of what it compares, which clients sign.
    else if (request.url!.startsWith(`/${bucket}/?`)) {
      if (!request.url!.includes('max-keys')) request.url += '&max-keys=3'
      answerList(request, response)
    } else answer(request, response)
  })
  const listen = async (port: number) => {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return (server.address() as { port: number }).port
  }
  const port = await listen(0)
  const endpoint = `http://127.0.0.1:${port}`

  const store = {
    endpoint,
    /** What it was asked, in order. */
    requests,

    /** The URL of a place in it, with its keys. */
    url: (prefix = '', { keys = [keyId, secret], more = '', at = endpoint, name = bucket } = {}) =>
      `s3://${keys.map(encodeURIComponent).join(':')}@${name}/${prefix}?endpoint=${encodeURIComponent(at)}${more}`,

    /** The names of what is in the bucket. */
    objects: () =>
      readdirSync(join(directory, bucket), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('._S3rver_object'))
        .map((name) => name.slice(0, -'._S3rver_object'.length))
        .sort(),

    /** Answers instead of the store, until it is null again. */
    fail(by: RequestListener | null) {
      fault = by && { where: /^/, by }
    },

    /** The same for those requests whose line fits. */
    failWhere(where: RegExp, by: RequestListener) {
      fault = { where, by }
    },

    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },

    start: () => listen(port),
  }
  opened.push({
    async stop() {
      await store.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  })
  return store
}

/** An answer of S3 that says no. */
export const refusing =
  (status: number, code: string): RequestListener =>
  (request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': 'application/xml' })
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>No ${secret}.</Message></Error>`)
  }
