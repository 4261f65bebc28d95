import { acceptedEncodings } from './web-files.ts'

/**
 * Answers with a JSON document, in gzip if the client accepts that. The document is built on the first request, because it would
 * slow down the start.
 */
export function jsonDocument(make: () => Promise<object>) {
  const build = async () => {
    const text = JSON.stringify(await make())
    return { text, gzip: Bun.gzipSync(text) }
  }
  let document: ReturnType<typeof build> | undefined
  return async ({ request }: { request: Request }) => {
    const { text, gzip } = await (document ??= build())
    const headers = { 'content-type': 'application/json', vary: 'accept-encoding' }
    return acceptedEncodings(request.headers).has('gzip')
      ? new Response(gzip, { headers: { ...headers, 'content-encoding': 'gzip' } })
      : new Response(text, { headers })
  }
}
