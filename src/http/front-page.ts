import { Elysia } from 'elysia'
import { version } from '../version.ts'
import { wantsHtml } from './web-files.ts'

const about = {
  name: 'Convene',
  version,
  description: 'The backend of a social meeting app: people, places, chat and safety.',
  documentation: '/openapi',
  openapi: '/openapi/json',
  asyncapi: '/asyncapi.json',
  health: '/health',
}

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Convene</title>
<link rel="icon" href="data:,">
<h1>Convene ${version}</h1>
<p>${about.description}</p>
<p>You have reached its API. <a href="${about.documentation}">Read it and try it out</a>, or fetch
<a href="${about.openapi}">the OpenAPI document</a>.</p>
`

const policy = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * `GET /`: the app for browsers, or if it is off, a page that describes this server; for programs, that description as JSON.
 */
export const frontPage = (app: ((request: Request) => Response) | null) =>
  new Elysia({ name: 'front-page', detail: { hide: true } }).get('/', ({ request }) => {
    if (!wantsHtml(request.headers.get('accept'))) return Response.json(about)
    if (app !== null) return app(request)
    return new Response(page, {
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
    })
  })
