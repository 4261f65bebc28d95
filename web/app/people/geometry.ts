import type { Place } from './nearby-store.ts'

/**
 * A published point is up to 556 m from where somebody was (docs/privacy.md). People are drawn as circles of this radius, so
 * that no map claims more than is known.
 */
export const uncertaintyM = 600

const earthM = 6_371_008.8
const radians = (degrees: number) => (degrees * Math.PI) / 180

/** How far `to` is east and north of `from`, in metres. Accurate enough for the distances of a search. */
export function offset(from: Place, to: Place): { east: number; north: number } {
  const middle = radians((from.latitude + to.latitude) / 2)
  const turn = ((to.longitude - from.longitude + 540) % 360) - 180
  return {
    east: earthM * radians(turn) * Math.cos(middle),
    north: earthM * radians(to.latitude - from.latitude),
  }
}

/** A circle around a point as a closed ring of longitudes and latitudes. */
export function circle({ latitude, longitude }: Place, radiusM: number, corners = 48): [number, number][] {
  const ring = Array.from({ length: corners }, (_, i): [number, number] => {
    const angle = (i / corners) * 2 * Math.PI
    const north = (radiusM * Math.cos(angle)) / earthM
    const east = (radiusM * Math.sin(angle)) / (earthM * Math.cos(radians(latitude)))
    return [longitude + (east * 180) / Math.PI, latitude + (north * 180) / Math.PI]
  })
  return [...ring, ring[0] ?? [longitude, latitude]]
}

const steps = [500, 1000, 2000, 5000, 10_000, 20_000, 25_000, 50_000, 100_000]

/** The radius of the radar, which includes the farthest person and is at least two kilometres, and its rings at round distances. */
export function rings(farthestM: number): { reach: number; at: number[] } {
  const reach = steps.find((step) => step >= Math.max(2000, farthestM)) ?? 100_000
  const step = reach % 2500 === 0 && reach > 2500 ? reach / 5 : reach / 2
  return { reach, at: Array.from({ length: Math.round(reach / step) }, (_, i) => step * (i + 1)) }
}
