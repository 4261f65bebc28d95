/**
 * What an attacker learns from published positions: simulated attacks on the real `follow`, beside fresh noise (a new
 * offset at every update, which is what "random noise of about 300 m" is usually taken to mean).
 *
 *     bun bench/privacy.ts [--json FILE]        exits 1 where a bar is missed; the same figures at every run
 *
 * The attacker knows the scheme, sees every published point, and knows for each whether the user was then at the place
 * in question, which grants a home that is only guessed from the hours. The key alone is secret. A guess is made by
 * each of three estimators, and a row shows the one that comes closest on average:
 *
 * - the mean of all points seen: what defeats fresh noise;
 * - the point seen most often: what one would take for the place;
 * - the mean of the points seen, each counted once: they are as many independent draws around the same place, and
 *   outliers are what brings new ones.
 *
 * An error is the distance from the guess to the truth. The worst decile is the mean over the tenth of the users whose
 * guess comes closest.
 *
 * The users: homes anywhere up to 60° north or south. A GPS error is normal along each axis with the σ of the row;
 * "outliers" adds to one reading in a hundred a further error of σ 150 m. A commuter's day has 15 readings at home, 4
 * at work (2 to 10 km away), and 2 each way, a quarter and three quarters along unless the row says otherwise. A walk
 * of 2 km winds: the heading turns by σ 0.15 rad every 20 m. GPS σ is 10 m in all rows that name none, and 0 in those
 * of a first publication and of a rotated key.
 *
 * Whoever holds a stolen token sends readings of their own for an hour, at the limit of 60, and sees the answers. They
 * look for the edge of the zone in which the home is recalled, and guess from the circle that fits what they found.
 *
 * Three rows go beyond the attack they follow. The known place is used in the way that serves best (which is to ignore
 * it), under the same bar. The walk is set against the published points of some updates later, as these trail the walker,
 * under a lower one. What bisecting has found is weighed against the published point, which is not promised. Nor is what
 * the other rows without a bar measure: with updates anywhere on the way, the points of the way's end are still shown at
 * some arrivals at home; and a rotated key draws each place once more.
 */
import { parseArgs } from 'node:util'
import { follow, NOWHERE, placeKey, type PlaceKey, type Whereabouts } from '../src/features/location/published-point.ts'
import { destination, distance, EARTH_RADIUS_M, radians, wrapLongitude } from '../src/features/location/sphere.ts'
import type { Point } from '../src/features/location/sphere.ts'
import { chart, type Pair } from './report.ts'

const USERS = 1000
const KEY = new Uint8Array(32).fill(1)
const OTHER_KEY = new Uint8Array(32).fill(2)

type Random = () => number

/** Metres east and north. */
type Offset = { east: number; north: number }

type Noise = { sigma: number; outliers: boolean }
const CLEAR: Noise = { sigma: 10, outliers: false }
const CITY: Noise = { sigma: 30, outliers: true }

/** A figure in metres and what it must lie between; a bar not given is no bar. */
type Figure = { name: string; metres: number; atLeast?: number; atMost?: number }
type Row = { attack: string; users: number; freshNoise: number | null; figures: Figure[] }

function* attacks(): Generator<Row> {
  yield oneSpot()
  yield commuting('200 days of commuting, home guessed, σ 10 m', {
    noise: CLEAR,
    onTheWay: 'at stops',
    count: USERS,
    bar: { mean: 280, worst: 110 },
  })
  yield commuting('the same, σ 30 m and outliers', {
    noise: CITY,
    onTheWay: 'at stops',
    count: USERS,
    bar: { mean: 190, worst: 50 },
  })
  yield* knownPlace()
  yield* walk()
  yield* stolenToken()
  yield firstPublication('0°', (random) => ({ latitude: 0, longitude: anyLongitude(random) }))
  yield firstPublication('60°', (random) => ({ latitude: 60, longitude: anyLongitude(random) }))
  yield firstPublication('85°', (random) => ({ latitude: 85, longitude: anyLongitude(random) }))
  yield firstPublication('±180°', (random) => ({ ...somewhere(random), longitude: 180 + (random() - 0.5) / 500 }))
  yield commuting('200 days of commuting with updates anywhere on the way, σ 10 m', {
    noise: CLEAR,
    onTheWay: 'anywhere',
    count: 300,
  })
  yield rotatedKey()
}

/** An update after another from one spot. */
function oneSpot(): Row {
  const updates = 10_000
  const errors = new Errors()
  for (const user of users('one spot')) {
    const spot = somewhere(user.random)
    const seen = new Sightings(spot)
    for (let i = 0; i < updates; i++) seen.add(user.send(gps(user.random, spot, CLEAR)))
    errors.add(seen)
  }
  return {
    attack: 'mean of 10,000 updates from one spot, GPS σ 10 m',
    users: USERS,
    freshNoise: freshNoise(updates, CLEAR),
    figures: [
      { name: 'mean', metres: mean(errors.best()), atLeast: 280 },
      { name: '5th percentile', metres: percentile(errors.best(), 0.05), atLeast: 120 },
    ],
  }
}

type Commute = {
  noise: Noise
  onTheWay: 'at stops' | 'anywhere'
  count: number
  bar?: { mean: number; worst: number }
}

/** Updates on the way to work, there, on the way back, and at home, where the attacker looks. */
function commuting(attack: string, { noise, onTheWay, count, bar }: Commute): Row {
  const days = 200
  const atHome = 15
  const atWork = 4
  const errors = new Errors()
  for (const { random, send } of users('commuting', count)) {
    const home = somewhere(random)
    const bearing = 2 * Math.PI * random()
    const commute = 2000 + 8000 * random()
    const sendFrom = (place: Point) => send(gps(random, place, noise))
    const travel = (halves: number[]) => {
      for (const half of halves) {
        const part = half + (onTheWay === 'at stops' ? 0.25 : 0.5 * random())
        sendFrom(destination(home, bearing, part * commute))
      }
    }

    const work = destination(home, bearing, commute)
    const seen = new Sightings(home)
    for (let day = 0; day < days; day++) {
      travel([0, 0.5])
      for (let i = 0; i < atWork; i++) sendFrom(work)
      travel([0.5, 0])
      for (let i = 0; i < atHome; i++) seen.add(sendFrom(home))
    }
    errors.add(seen)
  }
  return {
    attack,
    users: count,
    freshNoise: freshNoise(days * atHome, noise),
    figures: [
      { name: 'mean', metres: mean(errors.best()), atLeast: bar?.mean },
      { name: 'worst decile', metres: worstDecile(errors.best()), atLeast: bar?.worst },
    ],
  }
}

/** The user goes from a place that the attacker knows to another, 1 km away. */
function* knownPlace(): Generator<Row> {
  const carriedOver: number[] = []
  const ignored: number[] = []
  // as the second figure lies close to its bar, so many that chance does not decide
  for (const user of users('known place', 10 * USERS)) {
    const known = somewhere(user.random)
    const home = destination(known, 2 * Math.PI * user.random(), 1000)
    const settle = (place: Point) => {
      for (let i = 0; i < 9; i++) user.send(gps(user.random, place, CLEAR))
      return offset(place, user.send(gps(user.random, place, CLEAR)))
    }
    const there = settle(known)
    const here = settle(home)
    carriedOver.push(Math.hypot(here.east - there.east, here.north - there.north))
    ignored.push(Math.hypot(here.east, here.north))
  }
  const fresh = freshNoise(10_000, CLEAR)
  yield {
    attack: 'one true place 1 km away is known, its offset carried over',
    users: carriedOver.length,
    freshNoise: fresh,
    figures: [{ name: 'mean', metres: mean(carriedOver), atLeast: 300 }],
  }
  yield {
    attack: 'the same, used as serves the attacker best',
    users: ignored.length,
    freshNoise: fresh,
    figures: [{ name: 'mean', metres: Math.min(mean(carriedOver), mean(ignored)), atLeast: 300 }],
  }
}

/**
 * The path error: the mean distance between the centroids of the published and of the true points, over windows of
 * equal length that slide along the walk; the length that serves the attacker best.
 */
function* walk(): Generator<Row> {
  const updates = 101
  const published = new PathErrors(updates, 0)
  const later = Array.from({ length: 11 }, (_, delay) => new PathErrors(updates, delay))
  const fresh = new PathErrors(updates, 0)
  for (const user of users('walk')) {
    let place = somewhere(user.random)
    let heading = 2 * Math.PI * user.random()
    const start = place
    const truth: Offset[] = []
    const seen: Offset[] = []
    const noisy: Offset[] = []
    for (let i = 0; i < updates; i++) {
      const reading = gps(user.random, place, CLEAR)
      truth.push(offset(start, place))
      seen.push(offset(start, user.send(reading)))
      noisy.push(offset(start, withFreshNoise(user.random, reading)))
      heading += 0.15 * normal(user.random)
      place = destination(place, heading, 20)
    }
    published.add(truth, seen)
    fresh.add(truth, noisy)
    for (const delayed of later) delayed.add(truth, seen)
  }
  yield {
    attack: '2 km walk, an update every 20 m: path error',
    users: USERS,
    freshNoise: fresh.best(),
    figures: [{ name: 'mean', metres: published.best(), atLeast: 150 }],
  }
  yield {
    attack: 'the same, against the points published some updates later',
    users: USERS,
    freshNoise: fresh.best(),
    figures: [{ name: 'mean', metres: Math.min(...later.map((delayed) => delayed.best())), atLeast: 100 }],
  }
}

/** The edge of the zone in which a home is recalled, by bisection: what an hour with a stolen token gives away. */
export function stolenToken(count = USERS): Row[] {
  const byCircle: number[] = []
  const byCircleAndPoint: number[] = []
  for (const user of users('stolen token', count)) {
    const home = somewhere(user.random)
    for (let i = 0; i < 100; i++) user.send(gps(user.random, home, CLEAR))
    const published = user.send(home)
    let left = 60
    const point = (at: Offset) => destination(published, Math.atan2(at.east, at.north), Math.hypot(at.east, at.north))
    const isPublished = (answer: Point) =>
      answer.latitude === published.latitude && answer.longitude === published.longitude
    /** Twice, as the first reading elsewhere passes for an outlier and is answered like the one before. */
    function isRecalledAt(at: Offset): boolean {
      left -= 2
      user.send(point(at))
      return isPublished(user.send(point(at)))
    }

    // The home is some 300 m from the published point: it is somewhere in a ring around that.
    const [first, turn] = [2 * Math.PI * user.random(), 2 * Math.PI * user.random()]
    const tries = [
      { east: 0, north: 0 },
      ...Array.from({ length: 6 }, (_, i) => onCircle(first + (i * Math.PI) / 3, 300)),
    ]
    const inside = tries.find(isRecalledAt) ?? tries[0]!
    const edge: Offset[] = []
    for (let i = 0; left >= 10; i++) {
      const bearing = turn + i * 2.4
      let [near, far] = [0, 700]
      for (let step = 0; step < 5; step++) {
        const middle = (near + far) / 2
        if (isRecalledAt(add(inside, onCircle(bearing, middle)))) near = middle
        else far = middle
      }
      edge.push(add(inside, onCircle(bearing, (near + far) / 2)))
    }
    const centre = circleThrough(edge, 350)
    const truth = offset(published, home)
    byCircle.push(apart(centre, truth))
    byCircleAndPoint.push(apart(likeliest(centre), truth))
  }
  return [
    {
      attack: 'a stolen token bisects the edge of the recall zone for an hour',
      users: count,
      freshNoise: null,
      figures: [{ name: 'mean', metres: mean(byCircle), atLeast: 130 }],
    },
    {
      attack: 'the same, weighed against the published point',
      users: count,
      freshNoise: null,
      figures: [{ name: 'mean', metres: mean(byCircleAndPoint) }],
    },
  ]
}

const onCircle = (bearing: number, metres: number): Offset => ({
  east: metres * Math.sin(bearing),
  north: metres * Math.cos(bearing),
})
const add = (a: Offset, b: Offset): Offset => ({ east: a.east + b.east, north: a.north + b.north })
const apart = (a: Offset, b: Offset) => Math.hypot(a.east - b.east, a.north - b.north)

/** The centre of the circle of that radius which comes closest to the points: the best on a grid that gets finer. */
function circleThrough(points: readonly Offset[], radius: number): Offset {
  const misfit = (centre: Offset) => points.reduce((sum, at) => sum + (apart(centre, at) - radius) ** 2, 0)
  let best: Offset = { east: 0, north: 0 }
  for (let step = 160; step >= 1; step /= 2) {
    const from = best
    for (let i = -6; i <= 6; i++)
      for (let j = -6; j <= 6; j++) {
        const centre = { east: from.east + i * step, north: from.north + j * step }
        if (misfit(centre) < misfit(best)) best = centre
      }
  }
  return best
}

/**
 * The mean of where the cell may be: up to 200 m from its anchor, and 150 to 450 m from the published point (the origin),
 * where a distance is as likely as any other.
 */
function likeliest(anchor: Offset): Offset {
  let [east, north, weights] = [0, 0, 0]
  for (let i = -20; i <= 20; i++)
    for (let j = -20; j <= 20; j++) {
      const at = add(anchor, { east: 10 * i, north: 10 * j })
      const far = Math.hypot(at.east, at.north)
      if (Math.hypot(i, j) > 20 || far < 150 || far > 450) continue
      east += at.east / far
      north += at.north / far
      weights += 1 / far
    }
  return weights === 0 ? anchor : { east: east / weights, north: north / weights }
}

function firstPublication(where: string, place: (random: Random) => Point): Row {
  const distances: number[] = []
  for (const user of users(`first publication at ${where}`, 10 * USERS)) {
    const truth = place(user.random)
    distances.push(distance(truth, user.send(truth)))
  }
  return {
    attack: `first publication at ${where}: distance from the truth`,
    users: distances.length,
    freshNoise: null,
    figures: [
      { name: 'mean', metres: mean(distances), atLeast: 290, atMost: 315 },
      { name: 'nearest', metres: Math.min(...distances), atLeast: 44 },
      { name: 'farthest', metres: Math.max(...distances), atMost: 556 },
    ],
  }
}

/** A lost or rotated key draws every place once more: two draws for the attacker to average. */
function rotatedKey(): Row {
  const errors: number[] = []
  for (const user of users('rotated key')) {
    const spot = somewhere(user.random)
    const [before, after] = [KEY, OTHER_KEY].map((key) => {
      const { published } = follow(placeKey(key, user.id), NOWHERE, spot)
      return offset(spot, published!)
    }) as [Offset, Offset]
    errors.push(Math.hypot((before.east + after.east) / 2, (before.north + after.north) / 2))
  }
  return {
    attack: 'one spot, before and after the key was rotated',
    users: errors.length,
    freshNoise: null,
    figures: [{ name: 'mean', metres: mean(errors) }],
  }
}

/** Users of a simulation of their own: their readings go through the real thing, and the published point comes back. */
function* users(simulation: string, count = USERS) {
  for (let i = 0; i < count; i++) {
    const id = `${simulation} ${i}`
    const place = remembering(placeKey(KEY, id))
    let whereabouts: Whereabouts = NOWHERE
    const send = (reading: Point): Point => {
      whereabouts = follow(place, whereabouts, reading)
      return whereabouts.published!
    }
    yield { id, random: randomFrom(id), send }
  }
}

/** The same grid, which computes no HMAC twice: thousands of readings from one spot ask for the same few. */
function remembering(place: PlaceKey): PlaceKey {
  const shifts = new Map<number, number>()
  const tags = new Map<number, string>()
  const anchors = new Map<number, [number, number]>()
  return {
    ...place,
    anchor: (row, column) => remembered(anchors, row * 2 ** 20 + column, () => place.anchor(row, column)),
    shift: (row) => remembered(shifts, row, () => place.shift(row)),
    // a row has at most 266,868 columns
    tag: (row, column) => remembered(tags, row * 2 ** 20 + column, () => place.tag(row, column)),
  }
}

function remembered<Value>(known: Map<number, Value>, key: number, compute: () => Value): Value {
  const found = known.get(key)
  if (found !== undefined) return found
  const value = compute()
  known.set(key, value)
  return value
}

/** The published points that the attacker saw while the user was at one place, and the guesses they allow. */
class Sightings {
  readonly #truth: Point
  readonly #points = new Map<string, { point: Point; times: number }>()
  #last: { point: Point; times: number } | null = null

  constructor(truth: Point) {
    this.#truth = truth
  }

  add(point: Point) {
    const last = this.#last
    if (last && last.point.latitude === point.latitude && last.point.longitude === point.longitude) {
      last.times++
      return
    }
    const name = `${point.latitude} ${point.longitude}`
    const seen = this.#points.get(name) ?? { point, times: 0 }
    seen.times++
    this.#points.set(name, seen)
    this.#last = seen
  }

  /** How far off each estimator's guess is, in metres. */
  errors(): { everySighting: number; mostFrequent: number; everyPoint: number } {
    let all: Offset = { east: 0, north: 0 }
    let each: Offset = { east: 0, north: 0 }
    let sightings = 0
    let favourite = { at: each, times: 0 }
    for (const { point, times } of this.#points.values()) {
      const at = offset(this.#truth, point)
      all = { east: all.east + at.east * times, north: all.north + at.north * times }
      each = { east: each.east + at.east, north: each.north + at.north }
      sightings += times
      if (times > favourite.times) favourite = { at, times }
    }
    return {
      everySighting: Math.hypot(all.east, all.north) / sightings,
      mostFrequent: Math.hypot(favourite.at.east, favourite.at.north),
      everyPoint: Math.hypot(each.east, each.north) / this.#points.size,
    }
  }
}

/** The errors of each estimator over the users. */
class Errors {
  readonly #everySighting: number[] = []
  readonly #mostFrequent: number[] = []
  readonly #everyPoint: number[] = []

  add(seen: Sightings) {
    const errors = seen.errors()
    this.#everySighting.push(errors.everySighting)
    this.#mostFrequent.push(errors.mostFrequent)
    this.#everyPoint.push(errors.everyPoint)
  }

  /** Those of the estimator that serves the attacker best. */
  best(): number[] {
    return [this.#everySighting, this.#mostFrequent, this.#everyPoint].reduce((a, b) => (mean(b) < mean(a) ? b : a))
  }
}

/** Path errors by the length of the window, where the walk is set against what was published `delay` updates later. */
class PathErrors {
  readonly #delay: number
  readonly #sums: number[]
  #users = 0

  constructor(updates: number, delay: number) {
    this.#delay = delay
    this.#sums = Array.from({ length: updates - delay }, () => 0)
  }

  add(truth: Offset[], published: Offset[]) {
    // sums up to each update, so that a window's is the difference of two
    const east = [0]
    const north = [0]
    for (const [i, at] of truth.slice(0, truth.length - this.#delay).entries()) {
      const then = published[i + this.#delay]!
      east.push(east[i]! + then.east - at.east)
      north.push(north[i]! + then.north - at.north)
    }
    const pairs = east.length - 1
    for (let length = 1; length <= pairs; length++) {
      let sum = 0
      for (let from = 0; from + length <= pairs; from++) {
        sum += Math.hypot(east[from + length]! - east[from]!, north[from + length]! - north[from]!) / length
      }
      this.#sums[length - 1]! += sum / (pairs - length + 1)
    }
    this.#users++
  }

  best(): number {
    return Math.min(...this.#sums) / this.#users
  }
}

/** How far off the mean of so many updates with fresh noise is, on average: its best estimator. */
function freshNoise(updates: number, noise: Noise): number {
  const random = randomFrom(`fresh noise ${updates} ${noise.sigma}`)
  const errors: number[] = []
  for (let user = 0; user < USERS; user++) {
    let east = 0
    let north = 0
    for (let i = 0; i < updates; i++) {
      const error = gpsError(random, noise)
      const bearing = 2 * Math.PI * random()
      const metres = 150 + 300 * random()
      east += error.east + metres * Math.sin(bearing)
      north += error.north + metres * Math.cos(bearing)
    }
    errors.push(Math.hypot(east, north) / updates)
  }
  return mean(errors)
}

const withFreshNoise = (random: Random, reading: Point): Point =>
  destination(reading, 2 * Math.PI * random(), 150 + 300 * random())

function gps(random: Random, place: Point, noise: Noise): Point {
  const { east, north } = gpsError(random, noise)
  return destination(place, Math.atan2(east, north), Math.hypot(east, north))
}

function gpsError(random: Random, { sigma, outliers }: Noise): Offset {
  const spread = outliers && random() < 0.01 ? Math.hypot(sigma, 150) : sigma
  return { east: spread * normal(random), north: spread * normal(random) }
}

const somewhere = (random: Random): Point => ({ latitude: 120 * random() - 60, longitude: anyLongitude(random) })

const anyLongitude = (random: Random) => 360 * random() - 180

/** Metres from one point to another close by. */
function offset(from: Point, to: Point): Offset {
  return {
    east: EARTH_RADIUS_M * Math.cos(radians(from.latitude)) * radians(wrapLongitude(to.longitude - from.longitude)),
    north: EARTH_RADIUS_M * radians(to.latitude - from.latitude),
  }
}

/** Numbers in [0, 1) that a name determines: sfc32 (Doty-Humphrey, PractRand). */
function randomFrom(name: string): Random {
  const seed = new Bun.CryptoHasher('sha256').update(name).digest()
  let a = seed.readInt32LE(0)
  let b = seed.readInt32LE(4)
  let c = seed.readInt32LE(8)
  let counter = 1
  return () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
}

/** A standard normal deviate (Box and Muller). */
const normal = (random: Random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

const ascending = (values: number[]) => values.toSorted((a, b) => a - b)

const percentile = (values: number[], part: number) => ascending(values)[Math.floor(part * values.length)]!

const worstDecile = (values: number[]) => mean(ascending(values).slice(0, Math.floor(values.length / 10)))

const reached = ({ metres, atLeast = -Infinity, atMost = Infinity }: Figure) => metres >= atLeast && metres <= atMost

const barred = ({ atLeast, atMost }: Figure) => atLeast !== undefined || atMost !== undefined

function barOf({ name, atLeast, atMost }: Figure): string {
  if (atLeast !== undefined && atMost !== undefined) return `${name} ${atLeast}–${atMost}`
  if (atLeast !== undefined) return `${name} ≥ ${atLeast}`
  return `${name} ≤ ${atMost}`
}

function tableLine({ attack, users, freshNoise, figures }: Row): string {
  const bars = figures.filter(barred)
  const cells = [
    attack,
    freshNoise === null ? '–' : freshNoise.toFixed(0),
    figures.map(({ name, metres }) => `${name} ${metres.toFixed(0)}`).join(', '),
    bars.map(barOf).join(', ') || '–',
    bars.length === 0 ? '–' : bars.every(reached) ? 'yes' : 'NO',
    users.toLocaleString('en'),
  ]
  return `| ${cells.join(' | ')} |`
}

const json = (rows: Row[]) => ({
  rows: rows.map(({ attack, users, freshNoise, figures }) => ({
    attack,
    users,
    fresh_noise_m: freshNoise,
    figures: figures.map((figure) => ({
      name: figure.name,
      metres: figure.metres,
      at_least: figure.atLeast ?? null,
      at_most: figure.atMost ?? null,
      ok: reached(figure),
    })),
  })),
})

/** What each attack leaves, beside what it leaves of fresh noise. */
const pairs = (rows: Row[]): Pair[] =>
  rows.flatMap(({ attack, freshNoise, figures }) =>
    freshNoise === null
      ? []
      : { name: attack, unit: 'm', ours: figures[0]!.metres, theirs: freshNoise, peer: 'fresh noise' },
  )

/** Prints the table as Markdown, row by row, and writes it to the files that `--json` and `--svg` name. */
export async function main() {
  const { values } = parseArgs({
    args: Bun.argv.slice(2),
    options: { json: { type: 'string' }, svg: { type: 'string' } },
    allowPositionals: true, // the bench's name
  })
  console.log('| attack (metres) | fresh noise | this scheme | bar | ok? | users |\n|---|---|---|---|---|---|')
  const rows: Row[] = []
  for (const row of attacks()) {
    console.log(tableLine(row))
    rows.push(row)
  }
  if (values.json) await Bun.write(values.json, `${JSON.stringify(json(rows), null, 2)}\n`)
  if (values.svg)
    await Bun.write(values.svg, chart('Metres that attacks leave between a guess and the place', pairs(rows)))
  if (!rows.every(({ figures }) => figures.every(reached))) process.exitCode = 1
}

if (import.meta.main) await main()
