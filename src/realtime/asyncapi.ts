import { Elysia } from 'elysia'

/** `GET /asyncapi.json`: the WebSocket for machines, as AsyncAPI 3. */
export function asyncapiRoute() {
  // Built on the first request, because it would slow down the start.
  let document: Promise<string> | undefined
  const made = async () => {
    const { asyncapiDocument } = await import('./asyncapi-document.ts')
    return JSON.stringify(asyncapiDocument())
  }
  return new Elysia({ name: 'asyncapi', detail: { hide: true } }).get(
    '/asyncapi.json',
    async () => new Response(await (document ??= made()), { headers: { 'content-type': 'application/json' } }),
  )
}
