import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  boxAround,
  destination,
  distance,
  EARTH_RADIUS_M,
  roundedUp,
  wrapLongitude,
  type Box,
  type Point,
} from '../../src/features/location/sphere.ts'

const at = (latitude: number, longitude: number): Point => ({ latitude, longitude })

const holds = ({ south, north, longitudes }: Box, { latitude, longitude }: Point) =>
  latitude >= south && latitude <= north && longitudes.some(({ west, east }) => longitude >= west && longitude <= east)

const latitudes = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.double({ min: 89, max: 90, noNaN: true }),
  fc.double({ min: -90, max: -89, noNaN: true }),
)
const longitudes = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.double({ min: 179.5, max: 180, noNaN: true }),
  fc.double({ min: -180, max: -179.5, noNaN: true }),
)
const points = fc.record({ latitude: latitudes, longitude: longitudes })
const bearings = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true })
const unit = fc.double({ min: 0, max: 1, noNaN: true })
const radii = fc.double({ min: 100, max: 100_000, noNaN: true })

describe('distance', () => {
  test('is an arc of the circle along a meridian and along the equator', () => {
    const degree = (2 * Math.PI * EARTH_RADIUS_M) / 360
    expect(distance(at(10, 20), at(11, 20))).toBeCloseTo(degree, 6)
    expect(distance(at(0, 20), at(0, 21))).toBeCloseTo(degree, 6)
    expect(distance(at(0, 179.5), at(0, -179.5))).toBeCloseTo(degree, 6)
    expect(distance(at(-90, 0), at(90, 77))).toBeCloseTo(180 * degree, 3)
    expect(distance(at(12.5, 30), at(-12.5, -150))).toBeCloseTo(180 * degree, 0)
  })

  // The expected metres come from the vector formula R·atan2(|a × b|, a · b).
  test.each([
    ['Berlin', 'Paris', at(52.52, 13.405), at(48.8566, 2.3522), 877464.53792],
    ['New York', 'Sydney', at(40.7128, -74.006), at(-33.8688, 151.2093), 15988777.59165],
    ['east of the antimeridian', 'west of it', at(-17.7134, -179.9), at(-17.7134, 179.9), 21184.67108],
    ['one side of the pole', 'the other', at(89.9, 0), at(89.9, 180), 22239.01605],
    ['a spot', 'the house next door', at(52.52, 13.405), at(52.5201, 13.405), 11.11951],
  ])('from %s to %s', (_from, _to, a, b, metres) => {
    expect(distance(a, b)).toBeCloseTo(metres, 3)
    expect(distance(b, a)).toBe(distance(a, b))
  })

  test('to the same place is nothing, whatever its longitude is called', () => {
    expect(distance(at(52.52, 13.405), at(52.52, 13.405))).toBe(0)
    expect(distance(at(52.52, 180), at(52.52, -180))).toBeCloseTo(0, 6)
    expect(distance(at(90, 0), at(90, 120))).toBeCloseTo(0, 6)
  })
})

test('a destination lies at the distance asked for, at valid coordinates', () => {
  fc.assert(
    fc.property(points, bearings, fc.double({ min: 0, max: 200_000, noNaN: true }), (from, bearing, metres) => {
      const to = destination(from, bearing, metres)
      expect(distance(from, to)).toBeCloseTo(metres, 3)
      expect(Math.abs(to.latitude)).toBeLessThanOrEqual(90)
      expect(Math.abs(to.longitude)).toBeLessThanOrEqual(180)
    }),
    { numRuns: 500 },
  )
})

test('a destination lies in the direction asked for', () => {
  const degree = (2 * Math.PI * EARTH_RADIUS_M) / 360
  const lands = (from: Point, bearing: number, metres: number, { latitude, longitude }: Point) => {
    const to = destination(from, bearing, metres)
    expect(to.latitude).toBeCloseTo(latitude, 9)
    expect(to.longitude).toBeCloseTo(longitude, 9)
  }
  lands(at(10, 20), 0, degree, at(11, 20))
  lands(at(10, 20), Math.PI, degree, at(9, 20))
  lands(at(0, 20), Math.PI / 2, degree, at(0, 21))
  lands(at(0, 20), (3 * Math.PI) / 2, degree, at(0, 19))
  lands(at(0, 179.5), Math.PI / 2, degree, at(0, -179.5))
  lands(at(89.5, 20), 0, degree, at(89.5, -160))
  lands(at(-90, 20), 0, degree, at(-89, 20))
})

test('the box around a circle holds every point of it, at the poles and at the antimeridian too', () => {
  fc.assert(
    fc.property(points, radii, bearings, unit, (centre, radius, bearing, part) => {
      // up to the rim and a little beyond: what is beyond is left out by the distance, not by the way it was made
      const point = destination(centre, bearing, radius * Math.min(1.0001, 1.1 * Math.sqrt(part)))
      fc.pre(distance(centre, point) <= radius)
      expect(holds(boxAround(centre, radius), point)).toBe(true)
    }),
    { numRuns: 5000 },
  )
})

test('the box around a circle holds the outermost points of it, however they are rounded', () => {
  fc.assert(
    fc.property(points, radii, (centre, radius) => {
      const angle = radius / EARTH_RADIUS_M
      const cosine = Math.tan(angle) * Math.tan((centre.latitude * Math.PI) / 180)
      // due south, due north, and where the circle touches its outermost meridians
      const tangent = Math.acos(Math.max(-1, Math.min(1, cosine)))
      const box = boxAround(centre, radius)
      for (const bearing of [0, Math.PI, tangent, -tangent]) {
        const point = destination(centre, bearing, radius)
        if (distance(centre, point) <= radius) expect(holds(box, point)).toBe(true)
      }
    }),
    { numRuns: 1000 },
  )
})

test('the box around a circle has ranges within ±180°, which do not overlap', () => {
  fc.assert(
    fc.property(points, radii, (centre, radius) => {
      let east = -Infinity
      for (const range of boxAround(centre, radius).longitudes) {
        expect(range.west).toBeWithin(-180, 180)
        expect(range.east).toBeGreaterThanOrEqual(range.west)
        expect(range.east).toBeLessThanOrEqual(180)
        expect(range.west).toBeGreaterThan(east)
        east = range.east
      }
    }),
  )
})

test('the box around a circle is no larger than it must be', () => {
  fc.assert(
    fc.property(points, radii, (centre, radius) => {
      const box = boxAround(centre, radius)
      const angle = (radius / EARTH_RADIUS_M) * (180 / Math.PI)
      const pole = centre.latitude + angle >= 90 || centre.latitude - angle <= -90
      fc.pre(!pole)
      expect(distance(centre, at(box.north, centre.longitude))).toBeCloseTo(radius, 1)
      expect(distance(centre, at(box.south, centre.longitude))).toBeCloseTo(radius, 1)
      // The meridian at either end is a tangent: the circle touches it at sin(latitude) / cos(angle), and only there.
      const sine = Math.sin((centre.latitude * Math.PI) / 180) / Math.cos((angle * Math.PI) / 180)
      const touching = (Math.asin(sine) * 180) / Math.PI
      fc.pre(Math.abs(touching) < 89.99) // closer to a pole the arc sine is too coarse a judge
      const west = box.longitudes.length === 1 ? box.longitudes[0]!.west : box.longitudes[1]!.west
      const east = box.longitudes[0]!.east
      expect(distance(centre, at(touching, west))).toBeCloseTo(radius, 1)
      expect(distance(centre, at(touching, east))).toBeCloseTo(radius, 1)
    }),
    { numRuns: 500 },
  )
})

test('the box around a circle has one range of longitudes away from the antimeridian', () => {
  expect(boxAround(at(0, 10), 50_000).longitudes).toEqual([
    { west: expect.closeTo(9.55034, 5), east: expect.closeTo(10.44966, 5) },
  ])
})

test('the box around a circle has two ranges across the antimeridian, from either side of it', () => {
  const expected = [
    { west: -180, east: expect.closeTo(-179.65034, 5) },
    { west: expect.closeTo(179.45034, 5), east: 180 },
  ]
  expect(boxAround(at(0, 179.9), 50_000).longitudes).toEqual(expected)
  expect(boxAround(at(0, -180), 50_000).longitudes).toEqual(boxAround(at(0, 180), 50_000).longitudes)
  expect(boxAround(at(0, -179.9), 50_000).longitudes).toHaveLength(2)
  expect(holds(boxAround(at(0, 179.9), 50_000), at(0, 0))).toBe(false)
})

test('the box around a circle has all longitudes where the circle holds a pole, and none beyond 90°', () => {
  expect(boxAround(at(89.9, 20), 20_000)).toEqual({
    south: expect.closeTo(89.72014, 5),
    north: 90,
    longitudes: [{ west: -180, east: 180 }],
  })
  expect(boxAround(at(-90, 0), 100)).toMatchObject({ south: -90, longitudes: [{ west: -180, east: 180 }] })
  // a metre short of the pole
  const [range, ...others] = boxAround(at(90 - 101 / 111195, 20), 100).longitudes
  expect(others).toEqual([])
  expect(range!.east - range!.west).toBeLessThan(180)
})

test('a distance to be shown is rounded up to 100 m', () => {
  expect([0, 0.1, 99.9, 100, 100.1, 1234].map(roundedUp)).toEqual([0, 100, 100, 100, 200, 1300])
})

test('a longitude is wrapped into [-180, 180), and left alone where it lies there already', () => {
  expect([180, -180, 190, -190, 539, -541, 720, 0.1].map(wrapLongitude)).toEqual([
    -180, -180, -170, 170, 179, 179, 0, 0.1,
  ])
  fc.assert(fc.property(fc.double({ min: -180, max: 179.99, noNaN: true }), (x) => wrapLongitude(x) === x))
})
