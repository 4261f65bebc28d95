const maxAgeS = 600

/**
 * The cookie that a browser keeps while it is at a provider. It is sent to that provider's callback only. A provider that
 * posts its answer does so from its own site, to which only `SameSite=None` cookies are sent along.
 */
export const oidcCookie = {
  set: (provider: string, sealed: string, isPosted: boolean): string =>
    `app_oidc=${sealed}; ${attributes(provider, isPosted)}; Max-Age=${maxAgeS}`,
  clear: (provider: string, isPosted: boolean): string => `app_oidc=; ${attributes(provider, isPosted)}; Max-Age=0`,
}

const attributes = (provider: string, isPosted: boolean) =>
  `HttpOnly; Secure; SameSite=${isPosted ? 'None' : 'Lax'}; Path=/api/v1/auth/oidc/${provider}`

/** Its value in a Cookie header; null if there is none. */
export const oidcCookieIn = (header: string | null): string | null =>
  /(?:^|;)\s*app_oidc=([\w-]{1,4000})/.exec(header ?? '')?.[1] ?? null
