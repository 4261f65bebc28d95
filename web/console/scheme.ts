import { keep, kept } from '../shared/kept.ts'

export const schemes = ['auto', 'light', 'dark'] as const
export type Scheme = (typeof schemes)[number]

const key = 'convene:scheme'

/** The colour scheme chosen on this device; `auto` follows the system. */
export function schemeChosen(): Scheme {
  const chosen = kept(key)
  return schemes.find((scheme) => scheme === chosen) ?? 'auto'
}

export function applyScheme(scheme: Scheme = schemeChosen()) {
  keep(key, scheme)
  if (scheme === 'auto') delete document.documentElement.dataset.scheme
  else document.documentElement.dataset.scheme = scheme
}
