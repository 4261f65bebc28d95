import { codeOf } from '../lib/errors.ts'

/** The output of `scripts/build-web.ts`. Every value of `encodings` is a path that can be read, in the binary too. */
export type Encoding = 'br' | 'zstd' | 'gzip' | 'identity'
export type WebFile = { name: string; type: string; hash: string; encodings: Partial<Record<Encoding, string>> }
export type WebFiles = {
  assets: readonly WebFile[]
  pages: Record<string, WebFile>
  workers: Record<string, WebFile>
}

// The smallest first. None is larger than the file itself.
const preferred = ['br', 'zstd', 'gzip'] as const

/** Browsers name HTML. Programs name JSON, or take anything. */
export const wantsHtml = (accept: string | null) =>
  /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accept ?? '')

/** The encodings that a client accepts (RFC 9110, section 12.5.3), without those of weight 0. */
export function acceptedEncodings(headers: Headers): Set<string> {
  const names = new Set<string>()
  for (const part of (headers.get('accept-encoding') ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) names.add(name)
  }
  return names
}

/** A file in the best encoding that the client accepts. With the status 200, it is 304 if the client has the file already. */
export function webFile(file: WebFile, request: Request, headers: Record<string, string>, status = 200): Response {
  const accepts = acceptedEncodings(request.headers)
  const encoding = preferred.find((name) => accepts.has(name) && file.encodings[name] !== undefined) ?? 'identity'
  // Each encoding has its own tag, as its bytes differ.
  const etag = `"${file.hash}-${encoding}"`
  const common = { ...headers, etag, vary: 'accept-encoding' }
  const known = status === 200 ? request.headers.get('if-none-match') : null
  if (known !== null && (known === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)))
    return new Response(null, { status: 304, headers: common })
  const path = file.encodings[encoding]
  if (path === undefined) throw new Error(`the web file ${file.name} is missing`)
  const encoded: Record<string, string> = encoding === 'identity' ? {} : { 'content-encoding': encoding }
  return new Response(Bun.file(path), { status, headers: { ...common, ...encoded, 'content-type': file.type } })
}

/** The built pages; null if `bun run build:web` has not been run. */
export async function openWebFiles(): Promise<WebFiles | null> {
  try {
    return await import('../../web/dist/files.js')
  } catch (error) {
    if (codeOf(error) === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  }
}
