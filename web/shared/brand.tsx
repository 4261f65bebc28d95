import { createContext, type ReactNode, use, useEffect, useState } from 'react'

/** What the operator chose, as `GET /app.json` tells. */
export type Brand = {
  name: string
  logo: string | null
  colors: { light: string | null; dark: string | null }
  /** Texts that replace the app's own, by language and key. */
  texts: Record<string, Record<string, string>>
  messenger: { app: string | null } | null
  map_style_url: string | null
  version: string
  /** What the operator tells people while they can only read; null if everything goes on. */
  maintenance: string | null
}

const unbranded: Brand = {
  name: 'Convene',
  logo: null,
  colors: { light: null, dark: null },
  texts: {},
  messenger: null,
  map_style_url: null,
  version: '',
  maintenance: null,
}

const BrandContext = createContext(unbranded)

export const useBrand = (): Brand => use(BrandContext)

const kept = 'convene:brand'

function known(): Brand {
  try {
    return { ...unbranded, ...JSON.parse(localStorage.getItem(kept) ?? '{}') }
  } catch {
    return unbranded
  }
}

/** Shows the app with the brand of the last visit at once, and with the current one when it has arrived. */
export function BrandProvider({ children }: { children: ReactNode }) {
  const [brand, setBrand] = useState(known)
  useEffect(() => {
    fetch('/app.json')
      .then((response) => (response.ok ? response.json() : null))
      .then((found: Partial<Brand> | null) => {
        if (!found) return
        localStorage.setItem(kept, JSON.stringify({ ...found, maintenance: null }))
        setBrand({ ...unbranded, ...found })
      })
      .catch(() => {})
  }, [])
  return <BrandContext value={brand}>{children}</BrandContext>
}
