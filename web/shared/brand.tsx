import { createContext, type ReactNode, use, useEffect, useState } from 'react'
import { type Brand, fetchBrand, keptBrand, unbranded } from './first-brand.ts'

export type { Brand }

const BrandContext = createContext(unbranded)

export const useBrand = (): Brand => use(BrandContext)

/**
 * Shows the page with the brand of the last visit at once, and with the current one when it has arrived. `current` is that of
 * a page that has waited for it, as at a first visit.
 */
export function BrandProvider({ current = null, children }: { current?: Brand | null; children: ReactNode }) {
  const [brand, setBrand] = useState(() => current ?? keptBrand() ?? unbranded)
  useEffect(() => {
    if (current !== null) return
    void fetchBrand().then((found) => {
      // Everything is drawn anew where the brand has changed, which it rarely has.
      if (found) setBrand((before) => (JSON.stringify(before) === JSON.stringify(found) ? before : found))
    })
  }, [current])
  return <BrandContext value={brand}>{children}</BrandContext>
}
