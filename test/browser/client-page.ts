import { basename, join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { createClient } from '../../client/src/index.ts'
import type { indexedDb } from '../../client/src/indexeddb.ts'

export const executablePath =
  Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome') ?? undefined

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] })

declare global {
  // Of the page, in functions that run there.
  var window: {
    kit: {
      createClient: typeof createClient
      indexedDb: typeof indexedDb
      render(client: ReturnType<typeof createClient>, chatId: string): Record<string, number>
    }
    drawn: Record<string, number>
    url: string
    client: ReturnType<typeof createClient>
    told: { seqs: number[]; texts: string[]; gaps: number }
  }
}

/** Serves a page that has the client as `kit`. */
export async function servePage() {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, 'client-kit.ts')],
    target: 'browser',
    splitting: true,
    minify: true,
    naming: { chunk: '[name]-[hash].[ext]' },
  })
  const scripts = new Map(built.outputs.map((output) => [basename(output.path), output]))
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch({ url }) {
      const script = scripts.get(basename(url))
      if (script) return new Response(await script.text(), { headers: { 'content-type': 'text/javascript' } })
      return new Response(
        '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="/client-kit.js"></script>',
        { headers: { 'content-type': 'text/html' } },
      )
    },
  })
  return { origin: server.url.origin, stop: () => server.stop(true) }
}

export type Setup = { url: string; storage?: 'indexeddb'; connect?: boolean; cookies?: boolean }

/** Opens a tab with a client that writes down which events it was told of. */
export async function openTab(context: BrowserContext, origin: string, setup: Setup): Promise<Page> {
  const page = await context.newPage()
  await startIn(page, origin, setup)
  return page
}

export async function startIn(page: Page, origin: string, setup: Setup) {
  await page.goto(origin)
  await page.evaluate(async ({ url, storage, connect, cookies }) => {
    const client = window.kit.createClient({
      url,
      cookies,
      retry: { minMs: 20, maxMs: 200 },
      ...(storage && { storage: window.kit.indexedDb() }),
    })
    const told = { seqs: [] as number[], texts: [] as string[], gaps: 0 }
    client.on('gap', () => void told.gaps++)
    client.on('*', (_data, frame) => {
      if (frame?.seq === undefined) return
      told.seqs.push(frame.seq)
      if (frame.type === 'message' && 'text' in frame.data) told.texts.push(frame.data.text!)
    })
    Object.assign(window, { client, told, url })
    await client.ready
    if (connect) client.connect()
  }, setup)
}

export const online = (page: Page) =>
  page.waitForFunction(() => window.client.connection.get().state === 'online', null, { polling: 20 })
