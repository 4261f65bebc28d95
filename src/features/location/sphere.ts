/** The mean radius of the Earth in metres (IUGG R1). */
export const EARTH_RADIUS_M = 6371008.8

/** A place on the sphere, in degrees. */
export type Point = { latitude: number; longitude: number }

/** All points between two parallels whose longitude is in one of the ranges. In degrees, ends included, west ≤ east. */
export type Box = { south: number; north: number; longitudes: { west: number; east: number }[] }

// A box is this much (metres) too wide, so that rounding never leaves out a point on its rim.
const BOX_MARGIN_M = 0.001

export const radians = (degrees: number) => (degrees * Math.PI) / 180
export const degrees = (radians: number) => (radians * 180) / Math.PI

/** The same meridian within [-180, 180). A longitude in this range is returned unchanged, to the last bit. */
export function wrapLongitude(longitude: number): number {
  if (longitude >= -180 && longitude < 180) return longitude
  const wrapped = (((longitude + 180) % 360) + 360) % 360
  return wrapped - 180
}

/** The great-circle distance in metres, by the haversine formula: exact for close points, to a metre for antipodes. */
export function distance(a: Point, b: Point): number {
  const across = Math.sin(radians(b.latitude - a.latitude) / 2)
  const along = Math.sin(radians(b.longitude - a.longitude) / 2)
  const haversine = across * across + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * along * along
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(haversine)))
}

/**
 * The point `metres` away along a great circle that starts at `bearing` (radians, clockwise from north). At a pole, the
 * bearing is relative to the meridian of the point. The longitude is within [-180, 180].
 */
export function destination(from: Point, bearing: number, metres: number): Point {
  const latitude = radians(from.latitude)
  const angle = metres / EARTH_RADIUS_M
  // Cartesian, with x in the starting meridian and z through the north pole. The arc sine of z alone would be simpler,
  // but near a pole it keeps only half of the digits.
  const north = Math.sin(angle) * Math.cos(bearing)
  const x = Math.cos(latitude) * Math.cos(angle) - Math.sin(latitude) * north
  const y = Math.sin(angle) * Math.sin(bearing)
  const z = Math.sin(latitude) * Math.cos(angle) + Math.cos(latitude) * north
  return {
    latitude: degrees(Math.atan2(z, Math.hypot(x, y))),
    longitude: wrapLongitude(from.longitude + degrees(Math.atan2(y, x))),
  }
}

/**
 * The smallest box with every point within `radius` metres of the centre. It has two longitude ranges if it crosses the
 * antimeridian, and all longitudes if it contains a pole.
 *
 * The meridians at its sides: sin Δλ = sin(radius / R) / cos(latitude), from the right triangle with the pole.
 */
export function boxAround(centre: Point, radius: number): Box {
  const angle = (radius + BOX_MARGIN_M) / EARTH_RADIUS_M
  const south = centre.latitude - degrees(angle)
  const north = centre.latitude + degrees(angle)
  if (south <= -90 || north >= 90) {
    return { south: Math.max(south, -90), north: Math.min(north, 90), longitudes: [{ west: -180, east: 180 }] }
  }

  const longitude = wrapLongitude(centre.longitude)
  const reach = degrees(Math.asin(Math.min(1, Math.sin(angle) / Math.cos(radians(centre.latitude)))))
  const west = longitude - reach
  const east = longitude + reach
  if (west <= -180)
    return {
      south,
      north,
      longitudes: [
        { west: -180, east },
        { west: west + 360, east: 180 },
      ],
    }
  if (east >= 180)
    return {
      south,
      north,
      longitudes: [
        { west: -180, east: east - 360 },
        { west, east: 180 },
      ],
    }
  return { south, north, longitudes: [{ west, east }] }
}

/** A distance as it may be shown: metres, rounded up to the next 100. */
export const roundedUp = (metres: number) => Math.ceil(metres / 100) * 100
