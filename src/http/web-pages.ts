import { type AnyElysia, Elysia } from 'elysia'
import type { Config } from '../config.ts'
import { Refusal } from '../lib/refusal.ts'
import { linkPaths } from '../outbox/mail/mails.ts'
import { frontPage } from './front-page.ts'
import { linkPages } from './link-pages.ts'
import { webConfig, type WebConfigDeps } from './web-config.ts'
import { wantsHtml, webFile, type WebFile, type WebFiles } from './web-files.ts'

/** The paths that serve the app's page, which decides by the path what to show. */
const appPaths = [
  '/chats',
  '/chats/:id',
  '/forgot-password',
  '/me',
  '/me/:part',
  '/nearby',
  '/people/:id',
  '/settings',
  '/settings/:part',
  '/sign-in',
  '/sign-up',
  '/signed-in',
  '/welcome',
  // The pages that links in mails open.
  ...Object.values(linkPaths),
]

// A file whose name changes with its content.
const forever = { 'cache-control': 'public, max-age=31536000, immutable' }
// The page names those files, so browsers revalidate it each time, usually with 304.
const revalidate = { 'cache-control': 'no-cache' }

type Sources = Pick<WebPagesConfig, 'frameAncestors' | 'mapStyleUrl' | 'media'>

/**
 * Scripts and styles come from this server alone; maps also from the host that the operator named. Photos in a bucket are
 * redirects to its host, which browsers check too.
 */
function contentSecurityPolicy({ frameAncestors, mapStyleUrl, media }: Sources): string {
  const ancestors = frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')
  const map = mapStyleUrl === null ? '' : ` ${mapStyleUrl.origin}`
  const bucket = media === null ? '' : ` ${new URL(media.publicEndpoint).origin}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' blob: data:${bucket}${map}`,
    `connect-src 'self'${map}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
    "require-trusted-types-for 'script'",
  ].join('; ')
}

type WebPagesConfig = Pick<Config, 'webApp' | 'console' | 'frameAncestors' | 'media'> & WebConfigDeps

/**
 * The app at `/` and the console at `/console`, with their files at `/assets`. Without built pages, and for what is switched
 * off, there are no routes. The pages that links in mails open are part of the app; without it, plain ones replace them.
 */
export function webPages(
  config: WebPagesConfig,
  files: WebFiles | null,
  maintenance: () => string | null = () => null,
) {
  const routes: AnyElysia = new Elysia({ name: 'web-pages', detail: { hide: true } })
  if (files === null) return routes.use(frontPage(null)).use(linkPages)
  const assets = new Map(files.assets.map((file) => [file.name, file]))
  const pageHandler = (file: WebFile, headers: Record<string, string>) => (request: Request) =>
    webFile(file, request, { ...revalidate, ...headers })
  routes.get('/assets/:file', ({ params, request }) => {
    const file = assets.get(params.file)
    if (file === undefined) throw new Refusal('not_found', 'There is nothing here.')
    return webFile(file, request, forever)
  })
  const { console } = files.pages
  const worker = files.workers.app
  const app = appPage(config, files)
  const showApp = app && pageHandler(app, { 'content-security-policy': contentSecurityPolicy(config) })
  const showConsole = config.console && console !== undefined ? pageHandler(console, consoleHeaders(config)) : null
  routes.use(frontPage(showApp))
  if (showApp || showConsole) routes.use(webConfig(config, files.assets, maintenance))
  if (!showApp) routes.use(linkPages)
  if (showApp) for (const path of appPaths) routes.get(path, ({ request }) => showApp(request))
  if (showApp && worker) routes.get('/service-worker.js', ({ request }) => webFile(worker, request, revalidate))
  if (showConsole)
    for (const path of ['/console', '/console/*']) routes.get(path, ({ request }) => showConsole(request))
  return routes
}

const appPage = ({ webApp }: Pick<Config, 'webApp'>, files: WebFiles) => (webApp ? (files.pages.app ?? null) : null)

/** The app's page with the status 404, if a browser opens an address that does not exist; null for every other request. */
export function notFoundPage(config: Sources & Pick<Config, 'webApp'>, files: WebFiles | null) {
  const app = files && appPage(config, files)
  const headers = { 'content-security-policy': contentSecurityPolicy(config), 'cache-control': 'no-store' }
  return ({ request, path }: { request: Request; path: string }): Response | null => {
    const isOpened = request.method === 'GET' && wantsHtml(request.headers.get('accept'))
    return app && isOpened && !forPrograms.test(path) ? webFile(app, request, headers, 404) : null
  }
}

// Of these paths, whoever opens one by hand wants to know what a program would get.
const forPrograms = /^\/(api|assets|\.well-known)\//

// The console must not be framed, not even where FRAME_ANCESTORS lets pages frame the app, nor listed by search engines.
const consoleHeaders = ({ media }: Pick<WebPagesConfig, 'media'>) => ({
  'content-security-policy': contentSecurityPolicy({ frameAncestors: [], mapStyleUrl: null, media }),
  'x-robots-tag': 'noindex, nofollow',
})
