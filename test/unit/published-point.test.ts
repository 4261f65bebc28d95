import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createHmac } from 'node:crypto'
import { stolenToken } from '../../bench/privacy.ts'
import { follow, NOWHERE, placeKey, type Whereabouts } from '../../src/features/location/published-point.ts'
import { destination, distance, EARTH_RADIUS_M, type Point } from '../../src/features/location/sphere.ts'

const KEY = Uint8Array.from({ length: 32 }, (_, i) => i)
const ANN = '018f6f4e-0000-7000-8000-000000000001'
const BOB = '018f6f4e-0000-7000-8000-000000000002'
const BERLIN: Point = { latitude: 52.52001, longitude: 13.40495 }

const at = (latitude: number, longitude: number): Point => ({ latitude, longitude })

/** The whereabouts after some readings, each taken as by a process that has just started. */
function after(userId: string, ...readings: Point[]): Whereabouts {
  return readings.reduce(
    (before: Whereabouts, reading) => JSON.parse(JSON.stringify(follow(placeKey(KEY, userId), before, reading))),
    NOWHERE,
  )
}

const users = (count: number) => Array.from({ length: count }, (_, i) => `user ${i}`)

/** The initial bearing from one point to another close by, in radians. */
const bearing = (from: Point, to: Point) =>
  Math.atan2((to.longitude - from.longitude) * Math.cos((from.latitude * Math.PI) / 180), to.latitude - from.latitude)

/** A reading that is no longer of its place, but not far from its published point either. */
const outlierOf = (place: Point, { published }: Whereabouts) => destination(place, bearing(place, published!), 640)

describe('the scheme', () => {
  // Worked out by another implementation, in another language, from the description alone.
  test.each([
    ['null island', ANN, at(0, 0), at(-0.00228, -0.00291), 'a043084050d5a489'],
    ['Berlin', ANN, BERLIN, at(52.51693, 13.4062), '5acf5f95713317fd'],
    ['Sydney', ANN, at(-33.8688, 151.2093), at(-33.86688, 151.2123), 'd9034d721caad13e'],
    ['the antimeridian', ANN, at(59.95, -180), at(59.94797, -179.99826), '35e150e888af8fa5'],
    ['west of the antimeridian', ANN, at(-17.7134, 179.9999), at(-17.71277, -179.99944), '5cd37e46f1c92070'],
    ['east of the antimeridian', ANN, at(71, -179.9999), at(70.9988, 179.99563), 'e4ac456662a5020f'],
    ['near the north pole', ANN, at(89.9, 45), at(89.90045, 43.54384), 'd60bb52632af5b5b'],
    ['the north pole', ANN, at(90, 0), at(89.99646, 129.11222), 'eeb58fe87719ed95'],
    ['the south pole', ANN, at(-90, 10), at(-89.99715, -1.44931), '10ee851c223007a3'],
    ['Berlin', BOB, BERLIN, at(52.51653, 13.40665), 'a1b598616ce8846d'],
    ['the north pole', BOB, at(90, 0), at(89.99781, -103.40578), '38710fd6a92638b1'],
  ])('is what it was, at %s for %s', (_where, userId, reading, published, cell) => {
    expect(after(userId, reading)).toEqual({ published, cell, strayed: false, tags: [{ tag: cell, uses: 1 }] })
  })

  test('refuses a key that is not of 32 bytes', () => {
    expect(() => placeKey(new Uint8Array(31), 'user')).toThrow('31 bytes')
    expect(() => placeKey(new Uint8Array(0), 'user')).toThrow('0 bytes')
  })
})

describe('the noise', () => {
  test.each([
    ['0°', at(0, 10)],
    ['60°', at(60, 10)],
    ['85°', at(-85, 10)],
    ['89.9°', at(89.9, 10)],
    ['180°', at(30, 180)],
    ['-180°', at(-30, -180)],
    ['the north pole', at(90, 0)],
    ['the south pole', at(-90, 0)],
  ])('moves a first position by 44 to 556 m, 300 on average, at %s', (_where, place) => {
    const distances = users(1500).map((userId) => {
      const { published } = follow(placeKey(KEY, userId), NOWHERE, place)
      expect(Math.abs(published!.latitude)).toBeLessThanOrEqual(90)
      expect(published!.longitude).toBeWithin(-180, 180)
      return distance(place, published!)
    })
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(44)
    expect(Math.max(...distances)).toBeLessThanOrEqual(556)
    expect(distances.reduce((a, b) => a + b) / distances.length).toBeWithin(290, 315)
  })

  test('differs between two users at one spot, and between two keys', () => {
    const points = users(300).map((userId) => JSON.stringify(after(userId, BERLIN).published))
    expect(new Set(points).size).toBe(300)
    const other = follow(placeKey(new Uint8Array(32), 'user 0'), NOWHERE, BERLIN)
    expect(JSON.stringify(other.published)).not.toBe(points[0])
  })

  test('is rounded to 5 decimals, and so is all that is stored of a coordinate', () => {
    for (const userId of users(50)) {
      const { published, ...rest } = after(userId, BERLIN)
      for (const degrees of Object.values(published!)) expect(degrees).toBe(Number(degrees.toFixed(5)))
      expect(Object.keys(rest).sort()).toEqual(['cell', 'strayed', 'tags'])
      expect(rest.tags).toEqual([{ tag: expect.stringMatching(/^[0-9a-f]{16}$/), uses: 1 }])
    }
  })

  test('tells nothing finer than the cell: the whereabouts are the same wherever in it the reading was', () => {
    let shared = 0
    for (const userId of users(200)) {
      const here = after(userId, BERLIN)
      const aside = after(userId, destination(BERLIN, 1, 20))
      if (here.cell === aside.cell) {
        expect(aside).toEqual(here)
        shared++
      }
    }
    expect(shared).toBeGreaterThan(140) // 20 m aside is the next cell for one user in six
  })
})

describe('a place', () => {
  test('keeps its point over many readings around it, across restarts', () => {
    for (const userId of users(20)) {
      const readings = Array.from({ length: 30 }, (_, i) => destination(BERLIN, i, 3 * i))
      const first = after(userId, BERLIN)
      const last = after(userId, BERLIN, ...readings)
      expect(last.published).toEqual(first.published)
      expect(last.tags).toEqual([{ tag: first.cell!, uses: 31 }])
    }
  })

  test('gets its point back when the user returns, in whatever order the tags were stored', () => {
    const away = destination(BERLIN, 2, 5000)
    for (const userId of users(50)) {
      const first = after(userId, BERLIN, BERLIN)
      const gone = after(userId, BERLIN, BERLIN, away, away)
      expect(gone.published).not.toEqual(first.published)
      // 90 m aside: for most users another cell, which has never been published
      const stored = { ...gone, tags: gone.tags.toReversed() }
      const back = follow(placeKey(KEY, userId), stored, destination(BERLIN, 4, 90))
      expect(back.published).toEqual(first.published)
      expect(back.tags).toContainEqual({ tag: first.cell!, uses: 3 })
    }
  })

  test('is the same on either name of a meridian', () => {
    for (const userId of users(20)) {
      expect(after(userId, at(10, -180))).toEqual(after(userId, at(10, 180)))
      expect(after(userId, at(10, 380.25))).toEqual(after(userId, at(10, 20.25)))
      expect(after(userId, at(10, -339.75))).toEqual(after(userId, at(10, 20.25)))
    }
  })

  test('is recognised across the antimeridian', () => {
    for (const userId of users(50)) {
      const east = after(userId, at(10, 179.9999), at(10, 179.9999))
      const west = follow(placeKey(KEY, userId), east, at(10, -179.9999))
      expect(west.published).toEqual(east.published)
      expect(west.strayed).toBe(false)
    }
  })
})

test('whoever may send positions for somebody does not find their home by the edge of what recalls it', () => {
  const [bisected] = stolenToken(300)
  expect(bisected!.figures[0]!.metres).toBeGreaterThanOrEqual(130)
})

test('a cell published before there were anchors keeps its point', () => {
  for (const userId of users(50)) {
    // As it was stored: the point and the tag of a cell are drawn as ever.
    const before = after(userId, BERLIN)
    const again = follow(placeKey(KEY, userId), { ...before, strayed: false }, BERLIN)
    expect(again).toEqual({ ...before, tags: [{ tag: before.cell!, uses: 2 }] })
  }
})

describe('an outlier', () => {
  test('moves nothing, and leaves no trace but the flag', () => {
    for (const userId of users(100)) {
      const before = after(userId, BERLIN)
      const outlier = outlierOf(BERLIN, before)
      expect(after(userId, BERLIN, outlier)).toEqual({ ...before, strayed: true })
      expect(after(userId, BERLIN, outlier, BERLIN)).toEqual(after(userId, BERLIN, BERLIN))
    }
  })

  test('moves nothing when the one before it was long ago', () => {
    for (const userId of users(20)) {
      const before = after(userId, BERLIN)
      const outlier = outlierOf(BERLIN, before)
      const later = after(userId, BERLIN, outlier, BERLIN, outlier, BERLIN, outlier)
      expect(later.published).toEqual(before.published)
    }
  })

  test('that is followed by another is a move, and the next outlier is the first again', () => {
    for (const userId of users(100)) {
      const before = after(userId, BERLIN)
      const elsewhere = outlierOf(BERLIN, before)
      const moved = after(userId, BERLIN, elsewhere, elsewhere)
      expect(moved.published).not.toEqual(before.published)
      expect(moved.strayed).toBe(false)
      expect(moved.tags).toHaveLength(2)
      const again = follow(placeKey(KEY, userId), moved, outlierOf(elsewhere, moved))
      expect(again).toEqual({ ...moved, strayed: true })
    }
  })

  test('is one up to 600 m from the published point, and none beyond', () => {
    for (const userId of users(50)) {
      const before = after(userId, BERLIN)
      const away = bearing(BERLIN, before.published!)
      const [near, far] = [599.5, 600.5].map((metres) => destination(before.published!, away, metres))
      expect(after(userId, BERLIN, near!)).toEqual({ ...before, strayed: true })
      expect(after(userId, BERLIN, far!).published).not.toEqual(before.published)
    }
  })

  test('is none where it is more than 1.6 km away: that is a move at once, in every direction', () => {
    for (const userId of users(100)) {
      const before = after(userId, BERLIN)
      for (const direction of [0, 1, 2, 3, 4, 5, bearing(BERLIN, before.published!)]) {
        // 450 m of noise, 550 m from the centre at which a cell is recalled, and 600 m of tolerance make 1,600
        const moved = after(userId, BERLIN, destination(BERLIN, direction, 1601))
        expect(moved.published).not.toEqual(before.published)
        expect(moved.strayed).toBe(false)
      }
    }
  })
})

describe('the tags', () => {
  const place = placeKey(KEY, 'a traveller')
  const stop = (i: number) => destination(BERLIN, 1, 3000 * i)
  const visit = (before: Whereabouts, i: number) => follow(place, before, stop(i))

  test('are at most 128, and the least used goes first', () => {
    // stop 0 three times, the other 127 twice, then newcomers
    let whereabouts = visit(NOWHERE, 0)
    for (let round = 0; round < 2; round++) for (let i = 0; i < 128; i++) whereabouts = visit(whereabouts, i)
    const regulars = new Map(whereabouts.tags.map(({ tag, uses }) => [tag, uses]))
    expect(regulars.size).toBe(128)
    expect([...regulars.values()].filter((uses) => uses === 3)).toHaveLength(1)

    let dropped: string[] = []
    for (let i = 128; i < 200; i++) {
      whereabouts = visit(whereabouts, i)
      expect(whereabouts.tags).toHaveLength(128)
      expect(whereabouts.tags).toContainEqual({ tag: whereabouts.cell!, uses: 1 })
      dropped = [...regulars.keys()].filter((tag) => !whereabouts.tags.some((kept) => kept.tag === tag))
      // each newcomer takes the place of the one before it, as that was used but once
      expect(dropped).toHaveLength(1)
    }
    expect(regulars.get(dropped[0]!)).toBe(2)
  })

  test('drop the same one in whatever order they were stored', () => {
    let whereabouts = NOWHERE
    for (let i = 0; i < 128; i++) whereabouts = visit(whereabouts, i)
    const reversed = { ...whereabouts, tags: whereabouts.tags.toReversed() }
    const sorted = (after: Whereabouts) => after.tags.map(({ tag }) => tag).sort()
    expect(sorted(visit(reversed, 128))).toEqual(sorted(visit(whereabouts, 128)))
  })

  test('are never changed in place', () => {
    const before = Object.freeze({ ...after('user 0', BERLIN), tags: Object.freeze([]) })
    follow(placeKey(KEY, 'user 0'), before, BERLIN)
    expect(before.tags).toEqual([])
  })
})

/** The cells around a point, by trying every cell there could be: their tag, their point, how far away their anchor is. */
function cellsByTrial(userId: string, point: Point) {
  const hmac = (key: Uint8Array, message: string) => createHmac('sha256', key).update(message).digest()
  const prf = (label: string) => hmac(hmac(KEY, `loc-v1\0${userId}`), label)
  const unit = (bytes: Buffer, from: number) => Number(bytes.readUIntBE(from, 6)) / 2 ** 48
  const h = (150 / EARTH_RADIUS_M) * (180 / Math.PI)
  const phase = unit(prf('phase'), 0)
  const own = Math.floor((point.latitude + 90) / h + phase)

  return [-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6].flatMap((step) => {
    const row = own + step
    if (row < 0 || row > Math.floor(180 / h + phase)) return []
    const latitude = (row + 0.5 - phase) * h - 90
    const circle = 2 * Math.PI * EARTH_RADIUS_M * Math.cos((latitude * Math.PI) / 180)
    const columns = Math.max(1, Math.floor(circle / 150))
    const width = 360 / columns
    const shift = unit(prf(`row|${row}`), 0)
    const column = Math.floor((point.longitude + 180) / width + shift)
    const few = columns < 300
    return Array.from({ length: few ? columns : 15 }, (_, i) => {
      const c = ((few ? i : column - 7 + i) + columns) % columns
      // going on beyond the pole along the meridian is what the sphere does with a latitude beyond 90° too
      const centre = destination({ latitude: 0, longitude: (c + 0.5 - shift) * width - 180 }, 0, (latitude / h) * 150)
      const noise = prf(`pt|${row}|${c}`)
      const drawn = prf(`an|${row}|${c}`)
      const anchor = destination(centre, 2 * Math.PI * unit(drawn, 6), 200 * Math.sqrt(unit(drawn, 0)))
      return {
        tag: prf(`tag|${row}|${c}`).toString('hex', 0, 8),
        published: destination(centre, 2 * Math.PI * unit(noise, 6), 150 + 300 * unit(noise, 0)),
        metres: distance(anchor, point),
        rowsAway: Math.abs(step),
        own: step === 0 && c === column % columns,
      }
    })
  })
}

describe('of the published cells, wherever on Earth, a reading takes', () => {
  const starts = [BERLIN, at(0, 0), at(-60, 179.9995), at(85, -179.999), at(89.9, 3), at(90, 0), at(-90, 0)]
  const readings = fc
    .tuple(fc.constantFrom(...starts), fc.double({ min: 0, max: 6.28, noNaN: true }), fc.nat(500))
    .map(([start, direction, metres]) => destination(start, direction, metres))
  const userIds = fc.nat(10_000).map((i) => `user ${i}`)
  type Trial = ReturnType<typeof cellsByTrial>[number]
  // Far away, so that nothing passes for an outlier; the uses all differ, so that there are no ties.
  const havingBeenIn = (cells: Trial[]): Whereabouts => ({
    published: at(40, -100),
    cell: '0000000000000000',
    strayed: false,
    tags: cells.slice(0, 128).map(({ tag }, i) => ({ tag, uses: 1000 - i })),
  })

  test('the most used whose anchor is within 350 m', () => {
    fc.assert(
      fc.property(readings, userIds, (reading, userId) => {
        const cells = cellsByTrial(userId, reading)
        // The farther the more used, so that one missed or one too many is seen.
        const within = cells.filter(({ metres }) => metres <= 350).sort((a, b) => b.metres - a.metres)
        const [expected] = within
        const { published, cell, tags } = follow(placeKey(KEY, userId), havingBeenIn(within), reading)
        expect(cell).toBe(expected!.tag)
        expect(distance(published!, expected!.published)).toBeLessThan(1) // 5 decimals
        expect(tags).toContainEqual({ tag: expected!.tag, uses: 1001 })
      }),
      { numRuns: 400 },
    )
  })

  test('none whose anchor is beyond 350 m, but its own cell', () => {
    fc.assert(
      fc.property(readings, userIds, (reading, userId) => {
        const cells = cellsByTrial(userId, reading)
        const beyond = cells.filter(({ metres }) => metres > 350).sort((a, b) => a.metres - b.metres)
        const expected = cells.find(({ own }) => own)!
        const { published, cell, tags } = follow(placeKey(KEY, userId), havingBeenIn(beyond), reading)
        expect(cell).toBe(expected.tag)
        expect(distance(published!, expected.published)).toBeLessThan(1)
        expect(tags).toContainEqual({ tag: expected.tag, uses: 1 })
      }),
      { numRuns: 400 },
    )
  })

  test('one that is centred beyond the pole, from rows away', () => {
    // nearly all of this user's southernmost row lies beyond the pole
    const userId = users(1000).find((id) => placeKey(KEY, id).phase > 0.99)!
    let fromRowsAway = 0
    for (let longitude = -180; longitude < 180; longitude += 5) {
      const reading = at(-90 + 320 / 111195, longitude)
      for (const trial of cellsByTrial(userId, reading).filter(({ metres }) => metres <= 350)) {
        expect(follow(placeKey(KEY, userId), havingBeenIn([trial]), reading).cell).toBe(trial.tag)
        if (trial.rowsAway >= 3) fromRowsAway++
      }
    }
    expect(fromRowsAway).toBeGreaterThan(0)
  })
})
