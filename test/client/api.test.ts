import { expect, test } from 'bun:test'
import { testApp } from '../app.ts'
import { clientOf, newClient } from './people.ts'

test('a request takes the options of fetch, headers of any form, and the form in which it gives the answer', async () => {
  const app = await testApp()
  const base = await app.listen()
  const seen: RequestInit[] = []
  const client = await clientOf(base, await app.person('Ada'), {
    fetch(url, init = {}) {
      seen.push(init)
      return fetch(url, init)
    },
  })
  const me = await client.api.GET('/api/v1/me', {
    parseAs: 'text',
    cache: 'no-store',
    headers: new Headers({ 'Accept-Language': 'de' }),
  })
  expect(JSON.parse(me.data!)).toMatchObject({ name: 'Ada' })
  expect(seen.at(-1)).toMatchObject({ cache: 'no-store', credentials: 'omit', headers: { 'accept-language': 'de' } })
  const blob = await client.api.GET('/api/v1/auth/providers', { parseAs: 'blob' })
  expect(blob.data).toBeInstanceOf(Blob)
  const stream = await client.api.GET('/api/v1/auth/providers', { parseAs: 'stream' })
  expect(await new Response(stream.data).json()).toEqual(JSON.parse(await blob.data!.text()))
})

test('a server on Node does not touch localStorage, which warns there', async () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
  let reads = 0
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, get: () => void reads++ })
  try {
    newClient('http://127.0.0.1:1')
  } finally {
    if (own) Object.defineProperty(globalThis, 'localStorage', own)
    else delete (globalThis as { localStorage?: unknown }).localStorage
  }
  expect(reads).toBe(0)
})
