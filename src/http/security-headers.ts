import { Elysia } from 'elysia'

/**
 * What tells browsers to do nothing clever with our answers. They go out with each of them, unless a route sets another
 * `cache-control`: nearly all of them are one person's, so none is kept unless it says so itself.
 */
export const securityHeaders = new Elysia({ name: 'security-headers' }).headers({
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
})
