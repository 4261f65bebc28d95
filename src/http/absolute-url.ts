import { Elysia } from 'elysia'

/**
 * Gives every request an absolute URL. With an invalid `Host`, such as `a/b`, Bun's `request.url` is only the path, and Elysia,
 * which searches for the path after the host, would find a later part of it.
 */
export const absoluteUrl = new Elysia({ name: 'absolute-url' }).wrap((handle) => (request: Request) => {
  if (request.url.startsWith('/')) Object.defineProperty(request, 'url', { value: `http://host.invalid${request.url}` })
  return handle(request)
})
