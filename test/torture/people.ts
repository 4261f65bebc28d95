import { botToken } from './server.ts'

export type Answer = { status: number; headers: Headers; body: any }

/** Somebody who is signed in. */
export type Person = { id: string; number: number; name: string; token: string; refresh: string }

/**
 * What came of a request; a refusal is an answer like others, but that of a busy server, after which it is asked again:
 * nothing was done. Throws where no answer came.
 */
export async function call(...request: Parameters<typeof once>): Promise<Answer> {
  for (;;) {
    const answer = await once(...request)
    if (answer.status !== 503 || answer.body?.code !== 'busy') return answer
    await Bun.sleep(50)
  }
}

/** One request, and what was answered. */
export async function once(
  base: URL,
  method: string,
  path: string,
  {
    token,
    body,
    headers = {},
    keepalive = true,
  }: { token?: string; body?: unknown; headers?: Record<string, string>; keepalive?: boolean } = {},
): Promise<Answer> {
  const response = await fetch(new URL(path.startsWith('/') ? path : `/api/v1/${path}`, base), {
    method,
    keepalive,
    redirect: 'manual',
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : null }
}

/** The body of an answer that has to be a success. */
export async function done(answer: Promise<Answer>): Promise<any> {
  const { status, body } = await answer
  if (status >= 300) throw new Error(`expected a success, got ${status} ${JSON.stringify(body)}`)
  return body
}

/** Signs in the person of that number, whose account is made at the first time. `at` is the time by the server's clock. */
export async function person(base: URL, number: number, at = Date.now()): Promise<Person> {
  const name = `Person ${number}`
  const body = await done(call(base, 'POST', 'auth/messenger', { body: { init_data: initData(number, name, at) } }))
  return { id: body.user.id, number, name, token: body.access_token, refresh: body.refresh_token }
}

export const people = (base: URL, count: number): Promise<Person[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => person(base, i + 1)))

/** The chat of two people. */
export const chatOf = async (base: URL, a: Person, b: Person): Promise<string> =>
  (await done(call(base, 'POST', 'chats', { token: a.token, body: { user_id: b.id } }))).id

/** All items of a list, page by page. */
export async function allOf(base: URL, path: string, token: string): Promise<any[]> {
  const items: any[] = []
  for (let cursor = ''; ;) {
    const query = `${path.includes('?') ? '&' : '?'}limit=100${cursor && `&cursor=${cursor}`}`
    const page = await done(call(base, 'GET', path + query, { token }))
    items.push(...page.items)
    if (page.next_cursor === null) return items
    cursor = page.next_cursor
  }
}

export const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Uploads an image of one pixel. */
export async function upload(base: URL, token: string): Promise<{ id: string; url: string }> {
  const body = new FormData()
  body.append('file', new Blob([Buffer.from(dot, 'base64')]), 'dot.png')
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(new URL('/api/v1/media', base), { method: 'POST', body, headers })
  const answer: any = await response.json()
  if (response.status !== 201) throw new Error(`expected 201, got ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

/** Init data as a messenger signs it: https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app */
export function initData(id: number, first_name: string, at = Date.now()): string {
  const fields = { auth_date: String(Math.floor(at / 1000)), user: JSON.stringify({ id, first_name }) }
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`)
  const hmac = (key: string | Uint8Array, data: string) => new Bun.CryptoHasher('sha256', key).update(data)
  const hash = hmac(hmac('WebAppData', botToken).digest(), lines.join('\n')).digest('hex')
  return new URLSearchParams({ ...fields, hash }).toString()
}
