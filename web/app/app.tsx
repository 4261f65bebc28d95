import '../shared/base.css'
import { fetchBrand, storedBrand } from '../shared/first-brand.ts'
import { texts } from './first-texts.ts'
import './install-offer.ts'
import { fetchFirst } from './screens.ts'

// This file is small so that it runs first: it then fetches in parallel what the first screen needs, while the large part of
// the app is still loading.
const root = document.getElementById('root')
try {
  const [{ show }, firstTexts, currentBrand, screen] = await Promise.all([
    import('./start.tsx'),
    texts.first(),
    storedBrand() === null ? fetchBrand() : null,
    fetchFirst(),
  ])
  if (root) await show(root, firstTexts, currentBrand, screen?.prepare)
} catch (error) {
  // The page shows its own message if a part of the app cannot be fetched, as after an update.
  if (root) root.dataset.failed = ''
  throw error
}
