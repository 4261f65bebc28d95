import { closeSync, openSync } from 'node:fs'
import type { S3Place } from '../../s3-place.ts'

type Method = 'GET' | 'HEAD' | 'PUT' | 'DELETE'

/** Something in a bucket; `name` is without the place's prefix, `size` in bytes. */
export type StoredObject = { name: string; size: number; modified_ms: number }

/**
 * Why a bucket did not do as asked, in words for the operator, with the store's or the connection's own code. `refused`:
 * it is not there, or does not take these keys; so it stays until somebody mends it.
 */
export class BucketError extends Error {
  override readonly name = 'BucketError'

  constructor(
    message: string,
    readonly code: string,
    readonly refused: boolean,
  ) {
    super(message)
  }
}

// How long a signed request of ours is good for. No longer than links are, so that a wrong clock shows at the start.
const requestLife_s = 300

// What passes by itself is worth a second try.
const passing =
  /^(InternalError|SlowDown|ServiceUnavailable|RequestTimeout|ConnectionClosed|ConnectionReset|ECONNRESET|HTTP_5\d\d)$/
const noConnection =
  /^(ConnectionRefused|ConnectionClosed|ConnectionReset|DNSResolveFailed|TLSHandshakeFailed|FailedToOpenSocket|E[A-Z]+|.*(CERT|SSL|TLS).*)$/
const noEntry =
  /^(AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken|HTTP_40[13]|.*Suspended)$/
const elsewhere = /^(AuthorizationHeaderMalformed|PermanentRedirect|TemporaryRedirect|HTTP_30\d)$/

// Written at each start, and stays: of what is not there, some stores say only that it may not be read.
const check = 'convene-check'

// Parts of a file, in bytes. A store takes up to 10,000 of them.
const smallestPart = 16 * 2 ** 20
const mostParts = 9000

/**
 * A place in an S3-compatible store. Nothing waits longer than `patienceMs` for it: single objects are asked for by
 * requests that Bun's client signs and that can be broken off. Everything throws BucketError.
 */
export function openBucket(place: S3Place, { patienceMs = 10_000 }: { patienceMs?: number } = {}) {
  const { bucket, prefix, endpoint, publicEndpoint, region, accessKeyId, secretAccessKey } = place
  const open = (endpoint: string) =>
    new Bun.S3Client({ bucket, endpoint, region, accessKeyId, secretAccessKey, virtualHostedStyle: false })
  const client = open(endpoint)
  const outside = publicEndpoint === endpoint ? client : open(publicEndpoint)

  /** What `take` makes of the answer; null where there is no such object. */
  async function ask<T>(
    method: Method,
    name: string,
    take: (answer: Response) => Promise<T> | T,
    { body, headers, signal = AbortSignal.timeout(patienceMs) }: Pick<RequestInit, 'body' | 'headers' | 'signal'> = {},
  ): Promise<T | null> {
    for (let tries = 1; ; tries++) {
      let code: string
      try {
        const url = client.presign(prefix + name, { method, expiresIn: requestLife_s })
        const answer = await fetch(url, { method, body, headers, signal, redirect: 'manual' })
        if (answer.ok) return await take(answer)
        code = /<Code>(\w{1,64})<\/Code>/.exec(await answer.text())?.[1] ?? `HTTP_${answer.status}`
      } catch (error) {
        code = codeOf(error)
      }
      // An answer to HEAD has no body to say more.
      if (code === 'NoSuchKey' || (method === 'HEAD' && code === 'HTTP_404')) return null
      if (tries === 2 || !passing.test(code)) throw errorOf(code)
    }
  }

  /** Bun's client gives up by itself only after six minutes. */
  async function inTime<T>(call: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(errorOf('Timeout')), patienceMs)
    try {
      return await Promise.race([call, late.promise])
    } catch (error) {
      throw error instanceof BucketError ? error : errorOf(codeOf(error))
    } finally {
      clearTimeout(timer)
    }
  }

  function errorOf(code: string): BucketError {
    const error = (refused: boolean, message: string) => new BucketError(`${message} (${code})`, code, refused)
    const at = `the bucket ${bucket} at ${endpoint}`
    if (code === 'NoSuchBucket') return error(true, `there is no bucket ${bucket} at ${endpoint}`)
    if (code === 'RequestTimeTooSkewed') return error(true, `${endpoint} says that this machine's clock is wrong`)
    if (noEntry.test(code)) return error(true, `${at} does not take these keys`)
    if (elsewhere.test(code)) return error(true, `${at} is not in the region ${region}`)
    if (code === 'Timeout') return error(false, `${at} did not answer in time`)
    if (noConnection.test(code)) return error(false, `nothing answers at ${endpoint}`)
    return error(false, `${at} did not do as asked`)
  }

  const bucketApi = {
    /** Stores a whole object or none. Replaces one of the same name. */
    async put(name: string, bytes: Uint8Array<ArrayBuffer>, headers: Record<string, string>): Promise<void> {
      const done = await ask('PUT', name, () => true, { body: bytes, headers })
      if (!done) throw errorOf('NoSuchKey')
    },

    /** Null where there is none. */
    get: (name: string) => ask('GET', name, (answer) => answer.bytes()),

    /** Null where there is none. */
    size: (name: string) => ask('HEAD', name, (answer) => Number(answer.headers.get('content-length'))),

    /** No error where there is none. */
    async remove(name: string): Promise<void> {
      await ask('DELETE', name, () => true)
    },

    /** Everything whose name begins so, in the order of the names. */
    async *list(start = ''): AsyncIterable<StoredObject> {
      for (let continuationToken: string | undefined; ;) {
        const page = await inTime(client.list({ prefix: prefix + start, continuationToken }))
        for (const { key, size, lastModified } of page.contents ?? [])
          yield { name: key.slice(prefix.length), size: size ?? 0, modified_ms: Date.parse(lastModified ?? '') }
        if (!page.isTruncated || !page.nextContinuationToken) return
        continuationToken = page.nextContinuationToken
      }
    },

    /** A URL by which anybody may ask for the object until its time is over. `type` is the type of what is answered. */
    link: (name: string, method: 'GET' | 'HEAD', { seconds, type }: { seconds: number; type: string }) =>
      outside.presign(prefix + name, { method, expiresIn: seconds, type, contentDisposition: 'inline' }),

    /** Throws where it does not answer. */
    async ping(withinMs = patienceMs): Promise<void> {
      await ask('GET', check, () => true, { signal: AbortSignal.timeout(withinMs) })
    },

    /** Writes, lists and removes, so that a key without one of these rights is found out now. Throws where it fails. */
    async probe(): Promise<void> {
      await bucketApi.put(check, new Uint8Array(), {})
      await inTime(client.list({ prefix, maxKeys: 1 }))
      // Is never there; what is could be another node's.
      await bucketApi.remove(`${check}-removed`)
    },

    /** Uploads a file in parts: all of it appears under its name, or nothing. Its size there is compared. */
    async upload(name: string, path: string): Promise<void> {
      const { size } = Bun.file(path)
      const partSize = Math.max(smallestPart, Math.ceil(size / mostParts))
      try {
        await client.write(prefix + name, Bun.file(path), {
          type: 'application/vnd.sqlite3',
          partSize,
          queueSize: 3,
          retry: 2,
        })
      } catch (error) {
        // Bun takes the parts back only after it has told us, and who is told may end the process.
        await Bun.sleep(1000)
        throw errorOf(codeOf(error))
      }
      const stored = await bucketApi.size(name)
      if (stored === size) return
      await bucketApi.remove(name)
      throw new Error(`of ${size} bytes, ${stored ?? 0} arrived in the bucket ${bucket}`)
    },

    /** Downloads an object into a file that is not there yet, readable by its owner only. Answers whether there is one. */
    async download(name: string, path: string): Promise<boolean> {
      const stalled = new AbortController()
      const watch = setTimeout(() => stalled.abort(), patienceMs)
      try {
        const answer = await ask('GET', name, (answer) => answer, { signal: stalled.signal })
        if (!answer) return false
        closeSync(openSync(path, 'wx', 0o600))
        const file = Bun.file(path).writer()
        for await (const chunk of answer.body ?? []) {
          watch.refresh()
          file.write(chunk)
          await file.flush()
        }
        await file.end()
        return true
      } catch (error) {
        // The disk's own errors say more.
        throw error instanceof BucketError || 'syscall' in (error as Error) ? error : errorOf(codeOf(error))
      } finally {
        clearTimeout(watch)
      }
    },
  }
  return bucketApi
}

function codeOf(error: unknown): string {
  if (error instanceof DOMException) return 'Timeout'
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : 'UnknownError'
}
