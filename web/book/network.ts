import type { Answers, Asked, Outcome, State } from './book.ts'

const isOutcome = (value: unknown): value is Outcome =>
  typeof value === 'object' && value !== null && 'outcome' in value

type Rule = { method: string; pattern: RegExp; names: string[]; answer: unknown }

/** The routes of the fake server. Those of `more` have precedence over those of `base`. */
function rulesOf(base: Answers, more: Answers): Rule[] {
  return [more, base].flatMap((answers) =>
    Object.entries(answers).flatMap(([path, methods]) => {
      const names = [...path.matchAll(/{(\w+)}/g)].map(([, name = '']) => name)
      const pattern = new RegExp(`^${path.replace(/{\w+}/g, '([^/]+)')}$`)
      return Object.entries(methods).map(([method, answer]) => ({
        method: method.toUpperCase(),
        pattern,
        names,
        answer,
      }))
    }),
  )
}

/** The number of requests whose answer is still to come. */
export let waiting = 0
/** The number of requests that are never answered. */
export let unanswered = 0
/** The requests for which the fake server has no answer. */
export const unknownRequests: string[] = []

/** Replaces the network with a fake server: only requests for the page's own files leave the page. */
export function installNetwork(state: State, base: Answers, pages: Record<string, unknown>) {
  const rules = rulesOf(base, state.answers ?? {})
  const real = globalThis.fetch.bind(globalThis)
  const known = new Set(Object.keys(pages))

  async function answer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = input instanceof Request ? input : null
    const url = new URL(request?.url ?? String(input), location.origin)
    const method = (init?.method ?? request?.method ?? 'GET').toUpperCase()
    if (url.protocol !== location.protocol || /^\/(assets|book)\//.test(url.pathname)) return real(input, init)
    if (state.network === 'off') throw new TypeError('Failed to fetch')
    if (known.has(url.pathname)) return Response.json(pages[url.pathname])
    for (const { pattern, names, answer, ...rule } of rules) {
      const found = rule.method === method ? pattern.exec(url.pathname) : null
      if (!found) continue
      const parts = Object.fromEntries(names.map((name, at) => [name, found[at + 1] ?? '']))
      const asked: Asked = { query: url.searchParams, parts }
      const body: unknown = typeof answer === 'function' ? answer(asked) : answer
      if (!isOutcome(body)) {
        if (body === null) return new Response(null, { status: 204 })
        return Response.json(body, { status: method === 'POST' ? 201 : 200 })
      }
      if (body.outcome === 'existing') return Response.json(body.body)
      if (body.outcome === 'silent') {
        unanswered++
        return new Promise(() => {})
      }
      if (body.outcome === 'lost') throw new TypeError('Failed to fetch')
      if (body.outcome !== 'refused') continue
      const { status } = body.problem
      const problem = { type: 'about:blank', title: '', detail: '', request_id: '', ...body.problem }
      return Response.json(problem, { status, headers: { 'content-type': 'application/problem+json' } })
    }
    unknownRequests.push(`${method} ${url.pathname}`)
    return Response.json({ code: 'not_found', status: 404 }, { status: 404 })
  }

  globalThis.fetch = Object.assign(
    (input: RequestInfo | URL, init?: RequestInit) => {
      waiting++
      const answered = answer(input, init)
      // After 50 ms, count the request as unanswered.
      void Promise.race([answered, new Promise((late) => setTimeout(late, 50))])
        .catch(() => {})
        .finally(() => waiting--)
      return answered
    },
    { preconnect() {} },
  )

  class FakeSocket {
    readyState = 0
    onmessage: ((event: { data: string }) => void) | null = null
    onclose: ((event: { code: number; reason: string }) => void) | null = null
    onerror: (() => void) | null = null
    constructor() {
      sockets.push(this)
      if (state.network === 'connecting') return
      setTimeout(() => {
        if (state.network === 'off') return this.onclose?.({ code: 1006, reason: '' })
        if (state.network === 'stopped') return this.onclose?.({ code: 4409, reason: 'too_many_sockets' })
        this.readyState = 1
        const at = new Date().toISOString()
        const hello = { connection_id: 'made-up', heartbeat_s: 3600, resume: 'fresh', seq: 1 }
        this.tell({ type: 'hello', at, data: hello })
        for (const frame of state.frames ?? []) this.tell(frame)
      })
    }
    tell(frame: object) {
      this.onmessage?.({ data: JSON.stringify(frame) })
    }
    send() {}
    close() {
      this.readyState = 3
    }
  }
  globalThis.WebSocket = FakeSocket as unknown as typeof WebSocket
  if (state.network === 'off') Object.defineProperty(navigator, 'onLine', { get: () => false })
}

const sockets: { tell(frame: object): void }[] = []
/** Sends a frame through the newest socket. */
export const tell = (frame: object) => sockets.at(-1)?.tell(frame)
