import type { Neighbour } from 'convene-client'
import { type GeoJSONSource, Map as MapOfPlaces, setWorkerUrl } from 'maplibre-gl'
import styleSheet from 'maplibre-gl/dist/maplibre-gl.css' with { type: 'file' }
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs' with { type: 'file' }
import { useEffect, useRef, useState } from 'react'
import { useLanguage } from '../language.tsx'
import styles from './around.module.css'
import { circle, rings, uncertaintyM } from './geometry.ts'
import type { Place } from './nearby-store.ts'
import type { AroundProps } from './radar.tsx'
import { trustOwnWorkers } from './trusted.ts'

type Props = AroundProps & { styleUrl: string; onBroken: () => void }

trustOwnWorkers()
setWorkerUrl(workerUrl)
// The map's styles are fetched with the map instead of with the first screen.
const link = document.createElement('link')
link.rel = 'stylesheet'
link.href = styleSheet
document.head.append(link)

const circlesOf = ({ items, chosen }: Pick<Props, 'items' | 'chosen'>) => ({
  type: 'FeatureCollection' as const,
  features: items.map((neighbour) => ({
    type: 'Feature' as const,
    properties: { id: neighbour.user.id, chosen: neighbour.user.id === chosen },
    geometry: { type: 'Polygon' as const, coordinates: [circle(neighbour, uncertaintyM)] },
  })),
})

/** How far the rings of these people reach, in metres. */
const reachOf = (items: readonly Neighbour[]) => rings(Math.max(0, ...items.map(({ distance_m }) => distance_m))).reach

function boundsOf(place: Place, reach: number): [[number, number], [number, number]] {
  const corners = circle(place, reach)
  const longitudes = corners.map(([longitude]) => longitude)
  const latitudes = corners.map(([, latitude]) => latitude)
  return [
    [Math.min(...longitudes), Math.min(...latitudes)],
    [Math.max(...longitudes), Math.max(...latitudes)],
  ]
}

/** The operator's map, with circles in which people may be. The zoom is limited to what is known about positions. */
export default function PeopleMap({ place, items, chosen, onChoose, styleUrl, onBroken }: Props) {
  const { t } = useLanguage()
  const box = useRef<HTMLDivElement>(null)
  const map = useRef<MapOfPlaces | null>(null)
  // How far the map reaches at least, from where it began.
  const reach = useRef(0)
  const [credits, setCredits] = useState<string[]>([])
  const latest = useRef({ items, chosen, onChoose, onBroken })
  latest.current = { items, chosen, onChoose, onBroken }

  useEffect(() => {
    if (!box.current) return
    reach.current = reachOf(latest.current.items)
    const colour = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()
    let shown: MapOfPlaces
    try {
      shown = new MapOfPlaces({
        container: box.current,
        style: styleUrl,
        bounds: boundsOf(place, reach.current),
        maxZoom: 13,
        pitchWithRotate: false,
        dragRotate: false,
        attributionControl: false,
        cooperativeGestures: false,
        fadeDuration: 0,
      })
    } catch {
      // There is no WebGL: show the radar instead.
      return latest.current.onBroken()
    }
    map.current = shown
    let isLoaded = false
    shown.on('load', () => {
      isLoaded = true
      shown.addSource('people', { type: 'geojson', data: circlesOf(latest.current) })
      shown.addLayer({
        id: 'people',
        type: 'fill',
        source: 'people',
        paint: { 'fill-color': colour, 'fill-opacity': ['case', ['get', 'chosen'], 0.5, 0.22] },
      })
      shown.addLayer({
        id: 'people-edge',
        type: 'line',
        source: 'people',
        paint: { 'line-color': colour, 'line-width': ['case', ['get', 'chosen'], 3, 1] },
      })
      setCredits(creditsOf(shown))
    })
    // A missing tile is harmless, but without a style there is no map.
    shown.on('error', () => !isLoaded && latest.current.onBroken())
    shown.on('click', (event) => {
      const found = isLoaded ? shown.queryRenderedFeatures(event.point, { layers: ['people'] }) : []
      const ids = found.map(({ properties }) => String(properties.id))
      const last = ids.indexOf(latest.current.chosen ?? '')
      latest.current.onChoose(ids[(last + 1) % Math.max(1, ids.length)] ?? null)
    })
    return () => {
      map.current = null
      shown.remove()
    }
  }, [place, styleUrl])

  useEffect(() => {
    const source = map.current?.getSource<GeoJSONSource>('people')
    source?.setData(circlesOf({ items, chosen }))
  }, [items, chosen])

  useEffect(() => {
    const farther = reachOf(items)
    if (farther <= reach.current) return
    reach.current = farther
    map.current?.fitBounds(boundsOf(place, farther))
  }, [items, place])

  return (
    <figure className={styles.frame}>
      <div ref={box} className={styles.map} role="application" aria-label={t('people.map', { count: items.length })} />
      {credits.length > 0 && <figcaption className={styles.credits}>{credits.join(' · ')}</figcaption>}
    </figure>
  )
}

/** The attribution of the tiles as plain text, because HTML from another host is not trusted. */
function creditsOf(map: MapOfPlaces): string[] {
  const sources = Object.values(map.getStyle().sources)
  const texts = sources.flatMap((source) => ('attribution' in source && source.attribution ? [source.attribution] : []))
  return [...new Set(texts.map((text) => text.replace(/<[^>]*>/g, '').trim()))]
}
