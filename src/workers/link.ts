import { Refusal } from '../lib/refusal.ts'
import { asError } from '../lib/errors.ts'

/** One end of a channel between two threads. */
export type Port = {
  postMessage(message: unknown): void
  on(event: 'message', listener: (messages: Message[]) => void): unknown
}

/**
 * Calls a function of an object that the other thread offers, with arguments that can be cloned. Rejects as that function
 * does.
 */
type Call = (object: string, method: string, args: unknown[]) => Promise<unknown>

/** `tell` is a call without an answer. */
export type Link = { call: Call; tell(object: string, method: string, args: unknown[]): void }

/** Functions of another thread: each call is answered later. */
export type Remote<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (...args: infer Args) => infer Value
    ? (...args: Args) => Promise<Awaited<Value>>
    : never
}

/**
 * An object that the other thread offers under that name. Calls of the functions in `told` resolve at once: nobody waits for
 * their answers, which cost as much as the calls.
 */
export function remote<Functions extends object>(
  { call, tell }: Link,
  object: string,
  told: readonly (keyof Functions & string)[] = [],
): Remote<Functions> {
  // Without a prototype, whose properties would be taken for functions.
  const made: Remote<Functions> = Object.create(null)
  const isTold: ReadonlySet<string> = new Set(told)
  const functionOf = (method: string) =>
    isTold.has(method)
      ? async (...args: unknown[]) => tell(object, method, args)
      : (...args: unknown[]) => call(object, method, args)
  return new Proxy(made, {
    get(functions, method) {
      if (typeof method !== 'string') return undefined
      if (!Reflect.has(functions, method)) Reflect.set(functions, method, functionOf(method))
      return Reflect.get(functions, method)
    },
  })
}

type Message =
  /** No answer is wanted where the id is null. */
  | { is: 'call'; id: number | null; object: string; method: string; args: unknown[] }
  | { is: 'answer'; id: number; value: unknown }
  | { is: 'failure'; id: number; failure: Failure }

/** An error on its way: what a client may see of a refusal, and what the log needs of any other. */
type Failure =
  | Pick<Refusal, 'code' | 'detail' | 'errors' | 'headers' | 'members'>
  | { code: null; message: string; stack: string | undefined }

/**
 * Calls in both directions over a port. What one turn of the event loop brings goes in one message, because each costs more
 * than what it carries. Calls arrive in the order in which they are made.
 */
export function openLink(port: Port, offered: Record<string, object>): Link {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let queue: Message[] = []
  let lastId = 0

  function post(message: Message) {
    if (queue.push(message) === 1) setImmediate(flush)
  }

  function flush() {
    const messages = queue
    queue = []
    try {
      port.postMessage(messages)
    } catch {
      // One of them cannot be cloned: the others are sent alone.
      for (const message of messages) postAlone(message)
    }
  }

  function postAlone(message: Message) {
    try {
      port.postMessage([message])
    } catch (error) {
      if (message.is === 'call') {
        if (message.id === null) throw error
        settle(message.id).reject(error)
      } else port.postMessage([{ is: 'failure', id: message.id, failure: failureOf(error) } satisfies Message])
    }
  }

  function settle(id: number): PromiseWithResolvers<unknown> {
    const call = waiting.get(id)
    if (call === undefined) throw new Error('an answer to no call')
    waiting.delete(id)
    return call
  }

  async function serve({ id, object, method, args }: Message & { is: 'call' }) {
    try {
      const target = offered[object]
      const called: unknown = target && Reflect.get(target, method)
      if (typeof called !== 'function') throw new Error(`there is no ${object}.${method} to call`)
      const value: unknown = await Reflect.apply(called, target, args)
      if (id !== null) post({ is: 'answer', id, value })
    } catch (error) {
      if (id === null) throw error
      post({ is: 'failure', id, failure: failureOf(error) })
    }
  }

  port.on('message', (messages) => {
    for (const message of messages)
      if (message.is === 'call') void serve(message)
      else if (message.is === 'answer') settle(message.id).resolve(message.value)
      else settle(message.id).reject(errorOf(message.failure))
  })

  return {
    call(object, method, args) {
      const id = ++lastId
      const call = Promise.withResolvers<unknown>()
      waiting.set(id, call)
      post({ is: 'call', id, object, method, args })
      return call.promise
    },
    tell: (object, method, args) => post({ is: 'call', id: null, object, method, args }),
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof Refusal) {
    const { code, detail, errors, headers, members } = error
    return { code, detail, errors, headers, members }
  }
  const { message, stack } = asError(error)
  return { code: null, message, stack }
}

function errorOf(failure: Failure): Error {
  if (failure.code !== null)
    return new Refusal(failure.code, failure.detail, failure.errors, failure.headers, failure.members)
  const { message, stack } = failure
  return Object.assign(new Error(message), { stack })
}
