import { readLocal, writeLocal } from '../shared/local-storage.ts'

export const schemes = ['auto', 'light', 'dark'] as const
export type Scheme = (typeof schemes)[number]

const key = 'convene:scheme'

/** The colour scheme chosen on this device; `auto` follows the system. */
export function schemeChosen(): Scheme {
  const chosen = readLocal(key)
  return schemes.find((scheme) => scheme === chosen) ?? 'auto'
}

export function applyScheme(scheme: Scheme = schemeChosen()) {
  writeLocal(key, scheme)
  if (scheme === 'auto') delete document.documentElement.dataset.scheme
  else document.documentElement.dataset.scheme = scheme
}
