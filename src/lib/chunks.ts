import { setImmediate } from 'node:timers/promises'

const chunkLength = 64 * 1024
/** How long a document is read before others have their turn. */
const turnMs = 3

/** Text as UTF-8, in chunks worth sending. Reads only as fast as the consumer takes them. */
export async function* chunks(text: AsyncIterable<string>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  let waiting: string[] = []
  let length = 0
  let turnBegan = performance.now()
  for await (const piece of text) {
    waiting.push(piece)
    length += piece.length
    if (length >= chunkLength) {
      yield encoder.encode(waiting.join(''))
      waiting = []
      length = 0
    }
    // SQLite answers synchronously: without this, a fast consumer would block everybody else.
    if (performance.now() - turnBegan > turnMs) {
      await setImmediate()
      turnBegan = performance.now()
    }
  }
  yield encoder.encode(waiting.join(''))
}
