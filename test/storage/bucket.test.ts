import { afterEach, expect, test } from 'bun:test'
import { createServer, type RequestListener, type Server } from 'node:http'
import { minutes } from '../../src/lib/time.ts'
import { openBucket } from '../../src/s3/bucket.ts'
import { readS3Url } from '../../src/s3/place.ts'
import { keyIdOfUser, refusing, s3Server, secret } from '../s3-server.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

const patienceMs = 150

/** A bucket whose store answers every request like that. */
async function bucketThat(answers: RequestListener, options = { patienceMs }) {
  const server = createServer(answers)
  servers.push(server)
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  )
  const url = `s3://id:secret@bucket/?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`
  return openBucket(readS3Url(url, { accessKeyId: null, secretAccessKey: null }), options)
}

/** Sends that many chunks of a hundred bytes, one every fifty milliseconds. */
const slowly = (chunks: number, of: number): RequestListener =>
  async function (_, response) {
    response.writeHead(200, { 'content-length': of * 100 })
    for (let i = 0; i < chunks; i++) {
      response.write(Buffer.alloc(100, i))
      await Bun.sleep(50)
    }
    if (chunks === of) response.end()
  }

test('reads an object that takes longer than its patience, as long as something arrives', async () => {
  const bucket = await bucketThat(slowly(8, 8))
  const bytes = await bucket.get('object')
  expect(bytes).toEqual(Buffer.concat(Array.from({ length: 8 }, (_, i) => Buffer.alloc(100, i))))
})

test('gives up an object of which nothing more arrives', async () => {
  const bucket = await bucketThat(slowly(2, 8))
  await expect(bucket.get('object')).rejects.toThrow('did not answer in time (Timeout)')
})

test('has patience with a large object that is stored over a slow connection, and not with a small one', async () => {
  const bucket = await bucketThat((request, response) => {
    request.resume()
    request.on('end', () => setTimeout(() => response.end(), 3 * patienceMs))
  })
  await bucket.put('large', new Uint8Array(100_000), {})
  await expect(bucket.put('small', new Uint8Array(100), {})).rejects.toThrow('did not answer in time (Timeout)')
  await expect(bucket.size('small')).rejects.toThrow('did not answer in time (Timeout)')
})

test('signs with a key id that has characters other than letters and digits', async () => {
  const s3 = await s3Server()
  const url = s3.url('of-a-user', { keys: [keyIdOfUser, secret] })
  const bucket = openBucket(readS3Url(url, { accessKeyId: null, secretAccessKey: null }))
  await bucket.probe()
  await bucket.put('object', Buffer.from('some bytes'), {})
  expect(Buffer.from((await bucket.get('object'))!).toString()).toBe('some bytes')
  const link = bucket.link('object', 'GET', { seconds: 60, type: 'image/webp' })
  expect((await fetch(link)).status).toBe(200)
})

test('names the region if the bucket is in another one', async () => {
  const s3 = await s3Server()
  const url = s3.url('', { more: '&region=eu-central-1' })
  const bucket = openBucket(readS3Url(url, { accessKeyId: null, secretAccessKey: null }))
  const refusal = { refused: true, message: expect.stringContaining('is not in the region eu-central-1') }
  await expect(bucket.put('object', new Uint8Array(), {})).rejects.toMatchObject(refusal)
  await expect(Array.fromAsync(bucket.list())).rejects.toMatchObject(refusal)
})

const clockIsWrong = "says that this machine's clock is wrong (RequestTimeTooSkewed)"

test.each([
  [-10, clockIsWrong],
  [10, clockIsWrong],
  [4, 'denies access'],
])('a store that denies access and is %d minutes ahead of this machine', async (ahead, message) => {
  const bucket = await bucketThat((request, response) => {
    response.setHeader('date', new Date(Date.now() + ahead * minutes).toUTCString())
    refusing(403, 'AccessDenied')(request, response)
  })
  await expect(bucket.get('object')).rejects.toMatchObject({ refused: true, message: expect.stringContaining(message) })
})

test.each([
  [503, 'SlowDown'],
  [429, 'TooManyRequests'],
])('repeats what a store is too busy for, after pauses: %i %s', async (status, code) => {
  const s3 = await s3Server()
  const bucket = openBucket(readS3Url(s3.url('busy'), { accessKeyId: null, secretAccessKey: null }))
  await bucket.put('object', new Uint8Array(), {})
  for (const work of [() => bucket.put('object', new Uint8Array(), {}), () => Array.fromAsync(bucket.list())]) {
    let refusals = 3
    s3.fail((request, response) => {
      if (--refusals === 0) s3.fail(null)
      refusing(status, code)(request, response)
    })
    const started = performance.now()
    await work()
    expect([refusals, performance.now() - started > 1000]).toEqual([0, true])
  }
  s3.fail(refusing(status, code))
  await expect(bucket.get('object')).rejects.toMatchObject({ code, refused: false })
  await expect(Array.fromAsync(bucket.list())).rejects.toMatchObject({ code, refused: false })
})

test.each([
  [403, 'AccessDenied', 'denies access: these keys need the rights to list, get, put and delete (AccessDenied)'],
  [404, 'NoSuchKey', 'its endpoint has to be the address of the store, without the bucket (NoSuchKey)'],
  [
    400,
    'InvalidToken',
    'does not accept the session token: unset AWS_SESSION_TOKEN and S3_SESSION_TOKEN (InvalidToken)',
  ],
])('says what to do if a list is answered by %i %s', async (status, code, message) => {
  const bucket = await bucketThat(refusing(status, code))
  const refusal = { refused: true, message: expect.stringContaining(message) }
  await expect(Array.fromAsync(bucket.list())).rejects.toMatchObject(refusal)
})

test('tells a connection that broke from a store that does not answer', async () => {
  const bucket = await bucketThat((request) => request.socket.destroy(), { patienceMs: 5000 })
  await expect(bucket.get('object')).rejects.toMatchObject({
    refused: false,
    message: expect.stringMatching(/^the connection to http:\S+ broke \(\w+\)$/),
  })
})
