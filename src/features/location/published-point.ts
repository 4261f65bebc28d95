/**
 * The position that others may see.
 *
 * The noise is drawn once per place, under a secret key, so that averaging the updates from one spot tells no more than
 * the first of them did. A place the user returns to is recognised by a keyed tag, without storing where it is.
 */
import { EARTH_RADIUS_M, degrees, destination, distance, radians, wrapLongitude, type Point } from './sphere.ts'

/** The side of a grid cell. */
const CELL_M = 150
/** A cell's anchor lies up to this far from its centre. */
const ANCHOR_M = 200
/**
 * Readings up to this far from a published cell's anchor return to that cell. Anyone who can send readings for the user can
 * find the edge of this zone, so it is not centred on the cell: that would reveal the cell's centre.
 */
const RECALL_M = 350
/** A single reading elsewhere counts as an outlier up to this far from the published point. */
const OUTLIER_M = 600
const MAX_TAGS = 128

const ROW_DEGREES = degrees(CELL_M / EARTH_RADIUS_M)
/** No centre of a cell whose anchor is within RECALL_M is farther away. */
const REACH_M = RECALL_M + ANCHOR_M
const REACH_DEGREES = degrees(REACH_M / EARTH_RADIUS_M)

// How many neighbouring rows and columns cover REACH_M. A column is at least CELL_M wide at the centre of its row, but near
// a pole the cells are wedges, and rows of up to WEDGES cells are searched completely. One row is extra, for the row whose
// centre lies beyond the pole.
const ROWS_AROUND = 5
const COLUMNS_AROUND = 5
const WEDGES = 128

/** One user's secret grid: everything that depends on the location key. Every fraction is in [0, 1). */
export type PlaceKey = {
  /** The fraction of a row by which the rows are shifted. */
  phase: number
  /** The fraction of a column by which the columns of a row are shifted. */
  shift: (row: number) => number
  /** The stored form of a cell: 8 bytes, in hex. */
  tag: (row: number, column: number) => string
  /** How the point of a cell is drawn: two fractions, for the distance and for the bearing. */
  noise: (row: number, column: number) => [number, number]
  /** How the anchor of a cell is drawn: two fractions, for the distance and for the bearing. */
  anchor: (row: number, column: number) => [number, number]
}

/**
 * How often a cell was published. The tag is 8 bytes of an HMAC, in hex; only the holder of the key can tell which cell it
 * is.
 */
type TagUse = { tag: string; uses: number }

/** All that is stored about where a user is and has been. */
export type Whereabouts = {
  /** Degrees, rounded to 5 decimals; null until the first reading. */
  published: Point | null
  /** The tag of the cell that the published point stands for; null until the first reading. */
  cell: string | null
  /** Whether the last reading counted as an outlier. The next one does not. */
  strayed: boolean
  /** At most 128, in any order. */
  tags: readonly TagUse[]
}

/** The whereabouts of a user who has sent no reading yet. */
export const NOWHERE: Whereabouts = { published: null, cell: null, strayed: false, tags: [] }

/** Numbered from the south. `latitude` is that of the centre line; `width` and `shift` set out the columns. */
type Row = { index: number; latitude: number; columns: number; width: number; shift: number }

type Cell = { row: number; column: number; centre: Point }

/** The grid of a user, from the server's location key (32 bytes). Reuse it for many readings of one user. */
export function placeKey(locationKey: Uint8Array, userId: string): PlaceKey {
  if (locationKey.length !== 32) throw new Error(`The location key has ${locationKey.length} bytes, not 32.`)
  const userKey = hmac(locationKey, `loc-v1\0${userId}`)
  const prf = (label: string) => hmac(userKey, label)
  const fractions = (label: string): [number, number] => {
    const bytes = prf(label)
    return [fraction(bytes, 0), fraction(bytes, 6)]
  }
  return {
    phase: fraction(prf('phase'), 0),
    shift: (row) => fraction(prf(`row|${row}`), 0),
    tag: (row, column) => prf(`tag|${row}|${column}`).toString('hex', 0, 8),
    noise: (row, column) => fractions(`pt|${row}|${column}`),
    anchor: (row, column) => fractions(`an|${row}|${column}`),
  }
}

/**
 * Applies a reading: takes the whereabouts before it, returns the whereabouts to store.
 *
 * `reading` is the true position in degrees, latitude -90…90, any longitude. It only selects a cell.
 */
export function follow(place: PlaceKey, before: Whereabouts, reading: Point): Whereabouts {
  const cell = rememberedCell(place, before.tags, reading) ?? cellAt(place, reading)
  const tag = place.tag(cell.row, cell.column)

  const { published } = before
  const outlier =
    published !== null && tag !== before.cell && !before.strayed && distance(reading, published) <= OUTLIER_M
  if (outlier) return { ...before, strayed: true }

  return { published: pointOf(place, cell), cell: tag, strayed: false, tags: counted(before.tags, tag) }
}

/** The most used of the known cells around a point. */
function rememberedCell(place: PlaceKey, tags: readonly TagUse[], point: Point): Cell | null {
  if (tags.length === 0) return null
  const around = new Map(cellsAround(place, point).map((cell) => [place.tag(cell.row, cell.column), cell]))
  const [mostUsed] = tags.filter(({ tag }) => around.has(tag)).sort(byUse)
  return mostUsed ? around.get(mostUsed.tag)! : null
}

/** The cells whose anchor lies within RECALL_M of a point. */
function cellsAround(place: PlaceKey, point: Point): Cell[] {
  const cells: Cell[] = []
  const own = rowIndex(place, point.latitude)
  const first = Math.max(own - ROWS_AROUND, 0)
  const last = Math.min(own + ROWS_AROUND, rowIndex(place, 90))
  for (let index = first; index <= last; index++) {
    if (Math.abs(foldLatitude(rowLatitude(place, index)) - point.latitude) > REACH_DEGREES) continue
    const row = rowAt(place, index)
    const wedges = row.columns <= WEDGES
    const west = wedges ? 0 : columnIndex(row, point.longitude) - COLUMNS_AROUND
    const count = wedges ? row.columns : 2 * COLUMNS_AROUND + 1
    for (let column = west; column < west + count; column++) {
      const cell = cellIn(row, column)
      const isNear = distance(cell.centre, point) <= REACH_M
      if (isNear && distance(anchorOf(place, cell), point) <= RECALL_M) cells.push(cell)
    }
  }
  return cells
}

/** The cell that a point lies in. */
function cellAt(place: PlaceKey, point: Point): Cell {
  const row = rowAt(place, rowIndex(place, point.latitude))
  return cellIn(row, columnIndex(row, point.longitude))
}

const rowIndex = (place: PlaceKey, latitude: number) => Math.floor((latitude + 90) / ROW_DEGREES + place.phase)

const rowLatitude = (place: PlaceKey, index: number) => (index + 0.5 - place.phase) * ROW_DEGREES - 90

function rowAt(place: PlaceKey, index: number): Row {
  const latitude = rowLatitude(place, index)
  const length = 2 * Math.PI * EARTH_RADIUS_M * Math.cos(radians(latitude))
  const columns = Math.max(1, Math.floor(length / CELL_M))
  return { index, latitude, columns, width: 360 / columns, shift: place.shift(index) }
}

/** Columns are counted from the west end of the row; see `cellIn` for those beyond its ends. */
const columnIndex = (row: Row, longitude: number) =>
  Math.floor((wrapLongitude(longitude) + 180) / row.width + row.shift)

/** The cell of a column. Column numbers wrap around, because the row is a ring. */
function cellIn(row: Row, column: number): Cell {
  const longitude = (column + 0.5 - row.shift) * row.width - 180
  const beyondPole = Math.abs(row.latitude) > 90
  return {
    row: row.index,
    column: ((column % row.columns) + row.columns) % row.columns,
    centre: {
      latitude: foldLatitude(row.latitude),
      longitude: wrapLongitude(beyondPole ? longitude + 180 : longitude),
    },
  }
}

/** The centre of the first and of the last row can lie up to half a cell beyond the pole: on the opposite meridian. */
const foldLatitude = (latitude: number) => (Math.abs(latitude) > 90 ? Math.sign(latitude) * 180 - latitude : latitude)

function anchorOf(place: PlaceKey, cell: Cell): Point {
  const [far, round] = place.anchor(cell.row, cell.column)
  return destination(cell.centre, 2 * Math.PI * round, ANCHOR_M * Math.sqrt(far))
}

function pointOf(place: PlaceKey, cell: Cell): Point {
  const [far, round] = place.noise(cell.row, cell.column)
  const { latitude, longitude } = destination(cell.centre, 2 * Math.PI * round, 150 + 300 * far)
  return { latitude: fiveDecimals(latitude), longitude: wrapLongitude(fiveDecimals(longitude)) }
}

/** The tags after one more use of `tag`. If the list is full, a new tag replaces the least used one. */
function counted(tags: readonly TagUse[], tag: string): TagUse[] {
  if (tags.some((known) => known.tag === tag)) {
    return tags.map((known) => (known.tag === tag ? { tag, uses: known.uses + 1 } : known))
  }
  if (tags.length < MAX_TAGS) return [...tags, { tag, uses: 1 }]
  return [...tags.toSorted(byUse).slice(0, MAX_TAGS - 1), { tag, uses: 1 }]
}

/** Most used first. The tag breaks ties, so that the result does not depend on the order of the stored rows. */
const byUse = (a: TagUse, b: TagUse) => b.uses - a.uses || (a.tag < b.tag ? -1 : 1)

const hmac = (key: Uint8Array, message: string) => new Bun.CryptoHasher('sha256', key).update(message).digest()

/** 48 bits from `offset` on as a number in [0, 1). */
const fraction = (bytes: Buffer, offset: number) => bytes.readUIntBE(offset, 6) / 2 ** 48

const fiveDecimals = (degrees: number) => Math.round(degrees * 1e5) / 1e5
