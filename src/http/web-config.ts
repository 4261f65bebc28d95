import { type AnyElysia, Elysia } from 'elysia'
import type { Config } from '../config.ts'
import type { Brand, BrandFile } from '../lib/brand.ts'
import { Refusal } from '../lib/refusal.ts'
import { version } from '../version.ts'
import { webFile, type WebFile } from './web-files.ts'

export type WebConfigDeps = Pick<Config, 'mapStyleUrl' | 'brand' | 'messengerApp' | 'messengerBotToken'>

const revalidate = { 'cache-control': 'no-cache' }
// A picture of the operator's may be an SVG, which could run scripts if somebody opened it as a page.
const picture = { ...revalidate, 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }
const icons = { 192: 'icon-192.png', 512: 'icon-512.png', maskable: 'icon-maskable.png', svg: 'icon.svg' }
// The same as in `web/shared/base.css`.
const pageColors = { light: '#f5f5f4', dark: '#111010' }

/**
 * What differs from one community to another, so that the pages can be the same files everywhere: `/app.json`, `/brand.css`,
 * the manifest, and the icons.
 */
export function webConfig(
  config: WebConfigDeps,
  files: readonly WebFile[],
  maintenance: () => string | null,
): AnyElysia {
  // Read for each request, as a reload may change it.
  const logo = () => config.brand?.logo ?? null
  const found = (file: BrandFile | null): BrandFile => {
    if (file === null) throw new Refusal('not_found', 'There is nothing here.')
    return file
  }
  const routes: AnyElysia = new Elysia({ name: 'web-config', detail: { hide: true } })
    .get('/app.json', () => json({ ...appOf(config), maintenance: maintenance() }, 'application/json'))
    .get('/manifest.webmanifest', () => json(manifestOf(config.brand), 'application/manifest+json'))
    .get('/brand.css', ({ request }) => inMemory(styles(config.brand), 'text/css; charset=utf-8', request))
    .get('/brand/logo', ({ request }) => send(found(logo()), request))
  for (const name of Object.values(icons)) {
    const built = files.find((file) => file.name === name)
    routes.get(`/brand/${name}`, ({ request }) => {
      const own = name.endsWith('.png') ? (config.brand?.icon ?? null) : logo()
      return own === null && built ? webFile(built, request, picture) : send(found(own), request)
    })
  }
  return routes
}

const appOf = ({ brand, mapStyleUrl, messengerApp, messengerBotToken }: WebConfigDeps) => ({
  name: brand?.name ?? 'Convene',
  version,
  logo: brand?.logo ? `/brand/logo?${brand.logo.hash}` : null,
  colors: { light: brand?.light?.accent ?? null, dark: brand?.dark?.accent ?? null },
  texts: brand?.texts ?? {},
  messenger: messengerBotToken === null ? null : { app: messengerApp },
  map_style_url: mapStyleUrl?.href ?? null,
})

const manifestOf = (brand: Brand | null) => ({
  id: '/',
  name: brand?.name ?? 'Convene',
  short_name: (brand?.name ?? 'Convene').slice(0, 12).trim(),
  // Most people who have installed the app are signed in; the page welcomes everybody else.
  start_url: '/nearby',
  scope: '/',
  display: 'standalone',
  background_color: pageColors.light,
  theme_color: brand?.light?.accent ?? '#0f766e',
  icons: [
    { src: `/brand/${icons[192]}`, sizes: '192x192', type: 'image/png' },
    { src: `/brand/${icons[512]}`, sizes: '512x512', type: 'image/png' },
    { src: `/brand/${icons.maskable}`, sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
  shortcuts: [{ name: 'Chats', url: '/chats' }],
})

/** The operator's colours in place of those in `web/shared/base.css`, and the operator's own styles after them. */
function styles(brand: Brand | null): string {
  if (brand === null) return ''
  const { light, dark, stylesheet } = brand
  const rule = ({ accent, onAccent, soft }: NonNullable<Brand['light']>) =>
    `--accent: ${accent}; --on-accent: ${onAccent}; --accent-soft: ${soft}`
  const darkRule = dark && rule(dark)
  return [
    light && `:root { ${rule(light)} }`,
    darkRule && `@media (prefers-color-scheme: dark) { :root:not([data-scheme='light']) { ${darkRule} } }`,
    // In Telegram, the messenger chooses the scheme.
    darkRule && `:root[data-scheme='dark'] { ${darkRule} }`,
    stylesheet,
  ]
    .filter(Boolean)
    .join('\n')
}

const json = (body: unknown, type: string) =>
  new Response(JSON.stringify(body), { headers: { ...revalidate, 'content-type': type } })

function inMemory(text: string, type: string, request: Request): Response {
  const bytes = new TextEncoder().encode(text)
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 22)
  return send({ type, bytes, hash }, request)
}

function send({ type, bytes, hash }: BrandFile, request: Request): Response {
  const headers = { ...picture, etag: `"${hash}"`, 'content-type': type }
  if (request.headers.get('if-none-match') === headers.etag) return new Response(null, { status: 304, headers })
  return new Response(bytes, { headers })
}
