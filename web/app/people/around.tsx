import { ChevronLeft, ChevronRight } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Button, IconButton } from '../../shared/ui/button.tsx'
import { leaveFocus } from '../../shared/ui/focus.ts'
import { SkeletonRows, State } from '../../shared/ui/state.tsx'
import { useLanguage } from '../language.tsx'
import styles from './around.module.css'
import { type Place, useNearbyState, useNearbyStore } from './nearby-store.ts'
import { PersonLink } from './person-row.tsx'
import { problemText } from './problems.ts'
import { Radar } from './radar.tsx'

const PeopleMap = lazy(() => import('./people-map.tsx'))

// The operator's map style; null if there is none, undefined until it is read.
let styleUrl: string | null | undefined

async function askForStyle(): Promise<string | null> {
  const answer: unknown = await (await fetch('/app.json')).json()
  const url = typeof answer === 'object' && answer !== null && 'map_style_url' in answer ? answer.map_style_url : null
  return typeof url === 'string' ? url : null
}

function useMapStyle() {
  const [style, setStyle] = useState(styleUrl)
  useEffect(() => {
    if (styleUrl !== undefined) return
    askForStyle().then(
      (url) => setStyle((styleUrl = url)),
      () => setStyle(null),
    )
  }, [])
  return style
}

/** The people around the user as circles, on the operator's map or on a radar, and the selected person below. */
export default function Around({ place }: { place: Place }) {
  const { t } = useLanguage()
  const store = useNearbyStore()
  const { items, loaded, loading, failed, hasMore, likes, chosen } = useNearbyState()
  const style = useMapStyle()
  const [isMapBroken, setMapBroken] = useState(false)
  if (!loaded || style === undefined) return <SkeletonRows label={t('app.loading')} count={2} />
  const at = items.findIndex(({ user }) => user.id === chosen)
  const person = items[at]
  const step = (by: number) => {
    const next = items[(Math.max(at, by > 0 ? -1 : 0) + by + items.length) % items.length]
    if (next) store.choose(next.user.id)
    // Ask for further people before the last one is reached.
    if (at + by >= items.length - 5) void store.loadMore()
  }
  const view = { place, items, chosen, onChoose: store.choose }
  return (
    <section aria-label={t('people.around')}>
      {style !== null && !isMapBroken ? (
        <Suspense fallback={<div className={styles.map} />}>
          <PeopleMap {...view} styleUrl={style} onBroken={() => setMapBroken(true)} />
        </Suspense>
      ) : (
        <Radar {...view} />
      )}
      <p className={styles.about}>{t('people.circles')}</p>
      {items.length === 0 ? (
        <State title={t('people.nobodyAround')} />
      ) : (
        <div className={styles.chosen}>
          <IconButton label={t('people.previous')} onClick={() => step(-1)}>
            <ChevronLeft size={24} aria-hidden />
          </IconButton>
          <div aria-live="polite" className={styles.person}>
            {person ? (
              <PersonLink neighbour={person} likes={likes} />
            ) : (
              <p>{t('people.around.hint', { count: items.length })}</p>
            )}
          </div>
          <IconButton label={t('people.next')} onClick={() => step(1)}>
            <ChevronRight size={24} aria-hidden />
          </IconButton>
        </div>
      )}
      {failed ? (
        <div ref={leaveFocus} className={styles.more} role="alert">
          <p>{problemText(t, failed === 'offline' ? null : failed)}</p>
          <Button onClick={() => void store.load()}>{t('app.retry')}</Button>
        </div>
      ) : (
        hasMore && (
          <div ref={leaveFocus} className={styles.more}>
            <Button busy={loading} onClick={() => void store.loadMore()}>
              {t('people.around.more')}
            </Button>
          </div>
        )
      )}
    </section>
  )
}
