/**
 * The position that others may see.
 *
 * The noise is drawn once per place, under a secret key, so averaging many updates from one spot learns no more than
 * the first of them told. Nothing here knows the past but through `Whereabouts`, which holds no true position.
 */
import { EARTH_RADIUS_M, degrees, destination, distance, radians, wrapLongitude, type Point } from './sphere.ts'

/** The side of a grid cell. */
const CELL_M = 150
/** A remembered cell is taken again where its centre is this close to the reading. */
const RECALL_M = 250
/** A first reading elsewhere is taken for an outlier where it is this close to the published point. */
const OUTLIER_M = 600
const MAX_TAGS = 128

const ROW_DEGREES = degrees(CELL_M / EARTH_RADIUS_M)
const RECALL_DEGREES = degrees(RECALL_M / EARTH_RADIUS_M)

// How far from its own cell a reading can have a cell to recall. Columns are at least CELL_M wide, but near a pole they
// are wedges: rows shorter than WEDGES cells are searched whole. The third row is for the one whose centre lies beyond
// the pole.
const ROWS_AROUND = 3
const COLUMNS_AROUND = 2
const WEDGES = 64

/** One user's secret grid; `prf` is an HMAC-SHA256 under the user's own key. Made by `placeKey`, never stored. */
export type PlaceKey = { prf: (label: string) => Buffer; phase: number }

/** How often the point of a cell was published. The tag is 8 bytes of an HMAC in hex, and tells nothing without the key. */
export type TagUse = { tag: string; uses: number }

/** All that is kept of where a user was. */
export type Whereabouts = {
  /** Degrees, to 5 decimals; null until the first reading. */
  published: Point | null
  /** The tag of the cell that the published point belongs to. */
  cell: string | null
  /** Whether the last reading was elsewhere and moved nothing: the next one does. */
  strayed: boolean
  /** At most 128, in any order. */
  tags: readonly TagUse[]
}

/** The whereabouts of someone who has sent no reading yet. */
export const NOWHERE: Whereabouts = { published: null, cell: null, strayed: false, tags: [] }

type Row = { index: number; latitude: number; columns: number; width: number; shift: number }
type Cell = { row: number; column: number; centre: Point }

/**
 * A user's grid from the server's secret (32 bytes) and the user's id. Costs two HMACs; worth keeping over several
 * readings of one user.
 */
export function placeKey(secret: Uint8Array, userId: string): PlaceKey {
  if (secret.length !== 32) throw new Error(`The location key has ${secret.length} bytes instead of 32.`)
  const userKey = hmac(secret, `loc-v1\0${userId}`)
  const prf = (label: string) => hmac(userKey, label)
  return { prf, phase: unit(prf('phase'), 0) }
}

/**
 * What follows from a reading: whereabouts in, whereabouts out, to be stored as they are.
 *
 * The reading is the true position in degrees (latitude within ±90, any longitude); no digit of it is in the answer.
 */
export function follow(place: PlaceKey, before: Whereabouts, reading: Point): Whereabouts {
  const cell = rememberedCell(place, before, reading) ?? cellAt(place, reading)
  const tag = tagOf(place, cell)

  const elsewhere = before.published !== null && tag !== before.cell
  if (elsewhere && !before.strayed && distance(reading, before.published!) <= OUTLIER_M) {
    return { ...before, strayed: true }
  }
  return { published: pointOf(place, cell), cell: tag, strayed: false, tags: counted(before.tags, tag) }
}

/** Of the cells that have been published already and lie around the reading, the one with the most uses. */
function rememberedCell(place: PlaceKey, before: Whereabouts, reading: Point): Cell | null {
  if (before.tags.length === 0) return null
  const uses = new Map(before.tags.map((known) => [known.tag, known.uses]))
  let most = 0
  let remembered: Cell | null = null
  for (const cell of cellsAround(place, reading)) {
    const count = uses.get(tagOf(place, cell)) ?? 0
    if (count > most) {
      most = count
      remembered = cell
    }
  }
  return remembered
}

/** The cell that a point lies in. */
function cellAt(place: PlaceKey, point: Point): Cell {
  const row = rowAt(place, rowIndex(place, point.latitude))
  return cellIn(row, columnIndex(row, point.longitude))
}

/** The cells whose centre lies within RECALL_M of a point. */
function cellsAround(place: PlaceKey, point: Point): Cell[] {
  const cells: Cell[] = []
  const own = rowIndex(place, point.latitude)
  const first = Math.max(own - ROWS_AROUND, 0)
  const last = Math.min(own + ROWS_AROUND, rowIndex(place, 90))
  for (let index = first; index <= last; index++) {
    if (Math.abs(foldLatitude(rowLatitude(place, index)) - point.latitude) > RECALL_DEGREES) continue
    const row = rowAt(place, index)
    const wedges = row.columns <= WEDGES
    const from = wedges ? 0 : columnIndex(row, point.longitude) - COLUMNS_AROUND
    const count = wedges ? row.columns : 2 * COLUMNS_AROUND + 1
    for (let column = from; column < from + count; column++) {
      const cell = cellIn(row, column)
      if (distance(cell.centre, point) <= RECALL_M) cells.push(cell)
    }
  }
  return cells
}

const rowIndex = (place: PlaceKey, latitude: number) => Math.floor((latitude + 90) / ROW_DEGREES + place.phase)

const rowLatitude = (place: PlaceKey, index: number) => (index + 0.5 - place.phase) * ROW_DEGREES - 90

function rowAt(place: PlaceKey, index: number): Row {
  const latitude = rowLatitude(place, index)
  const length = 2 * Math.PI * EARTH_RADIUS_M * Math.cos(radians(latitude))
  const columns = Math.max(1, Math.floor(length / CELL_M))
  return { index, latitude, columns, width: 360 / columns, shift: unit(place.prf(`row|${index}`), 0) }
}

/** The column of a longitude, from 0 to `row.columns`, counted on beyond the antimeridian. */
const columnIndex = (row: Row, longitude: number) =>
  Math.floor((wrapLongitude(longitude) + 180) / row.width + row.shift)

function cellIn(row: Row, column: number): Cell {
  const longitude = (column + 0.5 - row.shift) * row.width - 180
  const beyondPole = Math.abs(row.latitude) > 90
  const centre = {
    latitude: foldLatitude(row.latitude),
    longitude: wrapLongitude(beyondPole ? longitude + 180 : longitude),
  }
  return { row: row.index, column: ((column % row.columns) + row.columns) % row.columns, centre }
}

/** The first and the last row can have their centre up to half a cell beyond the pole, which is back on the other side. */
const foldLatitude = (latitude: number) => (Math.abs(latitude) > 90 ? Math.sign(latitude) * 180 - latitude : latitude)

const tagOf = (place: PlaceKey, cell: Cell) => place.prf(`tag|${cell.row}|${cell.column}`).toString('hex', 0, 8)

function pointOf(place: PlaceKey, cell: Cell): Point {
  const noise = place.prf(`pt|${cell.row}|${cell.column}`)
  const { latitude, longitude } = destination(cell.centre, 2 * Math.PI * unit(noise, 6), 150 + 300 * unit(noise, 0))
  return { latitude: fiveDecimals(latitude), longitude: wrapLongitude(fiveDecimals(longitude)) }
}

/** The tags after one more use of `tag`; a new one takes the place of the least used. */
function counted(tags: readonly TagUse[], tag: string): TagUse[] {
  const known = tags.find((other) => other.tag === tag)
  if (known) return tags.map((other) => (other === known ? { tag, uses: known.uses + 1 } : other))
  const kept = [...tags].sort((a, b) => b.uses - a.uses || (a.tag < b.tag ? -1 : 1)).slice(0, MAX_TAGS - 1)
  return [...kept, { tag, uses: 1 }]
}

const hmac = (key: Uint8Array, message: string) => new Bun.CryptoHasher('sha256', key).update(message).digest()

/** 48 bits of an HMAC from `offset` on, as a number in [0, 1). */
const unit = (bytes: Buffer, offset: number) => bytes.readUIntBE(offset, 6) / 2 ** 48

// `+ 0` makes a plain zero of -0, which storage would not give back.
const fiveDecimals = (degrees: number) => Math.round(degrees * 1e5) / 1e5 + 0
