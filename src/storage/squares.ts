import { type Box, distance, type Point } from '../features/location/sphere.ts'

/** The map of latitudes and longitudes is a square. So is each quarter of a square. The smallest squares are 19 m high. */
export type Square = { row: number; column: number; size: number }

// The rows and columns of smallest squares. These are numbered along a Z-order curve (G. M. Morton, 1966), so that those within
// a larger square have consecutive numbers, which an index finds in one range.
const SIDE = 2 ** 20

// Widens circles, so that rounding never excludes a point on the rim.
const MARGIN_M = 0.001

const place = (fraction: number) => Math.min(Math.floor(fraction * SIDE), SIDE - 1)
const rowOf = (latitude: number) => place((latitude + 90) / 180)
const columnOf = (longitude: number) => place((longitude + 180) / 360)

/** Puts a zero before each of the lower 10 bits. */
function spread(bits: number): number {
  bits = (bits | (bits << 8)) & 0x00ff00ff
  bits = (bits | (bits << 4)) & 0x0f0f0f0f
  bits = (bits | (bits << 2)) & 0x33333333
  return (bits | (bits << 1)) & 0x55555555
}

/** Computed in two halves, because the number has 40 bits and bit operations have 32. */
const numberOf = (row: number, column: number) =>
  (2 * spread(row >> 10) + spread(column >> 10)) * SIDE + 2 * spread(row & 1023) + spread(column & 1023)

/** The number of the smallest square that holds the point, from 0 to 2^40 - 1. */
export const squareOf = ({ latitude, longitude }: Point) => numberOf(rowOf(latitude), columnOf(longitude))

/** The first and the last number within the square. */
export function numbersIn({ row, column, size }: Square): [first: number, last: number] {
  const first = numberOf(row, column)
  return [first, first + size * size - 1]
}

export function quarters({ row, column, size }: Square): Square[] {
  const half = size / 2
  return [
    { row, column, size: half },
    { row, column: column + half, size: half },
    { row: row + half, column, size: half },
    { row: row + half, column: column + half, size: half },
  ]
}

/** The smallest squares, all of one size and at most `most` for each range of longitudes, that cover the box. */
export function covering(box: Box, most: number): Square[] {
  return box.longitudes.flatMap(({ west, east }) => {
    let [south, north, left, right] = [rowOf(box.south), rowOf(box.north), columnOf(west), columnOf(east)]
    let size = 1
    for (; (north - south + 1) * (right - left + 1) > most; size *= 2)
      [south, north, left, right] = [south >> 1, north >> 1, left >> 1, right >> 1]
    const squares: Square[] = []
    for (let row = south; row <= north; row++)
      for (let column = left; column <= right; column++) squares.push({ row: row * size, column: column * size, size })
    return squares
  })
}

/**
 * Bounds of the distance from the centre to anything in the square, in metres, by the circle around the square. Valid for squares
 * of less than 90 degrees of longitude.
 */
export function extent(centre: Point, { row, column, size }: Square): { nearest: number; farthest: number } {
  const at = (r: number, c: number) => ({ latitude: (r * 180) / SIDE - 90, longitude: (c * 360) / SIDE - 180 })
  const middle = at(row + size / 2, column + size / 2)
  const away = distance(centre, middle)
  const half = Math.max(distance(middle, at(row, column)), distance(middle, at(row + size, column))) + MARGIN_M
  return { nearest: away - half, farthest: away + half }
}
