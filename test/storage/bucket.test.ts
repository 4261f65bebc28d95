import { afterEach, expect, test } from 'bun:test'
import { createServer, type RequestListener, type Server } from 'node:http'
import { openBucket } from '../../src/s3/bucket.ts'
import { readS3Url } from '../../src/s3/place.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

const patienceMs = 150

/** A bucket whose store answers every request like that. */
async function bucketThat(answers: RequestListener) {
  const server = createServer(answers)
  servers.push(server)
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  )
  const url = `s3://id:secret@bucket/?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`
  return openBucket(readS3Url(url, { accessKeyId: null, secretAccessKey: null }), { patienceMs })
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
