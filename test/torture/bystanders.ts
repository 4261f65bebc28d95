/** A thread of people who use the server as always: fifty requests a second, each at its time, answered or not. */
import { once } from './people.ts'

declare const self: Worker

export type Start = { base: string; tokens: string[]; chat: string }

/**
 * How long each request took, in milliseconds, how many were told that the server is busy, and what was not answered as it
 * should be.
 */
export type Seen = { times: number[]; busy: number; failures: string[] }

let start: Start
let seen: Seen = { times: [], busy: 0, failures: [] }
let count = 0
let timer: Timer | null = null
const running = new Set<Promise<void>>()

async function ask() {
  const asks: [string, string, unknown?][] = [
    ['GET', 'me'],
    ['GET', 'chats'],
    ['POST', `chats/${start.chat}/messages`, { text: 'still here' }],
    ['GET', `chats/${start.chat}/messages?limit=10`],
  ]
  const [method, path, body] = asks[count++ % asks.length]!
  const token = start.tokens[count % start.tokens.length]
  const began = performance.now()
  try {
    // A connection for each: that new ones are taken is part of it.
    const answer = await once(new URL(start.base), method, path, { token, body, keepalive: false })
    const { status } = answer
    if (status === 503 && answer.body?.code === 'busy') return void seen.busy++
    if (status >= 300) seen.failures.push(`${method} ${path} was answered with ${status}`)
    seen.times.push(performance.now() - began)
  } catch (error) {
    seen.failures.push(`${method} ${path}: ${error}`)
  }
}

self.onmessage = async ({ data }: MessageEvent<Start | 'begin' | 'end'>) => {
  if (typeof data === 'object') {
    start = data
  } else if (data === 'begin') {
    seen = { times: [], busy: 0, failures: [] }
    timer = setInterval(() => {
      const one = ask()
      running.add(one)
      void one.then(() => running.delete(one))
    }, 20)
  } else {
    clearInterval(timer!)
    await Promise.all(running)
    postMessage(seen)
  }
}
