import type { Neighbour } from 'convene-client'
import { distanceOf } from '../../shared/dates.ts'
import { useLanguage } from '../language.tsx'
import styles from './around.module.css'
import { offset, rings, uncertaintyM } from './geometry.ts'
import type { Place } from './nearby-store.ts'

export type AroundProps = {
  place: Place
  items: readonly Neighbour[]
  chosen: string | null
  onChoose: (userId: string | null) => void
}

const size = 200
// A touch selects the nearest person within this distance, in units of the view box.
const touchRadius = 16

/** Draws people by direction and distance, north up, without a map. */
export function Radar({ place, items, chosen, onChoose }: AroundProps) {
  const { t, language } = useLanguage()
  const farthest = Math.max(0, ...items.map(({ distance_m }) => distance_m))
  const { reach, at } = rings(farthest)
  const scale = size / (reach * 1.08)
  const radius = Math.max(uncertaintyM * scale, 4)
  const dots = items.map((neighbour) => {
    const { east, north } = offset(place, neighbour)
    return { id: neighbour.user.id, x: east * scale, y: -north * scale }
  })

  function choose(event: React.MouseEvent<SVGSVGElement>) {
    const box = event.currentTarget.getBoundingClientRect()
    const x = ((event.clientX - box.left) / box.width - 0.5) * 2 * size
    const y = ((event.clientY - box.top) / box.height - 0.5) * 2 * size
    const near = dots
      .map((dot) => ({ id: dot.id, far: Math.hypot(dot.x - x, dot.y - y) }))
      .filter(({ far }) => far < Math.max(radius, touchRadius))
      .toSorted((a, b) => a.far - b.far)
    // Further touches at a crowded place select the next person there.
    const last = near.findIndex(({ id }) => id === chosen)
    onChoose(near[(last + 1) % Math.max(1, near.length)]?.id ?? null)
  }

  return (
    <svg
      className={styles.radar}
      viewBox={`${-size} ${-size} ${2 * size} ${2 * size}`}
      role="img"
      aria-label={t('people.radar', { count: items.length, distance: distanceOf(language, reach) })}
      onClick={choose}
    >
      {at.map((ring) => (
        <g key={ring}>
          <circle r={ring * scale} className={styles.ring} />
          <text y={-ring * scale + 12} className={styles.distance}>
            {distanceOf(language, ring)}
          </text>
        </g>
      ))}
      {dots.map(({ id, x, y }) => (
        <circle key={id} cx={x} cy={y} r={radius} className={id === chosen ? styles.isChosen : styles.dot} />
      ))}
      <circle r={5} className={styles.me} />
    </svg>
  )
}
