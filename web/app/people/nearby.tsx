import type { Convene } from 'convene-client'
import { Compass, List, RefreshCw, SlidersHorizontal, UserRoundSearch, WifiOff } from 'lucide-react'
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { distanceOf } from '../../shared/dates.ts'
import { Button, IconButton } from '../../shared/ui/button.tsx'
import { SkeletonRows, State } from '../../shared/ui/state.tsx'
import { useLanguage } from '../language.tsx'
import styles from './nearby.module.css'
import { countChosen, nearbyOf, noFilters, radii, useNearbyState, useNearbyStore } from './nearby-store.ts'
import { NoPosition } from './no-position.tsx'
import { PersonRow } from './person-row.tsx'
import { problemText } from './problems.ts'
import { Screen } from './screen.tsx'
import { ShownCard } from './shown-card.tsx'

const Around = lazy(() => import('./around.tsx'))
const FilterSheet = lazy(() => import('./filter-sheet.tsx'))

/** Starts to load the list before the screen is rendered. */
export const prepare = (client: Convene) => void nearbyOf(client).begin()

/** The people nearby, as a list or around the user. */
export default function Nearby() {
  const { t } = useLanguage()
  const store = useNearbyStore()
  const { place, view, filters, loading, loaded } = useNearbyState()
  const [isFiltering, setFiltering] = useState(false)
  const body = useRef<HTMLDivElement>(null)
  const isPlaced = typeof place !== 'string'
  const chosen = countChosen(filters)

  useEffect(() => {
    void store.begin()
  }, [store])
  // Restore the scroll position.
  useLayoutEffect(() => {
    if (body.current) body.current.scrollTop = view === 'list' ? store.get().scrollTop : 0
  }, [store, view])

  return (
    <Screen
      ref={body}
      title={t('places.nearby')}
      onScroll={({ scrollTop }) => view === 'list' && store.keepScroll(scrollTop)}
      actions={
        isPlaced && (
          <>
            <IconButton
              label={t(view === 'list' ? 'people.around' : 'people.list')}
              onClick={() => store.see(view === 'list' ? 'around' : 'list')}
            >
              {view === 'list' ? <Compass size={22} aria-hidden /> : <List size={22} aria-hidden />}
            </IconButton>
            <IconButton label={t('people.reload')} onClick={() => void store.load()} aria-busy={loading || undefined}>
              <RefreshCw size={20} aria-hidden className={loading && loaded ? styles.turning : undefined} />
            </IconButton>
            <IconButton
              label={chosen > 0 ? t('people.filtersChosen', { count: chosen }) : t('people.filters')}
              onClick={() => setFiltering(true)}
              className={styles.filter}
            >
              <SlidersHorizontal size={20} aria-hidden />
              {chosen > 0 && (
                <span className={styles.chosen} aria-hidden>
                  {chosen}
                </span>
              )}
            </IconButton>
          </>
        )
      }
    >
      <Content />
      {isFiltering && (
        <Suspense fallback={null}>
          <FilterSheet onClose={() => setFiltering(false)} />
        </Suspense>
      )}
    </Screen>
  )
}

function Content() {
  const { t } = useLanguage()
  const store = useNearbyStore()
  const { place, view, failed, loaded } = useNearbyState()
  if (place === 'none') return <NoPosition />
  if (failed && !loaded)
    return (
      <State
        icon={<WifiOff size={32} />}
        title={problemText(t, failed === 'offline' ? null : failed)}
        action={<Button onClick={() => void store.load()}>{t('app.retry')}</Button>}
      />
    )
  if (place === 'unknown') return <SkeletonRows label={t('app.loading')} />
  return (
    <>
      <ShownCard />
      {view === 'list' ? (
        <People />
      ) : (
        <Suspense fallback={<SkeletonRows label={t('app.loading')} count={2} />}>
          <Around place={place} />
        </Suspense>
      )}
    </>
  )
}

function People() {
  const { t } = useLanguage()
  const store = useNearbyStore()
  const { items, likes, loaded, hasMore, loading, failed } = useNearbyState()
  if (!loaded && items.length === 0) return <SkeletonRows label={t('app.loading')} />
  if (items.length === 0) return <Nobody />
  return (
    <>
      <ul aria-label={t('people.list')} className={styles.people}>
        {items.map((neighbour) => (
          <PersonRow key={neighbour.user.id} neighbour={neighbour} likes={likes} />
        ))}
      </ul>
      {failed ? (
        <div className={styles.more} role="alert">
          <p>{problemText(t, failed === 'offline' ? null : failed)}</p>
          <Button onClick={() => void store.load()}>{t('app.retry')}</Button>
        </div>
      ) : (
        hasMore && <More loading={loading} onSeen={() => void store.loadMore()} />
      )}
    </>
  )
}

/** Shown if nobody is found, with a button that widens the radius or clears the filters. */
function Nobody() {
  const { t, language } = useLanguage()
  const store = useNearbyStore()
  const filters = useNearbyState(({ filters }) => filters)
  const { radius } = filters
  const wider = radii.find((one) => one > radius)
  const isFiltered = countChosen(filters) > 0
  return (
    <State
      icon={<UserRoundSearch size={32} />}
      title={t('people.nobody', { distance: distanceOf(language, radius) })}
      action={
        isFiltered ? (
          <Button look="primary" onClick={() => void store.filter({ ...noFilters, radius })}>
            {t('people.withoutFilters')}
          </Button>
        ) : (
          wider && (
            <Button look="primary" onClick={() => void store.filter({ ...filters, radius: wider })}>
              {t('people.widen', { distance: distanceOf(language, wider) })}
            </Button>
          )
        )
      }
    >
      {t(isFiltered ? 'people.nobodyFiltered' : 'people.nobodyHint')}
    </State>
  )
}

/** Loads the next page when it comes near the screen. */
export function More({ loading, onSeen }: { loading: boolean; onSeen: () => void }) {
  const { t } = useLanguage()
  const end = useRef<HTMLDivElement>(null)
  const seen = useRef(onSeen)
  seen.current = onSeen
  useEffect(() => {
    if (loading || !end.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && seen.current(), {
      // The scrolling element: a margin around the window has no effect inside it.
      root: end.current.parentElement,
      rootMargin: '600px',
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [loading])
  return <div ref={end}>{loading && <SkeletonRows label={t('app.loading')} count={2} />}</div>
}
