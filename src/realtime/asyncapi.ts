import { Elysia } from 'elysia'
import { jsonDocument } from '../http/json-document.ts'

/** `GET /asyncapi.json`: the WebSocket for machines, as AsyncAPI 3. */
export const asyncapiRoute = () =>
  new Elysia({ name: 'asyncapi', detail: { hide: true } }).get(
    '/asyncapi.json',
    jsonDocument(async () => (await import('./asyncapi-document.ts')).asyncapiDocument()),
  )
