import { deflateSync } from 'node:zlib'
import { distanceWithin, type Luminance, uprightHashOf, usualDistance, wordsOf } from '../src/features/media/pdq.ts'

/** A picture by its colour at each place, both from 0 to 1; colours from 0 to 255. */
export type Painting = (x: number, y: number) => [number, number, number]

/** Numbers from 0 to below 1 that look random and are always the same (mulberry32). */
export function seeded(seed: number) {
  let state = seed * 0x9e3779b9
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A picture as photos are: waves of all directions, the finer the fainter, and some shapes with edges. Each seed makes another one. */
export function painting(seed: number): Painting {
  const random = seeded(seed)
  const waves = Array.from({ length: 24 }, () => {
    const frequency = 0.5 + 7 * random() ** 2
    const direction = random() * 2 * Math.PI
    return {
      x: Math.cos(direction) * frequency * 2 * Math.PI,
      y: Math.sin(direction) * frequency * 2 * Math.PI,
      phase: random() * 2 * Math.PI,
      height: 60 / (1 + frequency),
      tint: random() - 0.5,
    }
  })
  const shapes = Array.from({ length: 8 }, () => {
    const [left, top] = [random(), random()]
    return {
      left,
      top,
      right: left + 0.05 + random() * 0.4,
      bottom: top + 0.05 + random() * 0.4,
      light: (random() - 0.5) * 160,
    }
  })
  return (x, y) => {
    let light = 128
    let tint = 0
    for (const wave of waves) {
      const height = wave.height * Math.cos(x * wave.x + y * wave.y + wave.phase)
      light += height
      tint += height * wave.tint
    }
    for (const shape of shapes)
      if (x >= shape.left && x < shape.right && y >= shape.top && y < shape.bottom) light += shape.light
    return [light + tint, light, light - tint]
  }
}

/** As a PNG. `part` is what of the picture is shown, for crops. */
export function pngOf(
  paint: Painting,
  width = 160,
  height = 120,
  part = { left: 0, top: 0, right: 1, bottom: 1 },
): Buffer<ArrayBuffer> {
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const colours = paint(
        part.left + ((part.right - part.left) * (x + 0.5)) / width,
        part.top + ((part.bottom - part.top) * (y + 0.5)) / height,
      )
      for (const [i, colour] of colours.entries())
        rows[y * (1 + width * 3) + 1 + x * 3 + i] = Math.max(0, Math.min(255, Math.round(colour)))
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(Bun.hash.crc32(body), body.length + 4)
  return framed
}

/** The body of an upload. */
export function uploadOf(bytes: Uint8Array<ArrayBuffer>): FormData {
  const body = new FormData()
  body.append('file', new Blob([bytes]), 'photo.png')
  return body
}

/** The brightness of another picture for each seed, which takes less time than a painting. */
export function clouds(seed: number): Luminance {
  const random = seeded(seed)
  const side = 64
  const values = new Float32Array(side * side).fill(128)
  for (const cells of [4, 8, 16]) {
    const heights = Float32Array.from({ length: cells * cells }, () => ((random() - 0.5) * 400) / cells)
    const size = side / cells
    for (let y = 0; y < side; y++) {
      const row = Math.floor(y / size) * cells
      for (let x = 0; x < side; x++) values[y * side + x]! += heights[row + Math.floor(x / size)]!
    }
  }
  return { width: side, height: side, values }
}

/** How many pairs of so many unlike pictures have hashes as near as those of the same picture. */
export function nearPairs(pictures: number): number {
  const words = new Int32Array(pictures * 8)
  for (let i = 0; i < pictures; i++) words.set(wordsOf(uprightHashOf(clouds(i))), i * 8)
  let near = 0
  for (let a = 0; a < pictures; a++)
    for (let b = a + 1; b < pictures; b++)
      if (distanceWithin(words, a * 8, words, b * 8, usualDistance) <= usualDistance) near++
  return near
}
