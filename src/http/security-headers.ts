import { Elysia } from 'elysia'

/**
 * Security headers for every answer. Nearly all answers are private, so none is cached unless its route sets another
 * `cache-control`.
 */
export const securityHeaders = new Elysia({ name: 'security-headers' }).headers({
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
})
