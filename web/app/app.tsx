import '../shared/base.css'
import { fetchBrand, keptBrand } from '../shared/first-brand.ts'
import { texts } from './first-texts.ts'
import './install-offer.ts'
import { fetchFirst } from './screens.ts'

// This file is small so that it runs first: what the first picture is made of is then fetched side by side, while the large
// part of the app is still on its way.
const root = document.getElementById('root')
try {
  const [{ show }, firstTexts, currentBrand, screen] = await Promise.all([
    import('./start.tsx'),
    texts.first(),
    keptBrand() === null ? fetchBrand() : null,
    fetchFirst(),
  ])
  if (root) await show(root, firstTexts, currentBrand, screen?.prepare)
} catch (error) {
  // The page itself says so where a part of the app cannot be fetched, as after a new version.
  if (root) root.dataset.failed = ''
  throw error
}
