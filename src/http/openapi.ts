import { type AnyElysia, Elysia } from 'elysia'
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import swagger from 'swagger-ui-dist/package.json'
import { jsonDocument } from './json-document.ts'

// In the path, so that browsers may cache them until the package changes.
const assets = `/openapi/${swagger.version}`

// Without cookies, as the token of a session's cookie would win over the one in the box.
const start = `SwaggerUIBundle({
  url: '/openapi/json',
  dom_id: '#page',
  deepLinking: true,
  validatorUrl: null,
  docExpansion: 'list',
  tryItOutEnabled: true,
  filter: true,
  persistAuthorization: true,
  requestInterceptor: (request) => ({ ...request, credentials: 'omit' }),
})`

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Convene API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets}/page.css">
<div id="page"></div>
<script src="${assets}/page.js"></script>
<script>${start}</script>
`

// The page runs only our own scripts, and connects only to this server.
const policy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${new Bun.CryptoHasher('sha256').update(start).digest('base64')}'`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `GET /openapi`, a page to read and try the API; `GET /openapi/json`, the document that it shows. */
export function openapi(app: () => AnyElysia) {
  const asset = (path: string, type: string) => () =>
    new Response(Bun.file(path), {
      headers: { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' },
    })
  return new Elysia({ name: 'openapi', detail: { hide: true } })
    .get(
      '/openapi',
      () =>
        new Response(page, {
          headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
        }),
    )
    .get(`${assets}/page.js`, asset(script, 'text/javascript; charset=utf-8'))
    .get(`${assets}/page.css`, asset(style, 'text/css; charset=utf-8'))
    .get(
      '/openapi/json',
      jsonDocument(async () => (await import('./openapi-document.ts')).openapiDocument(app())),
    )
}
