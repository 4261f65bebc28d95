import { closeSync, openSync } from 'node:fs'
import type { S3Place } from './place.ts'
import { codeOf } from '../lib/errors.ts'
import { seconds } from '../lib/time.ts'

type Method = 'GET' | 'HEAD' | 'PUT' | 'DELETE'

type Take<T> = (answer: Response, watch: Watch) => Promise<T> | T

/** Something in a bucket; `name` is without the place's prefix, `size` in bytes. */
export type StoredObject = { name: string; size: number; modified_ms: number }

/**
 * Why a request to a bucket failed, in words for the operator, with the code of the store or the connection. `refused`: the
 * bucket does not exist or does not accept these keys, and retrying does not help.
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

// How long a signed request is valid. As short as links, so that a wrong clock is noticed at the start.
const requestLife_s = 300

// Temporary failures, after which a request is repeated. A busy store refuses at once, so each pause is longer than the one before.
const retryable =
  /^(InternalError|SlowDown|ServiceUnavailable|TooManyRequests|RequestTimeout|ConnectionClosed|ConnectionReset|ECONNRESET|HTTP_(429|5\d\d))$/
const pausesMs = [100, 300, 900]
const brokenConnection = /^(ConnectionClosed|ConnectionReset|ECONNRESET|EPIPE)$/
const noConnection =
  /^(ConnectionRefused|DNSResolveFailed|TLSHandshakeFailed|FailedToOpenSocket|E[A-Z]+|.*(CERT|SSL|TLS).*)$/
const noEntry = /^(AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|HTTP_40[13]|.*Suspended)$/
// Bun adds the session token of the environment, if there is one, to any keys.
const noToken = /^(InvalidToken|InvalidTokenId|ExpiredToken)$/
const elsewhere =
  /^(AuthorizationHeaderMalformed|AuthorizationQueryParametersError|PermanentRedirect|TemporaryRedirect|HTTP_30\d)$/

// Written at each start and kept, because for a missing object some stores answer only that access is denied.
const check = 'convene-check'

// The size of an upload's parts, in bytes. Stores accept up to 10,000 parts.
const smallestPart = 16 * 2 ** 20
const mostParts = 9000

// The slowest connection over which an object can be stored: 1 Mbit/s.
const slowestBytesPerMs = 125

/**
 * A place in an S3-compatible store. A request fails if nothing arrives for `patienceMs`. Storing an object may take longer by
 * the time that its bytes need over a slow connection. Single objects are fetched with requests that Bun's client signs and
 * that can be aborted. Every method throws BucketError.
 */
export function openBucket(place: S3Place, { patienceMs = 10_000 }: { patienceMs?: number } = {}) {
  const { bucket, prefix, endpoint, publicEndpoint, region, accessKeyId, secretAccessKey } = place
  const open = (endpoint: string, accessKeyId: string) =>
    new Bun.S3Client({ bucket, endpoint, region, accessKeyId, secretAccessKey, virtualHostedStyle: false })
  const client = open(endpoint, accessKeyId)
  // Bun writes the key into a URL as it is.
  const inside = open(endpoint, percentEncoded(accessKeyId))
  const outside = open(publicEndpoint, percentEncoded(accessKeyId))

  /** The result of `take` for the response; null if there is no such object. */
  async function ask<T>(
    method: Method,
    name: string,
    take: Take<T>,
    { withinMs = patienceMs, ...more }: Pick<RequestInit, 'body' | 'headers'> & { withinMs?: number } = {},
  ): Promise<T | null> {
    const watch = openWatch(withinMs)
    try {
      return await askWatched(method, name, take, { ...more, watch })
    } finally {
      watch.stop()
    }
  }

  function askWatched<T>(
    method: Method,
    name: string,
    take: Take<T>,
    { body, headers, watch }: Pick<RequestInit, 'body' | 'headers'> & { watch: Watch },
  ): Promise<T | null> {
    return repeated(async () => {
      let code: string
      try {
        const url = inside.presign(prefix + name, { method, expiresIn: requestLife_s })
        const answer = await fetch(url, { method, body, headers, signal: watch.signal, redirect: 'manual' })
        if (answer.ok) return await take(answer, watch)
        code = /<Code>(\w{1,64})<\/Code>/.exec(await answer.text())?.[1] ?? `HTTP_${answer.status}`
        if (noEntry.test(code) && isOutsideLife(answer)) code = 'RequestTimeTooSkewed'
      } catch (error) {
        code = errorName(error)
      }
      // The response to HEAD has no body with an error.
      if (code === 'NoSuchKey' || (method === 'HEAD' && code === 'HTTP_404')) return null
      throw errorOf(code)
    })
  }

  const listPage = (options: Bun.S3ListObjectsOptions) => repeated(() => inTime(client.list(options)))

  /** Throws if a call takes longer than `patienceMs`. Bun's own timeout is six minutes. */
  async function inTime<T>(call: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(errorOf('Timeout')), patienceMs)
    try {
      return await Promise.race([call, late.promise])
    } catch (error) {
      throw error instanceof BucketError ? error : errorOf(errorName(error))
    } finally {
      clearTimeout(timer)
    }
  }

  function errorOf(code: string): BucketError {
    const error = (refused: boolean, message: string) => new BucketError(`${message} (${code})`, code, refused)
    const at = `the bucket ${bucket} at ${endpoint}`
    if (code === 'NoSuchBucket') return error(true, `there is no bucket ${bucket} at ${endpoint}`)
    if (code === 'RequestTimeTooSkewed') return error(true, `${endpoint} says that this machine's clock is wrong`)
    if (code === 'AccessDenied')
      return error(true, `${at} denies access: these keys need the rights to list, get, put and delete`)
    if (noToken.test(code))
      return error(true, `${at} does not accept the session token: unset AWS_SESSION_TOKEN and S3_SESSION_TOKEN`)
    // The name of the bucket in the path has been taken for that of an object.
    if (code === 'NoSuchKey')
      return error(true, `${at} is not found: its endpoint has to be the address of the store, without the bucket`)
    if (noEntry.test(code)) return error(true, `${at} does not accept these keys`)
    if (elsewhere.test(code)) return error(true, `${at} is not in the region ${region}`)
    if (code === 'Timeout') return error(false, `${at} did not answer in time`)
    if (brokenConnection.test(code)) return error(false, `the connection to ${endpoint} broke`)
    if (noConnection.test(code)) return error(false, `nothing answers at ${endpoint}`)
    return error(false, `${at} answered with an error`)
  }

  const bucketApi = {
    /** Stores a whole object or none. Replaces one of the same name. */
    async put(name: string, bytes: Uint8Array, headers: Record<string, string>): Promise<void> {
      const { buffer, byteOffset, byteLength } = bytes
      if (!(buffer instanceof ArrayBuffer)) throw new Error('memory that is shared between threads cannot be uploaded')
      const body = new Uint8Array(buffer, byteOffset, byteLength)
      const withinMs = patienceMs + byteLength / slowestBytesPerMs
      const done = await ask('PUT', name, () => true, { body, headers, withinMs })
      if (!done) throw errorOf('NoSuchKey')
    },

    /** Null if there is none. */
    get: (name: string) => ask('GET', name, bytesOf),

    /** Null if there is none. */
    size: (name: string) => ask('HEAD', name, (answer) => Number(answer.headers.get('content-length'))),

    /** No error if there is none. */
    async remove(name: string): Promise<void> {
      await ask('DELETE', name, () => true)
    },

    /** All objects with this prefix, ordered by name. */
    async *list(start = ''): AsyncIterable<StoredObject> {
      for (let continuationToken: string | undefined; ;) {
        const page = await listPage({ prefix: prefix + start, continuationToken })
        for (const { key, size, lastModified } of page.contents ?? [])
          yield { name: key.slice(prefix.length), size: size ?? 0, modified_ms: Date.parse(lastModified ?? '') }
        if (!page.isTruncated || !page.nextContinuationToken) return
        continuationToken = page.nextContinuationToken
      }
    },

    /** A URL that gives anybody access to the object until it expires. `type` is the content type of the response. */
    link: (name: string, method: 'GET' | 'HEAD', { seconds, type }: { seconds: number; type: string }) =>
      outside.presign(prefix + name, { method, expiresIn: seconds, type, contentDisposition: 'inline' }),

    /** Throws if the bucket does not answer. */
    async ping(withinMs = patienceMs): Promise<void> {
      await ask('GET', check, () => true, { withinMs })
    },

    /** Writes, reads, lists and removes, so that a missing permission is found at once. Throws if one of these fails. */
    async probe(): Promise<void> {
      await bucketApi.put(check, new Uint8Array(), {})
      await bucketApi.ping()
      await listPage({ prefix, maxKeys: 1 })
      // A name that never exists: an existing one could be another node's.
      await bucketApi.remove(`${check}-removed`)
    },

    /** Uploads a file in parts: the object appears whole or not at all. Checks its size afterwards. */
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
        // Bun aborts the upload only after it has thrown, and the caller may end the process then.
        await Bun.sleep(1000)
        throw errorOf(errorName(error))
      }
      const stored = await bucketApi.size(name)
      if (stored === size) return
      await bucketApi.remove(name)
      throw new Error(`only ${stored ?? 0} of ${size} bytes arrived in the bucket ${bucket}`)
    },

    /** Downloads an object into a new file, readable by its owner only. Returns false if there is no such object. */
    async download(name: string, path: string): Promise<boolean> {
      const watch = openWatch(patienceMs)
      try {
        const answer = await askWatched('GET', name, (answer) => answer, { watch })
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
        // Errors of the local disk are passed on, because they are more precise.
        throw error instanceof BucketError || (error instanceof Error && 'syscall' in error)
          ? error
          : errorOf(errorName(error))
      } finally {
        watch.stop()
      }
    },
  }
  return bucketApi
}

/** Whether the store's clock says that a request made now has expired, or is not valid yet. Then it only denies access. */
function isOutsideLife({ headers }: Response): boolean {
  const storeTime = Date.parse(headers.get('date') ?? '')
  return Math.abs(Date.now() - storeTime) > requestLife_s * seconds
}

/** As signatures of URLs have it: everything is encoded except letters, digits and `-._~`. */
const percentEncoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** The result of `attempt`, which throws BucketError, and is repeated after a temporary failure. */
async function repeated<T>(attempt: () => Promise<T>): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof BucketError) || !retryable.test(error.code)) throw error
    }
    await Bun.sleep(pauseMs)
  }
  return attempt()
}

type Watch = ReturnType<typeof openWatch>

/** Aborts when `refresh` has not been called for that long. */
function openWatch(ms: number) {
  const stalled = new AbortController()
  const timer = setTimeout(() => stalled.abort(), ms)
  return {
    signal: stalled.signal,
    refresh: () => void timer.refresh(),
    stop: () => clearTimeout(timer),
  }
}

async function bytesOf(answer: Response, { refresh }: Watch): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.body ?? []) {
    refresh()
    chunks.push(chunk)
  }
  return Bun.concatArrayBuffers(chunks, Infinity, true)
}

function errorName(error: unknown): string {
  if (error instanceof DOMException) return 'Timeout'
  const code = codeOf(error)
  return /^\w{1,64}$/.test(code) ? code : 'UnknownError'
}
