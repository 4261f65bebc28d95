/**
 * PDQ, the perceptual hash of "The TMK+PDQF Video-Hashing Algorithm and the PDQ Image-Hashing Algorithm" (Meta, 2019):
 * images that look alike have hashes that differ in few of their 256 bits.
 */
export type Pdq = {
  /**
   * Eight hashes of 64 hexadecimal digits each, without separators: first that of the image, then those of the image rotated
   * by quarter turns or mirrored.
   */
  hashes: string
  /** How much detail the image has, 0 to 100. Hashes below `leastQuality` are not distinctive. */
  quality: number
}

/** The brightness of an image, 0 to 255, row after row. */
export type Luminance = { width: number; height: number; values: Float32Array }

/** The hashes of different images differ in about half of the bits. The paper takes those within 31 for the same image. */
export const usualDistance = 31
/** All images of one colour, or of a plain gradient, have the same hash. */
export const leastQuality = 50

const hashBits = 256
const side = 64
const frequencies = 16
const passes = 2

/** The orientations of an image: four quarter turns, each also mirrored. */
export const turns = 8

/** The matrix of the paper: cosines of the frequencies 1 to 16, without the constant one, at 64 points. */
const cosines = Float64Array.from(
  { length: frequencies * side },
  (_, i) => Math.sqrt(2 / side) * Math.cos((Math.PI / 2 / side) * (Math.floor(i / side) + 1) * (2 * (i % side) + 1)),
)

/** Takes half a millisecond for 128 × 128 pixels, and a time proportional to the pixels beyond. */
export function pdqOf(image: Luminance): Pdq {
  const smooth = averaged(image)
  let hashes = ''
  for (const [isFlopped, isFlipped] of mirrorings) {
    const spectrum = spectrumOf(sampled(smooth, isFlopped, isFlipped))
    hashes += hashOf(spectrum) + hashOf(transposed(spectrum))
  }
  return { hashes, quality: qualityOf(sampled(smooth, false, false)) }
}

/** Only the hash of the image as it is, in a fraction of the time. */
export const uprightHashOf = (image: Luminance) => hashOf(spectrumOf(sampled(averaged(image), false, false)))

/** Together with their transpositions, these are all eight orientations. */
const mirrorings = [
  [false, false],
  [true, false],
  [false, true],
  [true, true],
] as const

/** A bit for each frequency: whether it is above the median. The last frequency is the most significant bit. */
function hashOf(spectrum: Float64Array): string {
  const [median = 0] = spectrum.toSorted().subarray(hashBits / 2 - 1)
  let hash = ''
  for (let i = hashBits - 4; i >= 0; i -= 4) {
    const digit = spectrum.subarray(i, i + 4).reduceRight((digit, value) => digit * 2 + Number(value > median), 0)
    hash += digit.toString(16)
  }
  return hash
}

/** The spectrum of the image with rows and columns exchanged. */
const transposed = (spectrum: Float64Array) =>
  spectrum.map((_, place) => spectrum[(place % frequencies) * frequencies + Math.floor(place / frequencies)] ?? 0)

/** Two passes of a moving average in both directions: a tent filter. */
function averaged({ width, height, values }: Luminance): Luminance {
  let from = Float32Array.from(values)
  let to = new Float32Array(from.length)
  const [acrossWindow, downWindow] = [windowOf(width), windowOf(height)]
  for (let pass = 0; pass < passes; pass++) {
    for (let y = 0; y < height; y++) average(from, to, y * width, width, 1, acrossWindow)
    ;[from, to] = [to, from]
    for (let x = 0; x < width; x++) average(from, to, x, height, width, downWindow)
    ;[from, to] = [to, from]
  }
  return { width, height, values: from }
}

/** Samples 64 × 64 points of the image or of its mirror image, whose points differ from the mirrored points of the image. */
function sampled({ width, height, values }: Luminance, isFlopped: boolean, isFlipped: boolean): Float32Array {
  const placesOf = (length: number, isMirrored: boolean) =>
    Int32Array.from({ length: side }, (_, i) => {
      const place = Math.floor(((i + 0.5) * length) / side)
      return isMirrored ? length - 1 - place : place
    })
  const [columns, rows] = [placesOf(width, isFlopped), placesOf(height, isFlipped)]
  const small = new Float32Array(side * side)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) small[y * side + x] = values[(rows[y] ?? 0) * width + (columns[x] ?? 0)] ?? 0
  return small
}

const windowOf = (length: number) => Math.floor((length + 2 * side - 1) / (2 * side))

/** The average of a window around each value of a line. At the ends, the window is cut off. */
function average(from: Float32Array, to: Float32Array, start: number, length: number, step: number, window: number) {
  const after = Math.floor(window / 2)
  const before = window - 1 - after
  let sum = 0
  let count = 0
  for (let i = 0; i < Math.min(after, length); i++) {
    sum += from[start + i * step] ?? 0
    count++
  }
  for (let i = 0; i < length; i++) {
    if (i + after < length) {
      sum += from[start + (i + after) * step] ?? 0
      count++
    }
    if (i - before - 1 >= 0) {
      sum -= from[start + (i - before - 1) * step] ?? 0
      count--
    }
    to[start + i * step] = sum / count
  }
}

/** The 16 × 16 lowest frequencies, without the constant, of the discrete cosine transform of 64 × 64 values. */
function spectrumOf(values: Float32Array): Float64Array {
  const rows = new Float64Array(frequencies * side)
  for (let i = 0; i < frequencies; i++)
    for (let x = 0; x < side; x++) {
      let sum = 0
      for (let y = 0; y < side; y++) sum += (cosines[i * side + y] ?? 0) * (values[y * side + x] ?? 0)
      rows[i * side + x] = sum
    }
  const spectrum = new Float64Array(hashBits)
  for (let i = 0; i < frequencies; i++)
    for (let j = 0; j < frequencies; j++) {
      let sum = 0
      for (let x = 0; x < side; x++) sum += (rows[i * side + x] ?? 0) * (cosines[j * side + x] ?? 0)
      spectrum[i * frequencies + j] = sum
    }
  return spectrum
}

/** The sum of the differences between neighbours, in hundredths of the range. 9,000 and more is a quality of 100. */
function qualityOf(values: Float32Array): number {
  let gradient = 0
  const add = (a: number, b: number) => (gradient += Math.abs(Math.trunc(((a - b) * 100) / 255)))
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const value = values[y * side + x] ?? 0
      if (y + 1 < side) add(value, values[(y + 1) * side + x] ?? 0)
      if (x + 1 < side) add(value, values[y * side + x + 1] ?? 0)
    }
  return Math.min(100, Math.floor(gradient / 90))
}

export const isHash = (text: string) => /^[0-9a-f]{64}$/.test(text)

/** The first of the hashes, that of the image as it is. */
export const uprightHash = (hashes: string) => hashes.slice(0, hashBits / 4)

/** Hashes as 32-bit integers, eight for each. */
export const wordsOf = (hashes: string) =>
  Int32Array.from({ length: hashes.length / 8 }, (_, i) => Number.parseInt(hashes.slice(i * 8, i * 8 + 8), 16))

function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** In how many bits two hashes differ, from 0 to 256. */
export const distanceOf = (a: string, b: string) => distanceWithin(wordsOf(a), 0, wordsOf(b), 0, hashBits)

/** The same for hashes within longer lists. Stops counting beyond `most`. */
export function distanceWithin(a: Int32Array, aAt: number, b: Int32Array, bAt: number, most: number): number {
  let distance = 0
  for (let i = 0; i < 8; i++) {
    distance += bitCount(a[aAt + i]! ^ b[bAt + i]!)
    if (distance > most) return distance
  }
  return distance
}
