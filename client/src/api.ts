import createFetch, { type Client } from 'openapi-fetch'
import type { paths } from './openapi.ts'

/** Every route by its method and path, with the types of the server's OpenAPI document. */
export type Api = Client<paths>

/** Calls routes with `fetch`, which gets a whole request. The answer is `{ data, response }` or `{ error, response }`. */
export const openApi = (url: string, fetch: (request: Request) => Promise<Response>): Api =>
  createFetch<paths>({ baseUrl: url, fetch, credentials: 'omit' })
