import { createContext, type ReactNode, use, useEffect, useState } from 'react'
import { type Brand, fetchBrand, storedBrand, unbranded } from './first-brand.ts'

export type { Brand }

const BrandContext = createContext(unbranded)

export const useBrand = (): Brand => use(BrandContext)

/**
 * Shows the page at once with the brand of the last visit, then with the current brand when it has arrived. On a first visit,
 * the page has waited for it and passes it as `current`.
 */
export function BrandProvider({ current = null, children }: { current?: Brand | null; children: ReactNode }) {
  const [brand, setBrand] = useState(() => current ?? storedBrand() ?? unbranded)
  useEffect(() => {
    if (current !== null) return
    void fetchBrand().then((found) => {
      // A new object renders the whole page again, so keep the old one if nothing has changed.
      if (found) setBrand((before) => (JSON.stringify(before) === JSON.stringify(found) ? before : found))
    })
  }, [current])
  return <BrandContext value={brand}>{children}</BrandContext>
}
