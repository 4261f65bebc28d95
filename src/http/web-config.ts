import { type AnyElysia, Elysia } from 'elysia'
import type { Config } from '../config.ts'

/** What the app asks for when it starts, so that its page can be the same file everywhere. */
export const webConfig = (config: Pick<Config, 'mapStyleUrl'>): AnyElysia =>
  new Elysia({ name: 'web-config', detail: { hide: true } }).get('/app.json', ({ set }) => {
    set.headers['cache-control'] = 'no-cache'
    return { map_style_url: config.mapStyleUrl?.href ?? null }
  })
