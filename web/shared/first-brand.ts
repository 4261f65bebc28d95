import { readLocal, writeLocal } from './local-storage.ts'

/** The operator's choices, from `GET /app.json`. */
export type Brand = {
  name: string
  logo: string | null
  colors: { light: string | null; dark: string | null }
  /** Texts that replace the app's own, by language and key. */
  texts: Record<string, Record<string, string>>
  messenger: { app: string | null } | null
  map_style_url: string | null
  version: string
  /** The operator's text while people can only read; null outside of maintenance. */
  maintenance: string | null
}

export const unbranded: Brand = {
  name: 'Convene',
  logo: null,
  colors: { light: null, dark: null },
  texts: {},
  messenger: null,
  map_style_url: null,
  version: '',
  maintenance: null,
}

const key = 'convene:brand'

/** The brand of the last visit; null at the first one. */
export function storedBrand(): Brand | null {
  try {
    const text = readLocal(key)
    return text === null ? null : { ...unbranded, ...JSON.parse(text) }
  } catch {
    return null
  }
}

/** Reads the current brand and stores it for the next visit; null if it cannot be read. */
export async function fetchBrand(): Promise<Brand | null> {
  try {
    const response = await fetch('/app.json')
    if (!response.ok) return null
    const found = { ...unbranded, ...((await response.json()) as Partial<Brand>) }
    writeLocal(key, JSON.stringify({ ...found, maintenance: null }))
    return found
  } catch {
    return null
  }
}
