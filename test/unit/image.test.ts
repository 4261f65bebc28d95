import { describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { deflateSync } from 'node:zlib'
import { DECODES_AT_ONCE, MAX_IMAGE_BYTES, reencode as reencodeFor } from '../../src/features/media/image.ts'
import { readImageFile } from '../../src/features/media/image-file.ts'
import { type FieldErrorCode, Refusal } from '../../src/lib/refusal.ts'

/** Each file is somebody else's. */
const reencode = (bytes: Uint8Array) => reencodeFor(bytes, crypto.randomUUID())

type Colour = [red: number, green: number, blue: number, alpha: number]

const RED: Colour = [220, 30, 40, 255]
const GREEN: Colour = [30, 200, 60, 255]
const BLUE: Colour = [30, 50, 210, 255]
const WHITE: Colour = [250, 250, 250, 255]
const CLEAR: Colour = [0, 0, 0, 0]

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const uint = (value: number, length: number) => {
  const bytes = Buffer.alloc(length)
  bytes.writeUIntBE(value, 0, length)
  return bytes
}
const uintLE = (value: number, length: number) => Buffer.from(uint(value, length).reverse())

// PNG

function pngChunk(type: string, data: Uint8Array) {
  const body = Buffer.concat([latin1(type), data])
  return Buffer.concat([uint(data.length, 4), body, uint(Bun.hash.crc32(body), 4)])
}

const PNG_SIGNATURE = latin1('\x89PNG\r\n\x1a\n')
const IEND = pngChunk('IEND', new Uint8Array())

/** Colour type 6 is RGBA, 0 greyscale. */
const ihdr = (width: number, height: number, colourType: number) =>
  pngChunk('IHDR', Buffer.concat([uint(width, 4), uint(height, 4), Buffer.from([8, colourType, 0, 0, 0])]))

function png(width: number, height: number, colourAt: (x: number, y: number) => Colour, more: Uint8Array[] = []) {
  const rows = Buffer.alloc((width * 4 + 1) * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows.set(colourAt(x, y), y * (width * 4 + 1) + 1 + x * 4)
  }
  return Buffer.concat([PNG_SIGNATURE, ihdr(width, height, 6), ...more, pngChunk('IDAT', deflateSync(rows)), IEND])
}

/** A greyscale PNG all black: a row is its filter byte and one byte a pixel. */
const blackPng = (width: number, height: number) =>
  Buffer.concat([
    PNG_SIGNATURE,
    ihdr(width, height, 0),
    pngChunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height), { level: 1 })),
    IEND,
  ])

/** 64 × 32: red and green above, blue and white below. */
const fourColours = (x: number, y: number) => (y < 16 ? (x < 32 ? RED : GREEN) : x < 32 ? BLUE : WHITE)
const samplePng = () => png(64, 32, fourColours)
const sampleJpeg = async (options = {}) => Buffer.from(await new Bun.Image(samplePng()).jpeg(options).bytes())
const sampleWebp = async () => Buffer.from(await new Bun.Image(samplePng()).webp({ quality: 90 }).bytes())

/** The decoded colours at some points, as a viewer of the file sees them: by way of a PNG that is unpacked here. */
async function coloursAt(picture: Uint8Array, points: [x: number, y: number][]): Promise<Colour[]> {
  const file = Buffer.from(await new Bun.Image(picture).png({ compressionLevel: 0 }).bytes())
  const width = file.readUInt32BE(16)
  const channels = file[25] === 6 ? 4 : 3
  const packed: Buffer[] = []
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT')
      packed.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)))
  }
  const rows = Bun.inflateSync(Buffer.concat(packed).subarray(2), { windowBits: -15 })
  const stride = width * channels + 1
  const plain = Buffer.from(rows)
  // undo the row filters: PNG specification, section 9
  for (let row = 0; row * stride < plain.length; row += 1) {
    const filter = plain[row * stride]!
    for (let i = 0; i < stride - 1; i += 1) {
      const at = row * stride + 1 + i
      const a = i >= channels ? plain[at - channels]! : 0
      const b = row > 0 ? plain[at - stride]! : 0
      const c = i >= channels && row > 0 ? plain[at - stride - channels]! : 0
      const paeth = () => {
        const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
        return pa <= pb && pa <= pc ? a : pb <= pc ? b : c
      }
      const predicted = [0, a, b, (a + b) >> 1, filter === 4 ? paeth() : 0][filter]!
      plain[at] = (plain[at]! + predicted) & 0xff
    }
  }
  return points.map(([x, y]) => {
    const at = y * stride + 1 + x * channels
    return [plain[at]!, plain[at + 1]!, plain[at + 2]!, channels === 4 ? plain[at + 3]! : 255]
  })
}

const nearestOf = (colour: Colour) => {
  const named = { RED, GREEN, BLUE, WHITE }
  const distance = (other: Colour) => Math.hypot(...other.map((value, i) => value - colour[i]!))
  return Object.entries(named).toSorted(([, a], [, b]) => distance(a) - distance(b))[0]![0]
}

/** The colours in the four corners: top left, top right, bottom left, bottom right. */
async function corners(picture: { bytes: Uint8Array; width: number; height: number }) {
  const [right, bottom] = [picture.width - 3, picture.height - 3]
  const points: [number, number][] = [
    [2, 2],
    [right, 2],
    [2, bottom],
    [right, bottom],
  ]
  return (await coloursAt(picture.bytes, points)).map(nearestOf)
}

// WebP

const webpChunk = (type: string, data: Uint8Array) =>
  Buffer.concat([latin1(type), uintLE(data.length, 4), data, Buffer.alloc(data.length % 2)])
const riff = (...chunks: Uint8Array[]) => webpChunk('RIFF', Buffer.concat([latin1('WEBP'), ...chunks]))

function chunkTypes(webp: Uint8Array) {
  const file = Buffer.from(webp)
  expect(file.toString('latin1', 0, 4)).toBe('RIFF')
  expect(file.readUInt32LE(4)).toBe(file.length - 8)
  expect(file.toString('latin1', 8, 12)).toBe('WEBP')
  const types: string[] = []
  for (let at = 12; at < file.length; at += 8 + file.readUInt32LE(at + 4) + (file.readUInt32LE(at + 4) % 2)) {
    types.push(file.toString('latin1', at, at + 4))
  }
  return types
}

const vp8x = (flags: number, width: number, height: number) =>
  webpChunk('VP8X', Buffer.concat([uintLE(flags, 4), uintLE(width - 1, 3), uintLE(height - 1, 3)]))

/** A frame of an animation out of a still file: its picture chunks behind a header with offset, size and duration. */
const anmf = (still: Uint8Array, width: number, height: number) =>
  webpChunk(
    'ANMF',
    Buffer.concat([Buffer.alloc(6), uintLE(width - 1, 3), uintLE(height - 1, 3), uintLE(100, 4), still]),
  )

/** What stands behind the RIFF header, without a VP8X chunk. */
const pictureChunks = (still: Buffer) => still.subarray(still.toString('latin1', 12, 16) === 'VP8X' ? 30 : 12)

// EXIF

/** Orientation, a camera's name and a GPS directory with a latitude. */
function exif(orientation: number, order: 'II' | 'MM' = 'MM') {
  const number = order === 'MM' ? uint : uintLE
  const entry = (tag: number, type: number, count: number, value: Uint8Array) =>
    Buffer.concat([number(tag, 2), number(type, 2), number(count, 4), value])
  const offsetOfMake = 8 + 2 + 3 * 12 + 4
  const make = latin1('SpyCam 3000\0')
  const offsetOfGps = offsetOfMake + make.length
  const latitude = Buffer.concat([52, 31, 12].flatMap((value) => [number(value, 4), number(1, 4)]))
  return Buffer.concat([
    latin1(order),
    number(42, 2),
    number(8, 4),
    number(3, 2),
    entry(0x010f, 2, make.length, number(offsetOfMake, 4)),
    entry(0x0112, 3, 1, Buffer.concat([number(orientation, 2), Buffer.alloc(2)])),
    entry(0x8825, 4, 1, number(offsetOfGps, 4)),
    number(0, 4),
    make,
    number(2, 2),
    entry(0x0001, 2, 2, latin1('N\0\0\0')),
    entry(0x0002, 5, 3, number(offsetOfGps + 2 + 2 * 12 + 4, 4)),
    number(0, 4),
    latitude,
  ])
}

const XMP = latin1('<x:xmpmeta xmlns:x="adobe:ns:meta/"><GPS>52.52</GPS></x:xmpmeta>')
const jpegSegment = (marker: number, data: Uint8Array) =>
  Buffer.concat([Buffer.from([0xff, marker]), uint(data.length + 2, 2), data])
const withSegments = (jpeg: Buffer, ...segments: Uint8Array[]) =>
  Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)])
const exifSegment = (block: Uint8Array) => jpegSegment(0xe1, Buffer.concat([latin1('Exif\0\0'), block]))

/** Markers alone: of a progressive picture that size, with that many scans of nothing. */
function jpegOutline({ width, height, scans }: { width: number; height: number; scans: number }) {
  const frame = Buffer.concat([uint(8, 1), uint(height, 2), uint(width, 2), latin1('\x01\x01\x11\0')])
  const scan = jpegSegment(0xda, latin1('\x01\x01\0\0\0\0'))
  const start = latin1('\xff\xd8')
  return Buffer.concat([start, jpegSegment(0xc2, frame), ...Array<Buffer>(scans).fill(scan), latin1('\xff\xd9')])
}

/** A small colour profile that is well-formed as far as an embedding format looks at it. */
const ICC = Buffer.alloc(256, 0)
ICC.writeUInt32BE(256, 0)
ICC.write('mntrRGB XYZ ', 12, 'latin1')
ICC.write('acsp', 36, 'latin1')
ICC.write('MonitorOfAlice', 140, 'latin1')

const iccMarker = () => Buffer.concat([latin1('ICC_PROFILE\0\x01\x01'), ICC])

const LEAKS = [
  'Exif',
  'EXIF',
  'GPS',
  'SpyCam',
  'xmpmeta',
  'http://ns.adobe.com',
  'XMP ',
  'ICCP',
  'MonitorOfAlice',
  'secret',
]

function expectNothingBut(picture: Uint8Array, types: string[]) {
  const text = Buffer.from(picture).toString('latin1')
  for (const leak of LEAKS) expect(text).not.toContain(leak)
  expect(chunkTypes(picture)).toEqual(types)
}

// GIF

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** The smallest GIF with its screen and its only frame set to other sizes. */
function gifOf(screen: [number, number], frame: [number, number]) {
  const gif = Buffer.from(GIF)
  const at = gif.indexOf(0x2c, 13)
  gif.writeUInt16LE(screen[0], 6)
  gif.writeUInt16LE(screen[1], 8)
  gif.writeUInt16LE(frame[0], at + 5)
  gif.writeUInt16LE(frame[1], at + 7)
  return gif
}

/** Two full frames of 4 × 4, the first red, the second green: a palette of two, each pixel its own LZW code. */
function animatedGif() {
  const clear = 4
  const codes = (index: number) =>
    Array.from({ length: 16 }, () => [clear, index])
      .flat()
      .concat([5])
  const pack = (values: number[]) => {
    const bits = values.map((value) => value.toString(2).padStart(3, '0').split('').reverse().join('')).join('')
    return Buffer.from(
      (bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.split('').reverse().join(''), 2)),
    )
  }
  const frame = (index: number) => {
    const data = pack(codes(index))
    return Buffer.concat([
      latin1('\x21\xf9\x04\x00\x0a\x00\x00\x00'),
      latin1('\x2c\0\0\0\0\x04\0\x04\0\0'),
      Buffer.from([2, data.length]),
      data,
      Buffer.from([0]),
    ])
  }
  const palette = Buffer.from([...RED.slice(0, 3), ...GREEN.slice(0, 3)])
  return Buffer.concat([latin1('GIF89a\x04\0\x04\0\x80\0\0'), palette, frame(0), frame(1), latin1(';')])
}

async function refusalOf(bytes: Uint8Array): Promise<Refusal> {
  const outcome = await reencode(bytes).catch((error: unknown) => error)
  if (!(outcome instanceof Refusal)) throw new Error(`not refused: ${String(outcome)}`)
  return outcome
}

async function expectDamaged(bytes: Uint8Array, code = 'format') {
  const refusal = await refusalOf(bytes)
  expect(refusal.code).toBe('validation_failed')
  expect(refusal.errors).toEqual([{ path: '/file', code: code as FieldErrorCode, message: expect.any(String) }])
}

describe('what is stored', () => {
  test('a JPEG, PNG, WebP and GIF each become one WebP of their size and colours', async () => {
    for (const upload of [
      samplePng(),
      await sampleJpeg(),
      await sampleJpeg({ progressive: true }),
      await sampleWebp(),
    ]) {
      const picture = await reencode(upload)
      expect([picture.width, picture.height]).toEqual([64, 32])
      expectNothingBut(picture.bytes, ['VP8 '])
      expect(await corners(picture)).toEqual(['RED', 'GREEN', 'BLUE', 'WHITE'])
    }
    const gif = await reencode(GIF)
    expect([gif.width, gif.height]).toEqual([1, 1])
  })

  test('one pixel is enough', async () => {
    const picture = await reencode(png(1, 1, () => RED))
    expect([picture.width, picture.height]).toEqual([1, 1])
    expect(nearestOf((await coloursAt(picture.bytes, [[0, 0]]))[0]!)).toBe('RED')
  })

  test('the longest side is brought to 2048, the shape kept, and nothing is enlarged', async () => {
    const wide = await reencode(blackPng(4096, 1024))
    expect([wide.width, wide.height]).toEqual([2048, 512])
    const high = await reencode(blackPng(300, 3000))
    expect([high.width, high.height]).toEqual([205, 2048])
    const line = await reencode(blackPng(9000, 1))
    expect([line.width, line.height]).toEqual([2048, 1])
    const exact = await reencode(blackPng(2048, 7))
    expect([exact.width, exact.height]).toEqual([2048, 7])
  })

  test('transparency stays', async () => {
    const picture = await reencode(png(32, 32, (x) => (x < 16 ? CLEAR : GREEN)))
    expectNothingBut(picture.bytes, ['VP8X', 'ALPH', 'VP8 '])
    const [left, right] = await coloursAt(picture.bytes, [
      [2, 2],
      [29, 29],
    ])
    expect(left![3]).toBe(0)
    expect(right![3]).toBe(255)
    expect(nearestOf(right!)).toBe('GREEN')
    expect(chunkTypes(Buffer.from(picture.placeholder.split(',')[1]!, 'base64'))).toContain('ALPH')
  })

  test('the placeholder is a small WebP of the same shape and colours, without metadata', async () => {
    const noise = (x: number, y: number) => [...uint(Bun.hash.crc32(`${x} ${y}`), 4)] as Colour
    const noisy = await reencode(png(200, 100, noise))
    const picture = await reencode(
      withSegments(await sampleJpeg(), exifSegment(exif(1)), jpegSegment(0xe2, iccMarker())),
    )
    for (const { placeholder } of [noisy, picture]) {
      expect(placeholder).toStartWith('data:image/webp;base64,')
      expect(placeholder.length).toBeLessThan(1000)
    }
    const small = Buffer.from(picture.placeholder.split(',')[1]!, 'base64')
    expectNothingBut(small, ['VP8 '])
    const { width, height } = await new Bun.Image(small).metadata()
    expect([width, height]).toEqual([16, 8])
    expect(await corners({ bytes: small, width, height })).toEqual(['RED', 'GREEN', 'BLUE', 'WHITE'])
  })

  test('of an animation, the first frame', async () => {
    const gif = await reencode(animatedGif())
    expect([gif.width, gif.height]).toEqual([4, 4])
    expect(nearestOf((await coloursAt(gif.bytes, [[1, 1]]))[0]!)).toBe('RED')

    const first = pictureChunks(await sampleWebp())
    const second = pictureChunks(Buffer.from(await new Bun.Image(png(64, 32, () => GREEN)).webp().bytes()))
    const anim = webpChunk('ANIM', Buffer.alloc(6))
    const webp = await reencode(riff(vp8x(2, 64, 32), anim, anmf(first, 64, 32), anmf(second, 64, 32)))
    expectNothingBut(webp.bytes, ['VP8 '])
    expect(await corners(webp)).toEqual(['RED', 'GREEN', 'BLUE', 'WHITE'])
  })

  test('a transparent animation keeps the transparency of its first frame', async () => {
    const still = Buffer.from(await new Bun.Image(png(32, 32, (x) => (x < 16 ? CLEAR : BLUE))).webp().bytes())
    expect(chunkTypes(still)).toEqual(['VP8X', 'ALPH', 'VP8 '])
    const frame = anmf(pictureChunks(still), 32, 32)
    const picture = await reencode(riff(vp8x(0x12, 32, 32), webpChunk('ANIM', Buffer.alloc(6)), frame, frame))
    const [left, right] = await coloursAt(picture.bytes, [
      [2, 2],
      [29, 29],
    ])
    expect(left![3]).toBe(0)
    expect(nearestOf(right!)).toBe('BLUE')
  })
})

describe('metadata', () => {
  test('a photo with GPS and a quarter turn in its EXIF comes out upright and without a trace of either', async () => {
    const upload = withSegments(
      await sampleJpeg({ quality: 95 }),
      exifSegment(exif(6)),
      jpegSegment(0xe1, Buffer.concat([latin1('http://ns.adobe.com/xap/1.0/\0'), XMP])),
      jpegSegment(0xe2, iccMarker()),
      jpegSegment(0xfe, latin1('secret comment')),
    )
    // the decoder must have been able to see what is then gone
    const carried = Buffer.from(await new Bun.Image(upload).webp().bytes()).toString('latin1')
    expect(carried).toContain('MonitorOfAlice')
    const picture = await reencode(upload)
    expect([picture.width, picture.height]).toEqual([32, 64])
    expect(await corners(picture)).toEqual(['BLUE', 'RED', 'WHITE', 'GREEN'])
    expectNothingBut(picture.bytes, ['VP8 '])
  })

  test('all eight orientations are turned upright, as in JPEG so in PNG and WebP', async () => {
    const upright: Record<number, string[]> = {
      1: ['RED', 'GREEN', 'BLUE', 'WHITE'],
      2: ['GREEN', 'RED', 'WHITE', 'BLUE'],
      3: ['WHITE', 'BLUE', 'GREEN', 'RED'],
      4: ['BLUE', 'WHITE', 'RED', 'GREEN'],
      5: ['RED', 'BLUE', 'GREEN', 'WHITE'],
      6: ['BLUE', 'RED', 'WHITE', 'GREEN'],
      7: ['WHITE', 'GREEN', 'BLUE', 'RED'],
      8: ['GREEN', 'WHITE', 'RED', 'BLUE'],
    }
    const jpeg = await sampleJpeg({ quality: 95 })
    const still = pictureChunks(await sampleWebp())
    for (const [value, expected] of Object.entries(upright)) {
      const block = exif(Number(value), Number(value) % 2 ? 'II' : 'MM')
      const uploads = [
        withSegments(jpeg, exifSegment(block)),
        png(64, 32, fourColours, [pngChunk('eXIf', block)]),
        riff(vp8x(8, 64, 32), still, webpChunk('EXIF', block)),
        riff(vp8x(8, 64, 32), still, webpChunk('EXIF', Buffer.concat([latin1('Exif\0\0'), block]))),
      ]
      for (const upload of uploads) {
        const picture = await reencode(upload)
        expect([picture.width, picture.height]).toEqual(Number(value) < 5 ? [64, 32] : [32, 64])
        expect(await corners(picture)).toEqual(expected)
        expectNothingBut(picture.bytes, ['VP8 '])
      }
    }
  })

  test('an EXIF block that is nonsense is passed over', async () => {
    const jpeg = await sampleJpeg()
    const whole = exif(6)
    const blocks = [
      exif(0),
      exif(9),
      exif(65535),
      latin1('II'),
      latin1('MM\0\x2a\xff\xff\xff\xff'),
      latin1('no tiff at all'),
    ]
    for (const block of blocks) {
      const picture = await reencode(withSegments(jpeg, exifSegment(block)))
      expect([picture.width, picture.height]).toEqual([64, 32])
    }
    for (let length = 0; length < whole.length; length += 1) {
      await reencode(withSegments(jpeg, exifSegment(whole.subarray(0, length))))
    }
  })

  test('of a PNG nothing but the picture reaches the decoder, which would inflate the rest', async () => {
    const bomb = deflateSync(Buffer.alloc(1_000_000))
    const rest = [
      pngChunk('iCCP', Buffer.concat([latin1('x\0\0'), bomb])),
      pngChunk('zTXt', Buffer.concat([latin1('x\0\0'), bomb])),
      pngChunk('iTXt', Buffer.concat([latin1('x\0\x01\0\0\0'), bomb])),
    ]
    const plain = png(64, 32, fourColours)
    const { still, fault } = (await readImageFile(Buffer.concat([png(64, 32, fourColours, rest), latin1('trailer')])))!
    expect(fault).toBeNull()
    expect(still().equals(plain)).toBe(true)
  })

  test('text, times and profiles of a PNG are gone', async () => {
    const picture = await reencode(
      png(64, 32, fourColours, [
        pngChunk('iCCP', Buffer.concat([latin1('secret\0\0'), deflateSync(ICC)])),
        pngChunk('tEXt', latin1('Comment\0secret')),
        pngChunk('eXIf', exif(1)),
      ]),
    )
    expectNothingBut(picture.bytes, ['VP8 '])
  })

  test('nothing that is hidden behind the end of the image is kept', async () => {
    for (const upload of [samplePng(), await sampleJpeg(), await sampleWebp(), GIF]) {
      const picture = await reencode(Buffer.concat([upload, latin1('secret<script>alert(1)</script>')]))
      expect(Buffer.from(picture.bytes).toString('latin1')).not.toContain('script')
    }
  })
})

describe('what is no image', () => {
  test('any other kind is refused by its bytes', async () => {
    const ftyp = (brand: string) =>
      Buffer.concat([uint(24, 4), latin1(`ftyp${brand}\0\0\0\0mif1${brand}`), Buffer.alloc(64)])
    const others = {
      svg: latin1('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'),
      'svg with a declaration': latin1('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
      'html, named .jpg by its sender': latin1('<!doctype html><html><body>not a photo</body></html>'),
      zip: Buffer.concat([latin1('PK\x03\x04'), Buffer.alloc(200)]),
      bmp: Buffer.concat([latin1('BM'), uintLE(70, 4), Buffer.alloc(64)]),
      'tiff, little-endian': Buffer.concat([latin1('II*\0'), Buffer.alloc(64)]),
      'tiff, big-endian': Buffer.concat([latin1('MM\0*'), Buffer.alloc(64)]),
      heic: ftyp('heic'),
      avif: ftyp('avif'),
      'riff that is sound': riff(Buffer.alloc(8)).fill('WAVE', 8, 12),
      'one byte': latin1('\xff'),
      'half a PNG signature': PNG_SIGNATURE.subarray(0, 4),
      text: latin1('GIF is my favourite format'),
      'a JPEG behind a blank': Buffer.concat([latin1(' '), await sampleJpeg()]),
    }
    for (const [kind, bytes] of Object.entries(others)) {
      expect([kind, (await refusalOf(bytes)).code]).toEqual([kind, 'unsupported_media_type'])
    }
  })

  test('an empty file is refused', async () => {
    await expectDamaged(new Uint8Array(), 'too_short')
  })
})

test('a damaged file is refused wherever it was cut off', async () => {
  const animation = riff(
    vp8x(2, 64, 32),
    webpChunk('ANIM', Buffer.alloc(6)),
    anmf(pictureChunks(await sampleWebp()), 64, 32),
  )
  const files = [
    await sampleJpeg(),
    await sampleJpeg({ progressive: true }),
    samplePng(),
    await sampleWebp(),
    animatedGif(),
    animation,
  ]
  for (const file of files) {
    const cuts = [12, 20, 30, file.length >> 1, file.length - 20, file.length - 2, file.length - 1]
    for (const length of cuts) await expectDamaged(file.subarray(0, length))
  }
})

test('a photo cut off behind the thumbnail in its EXIF is not taken for whole', async () => {
  const thumbnail = await sampleJpeg()
  const photo = withSegments(await sampleJpeg(), exifSegment(Buffer.concat([exif(1), thumbnail])))
  await reencode(photo)
  await expectDamaged(photo.subarray(0, photo.length - 40))
})

test('a damaged file is refused where the outline is whole and the picture is not', async () => {
  const broken = samplePng()
  broken[60]! ^= 0xff
  await expectDamaged(broken)
  await expectDamaged(Buffer.concat([PNG_SIGNATURE, ihdr(8, 8, 6), IEND]))
  await expectDamaged(Buffer.concat([PNG_SIGNATURE, IEND]))
  await expectDamaged(Buffer.from([0xff, 0xd8, 0xff, 0xd9]))
  await expectDamaged(riff(webpChunk('VP8 ', (await sampleWebp()).subarray(20, 40))))
  await expectDamaged(riff(vp8x(2, 64, 32), webpChunk('ANIM', Buffer.alloc(6))))
  await expectDamaged(riff())
  await expectDamaged(Buffer.concat([GIF.subarray(0, 19), latin1('\x99\x99;')]))
})

test('a damaged file is refused where a side is zero', async () => {
  await expectDamaged(blackPng(0, 5))
  await expectDamaged(blackPng(5, 0))
  await expectDamaged(gifOf([0, 1], [1, 1]))
  await expectDamaged(gifOf([1, 1], [1, 0]))
  const jpeg = await sampleJpeg()
  jpeg.writeUInt16BE(0, jpeg.indexOf(Buffer.from([0xff, 0xc0])) + 5)
  await expectDamaged(jpeg)
  const webp = await sampleWebp()
  webp.writeUInt16LE(0, 26)
  await expectDamaged(webp)
})

describe('limits', () => {
  const tooLarge = async (bytes: Uint8Array) => expect((await refusalOf(bytes)).code).toBe('payload_too_large')

  test('a PNG of 900 megapixels in 100 KB is refused before it takes memory', async () => {
    // its first 3,000 rows are really there, packed
    const bomb = Buffer.concat([
      PNG_SIGNATURE,
      ihdr(30_000, 30_000, 0),
      pngChunk('IDAT', deflateSync(Buffer.alloc(90_000_000))),
      IEND,
    ])
    expect(bomb.length).toBeGreaterThan(80_000)
    expect(bomb.length).toBeLessThan(120_000)
    Bun.gc(true)
    const before = process.memoryUsage.rss()
    for (let i = 0; i < 50; i += 1) await tooLarge(bomb)
    expect(process.memoryUsage.rss() - before).toBeLessThan(50_000_000)
  })

  test('40 megapixels are taken, one row more is not', async () => {
    const picture = await reencode(blackPng(8000, 5000))
    expect([picture.width, picture.height]).toEqual([2048, 1280])
    await tooLarge(blackPng(8000, 5001))
  })

  test('the size is read from the header of every kind, even where the rest of the file is missing', async () => {
    await tooLarge(Buffer.concat([PNG_SIGNATURE, ihdr(100_000, 100_000, 6)]))
    await tooLarge(latin1('GIF89a\xff\xff\xff\xff\0\0\0'))
    await tooLarge(gifOf([1, 1], [60_000, 60_000]))
    await tooLarge(riff(vp8x(0, 16_000, 16_000)))
    await tooLarge(riff(vp8x(2, 10, 10), anmf(pictureChunks(await sampleWebp()), 16_000, 16_000)))
    const jpeg = await sampleJpeg()
    const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
    jpeg.writeUInt16BE(65_000, frame + 5)
    jpeg.writeUInt16BE(65_000, frame + 7)
    await tooLarge(jpeg)
    await tooLarge(jpeg.subarray(0, frame + 40))
    const webp = await sampleWebp()
    webp.writeUInt16LE(16_383, 26)
    webp.writeUInt16LE(16_383, 28)
    await tooLarge(webp)
    // the frame of an animation claims less than its picture holds
    await tooLarge(riff(vp8x(2, 10, 10), anmf(pictureChunks(webp), 10, 10)))
  })

  test('10 MiB are taken, a byte more is not, whatever it is', async () => {
    const padded = Buffer.concat([samplePng(), Buffer.alloc(MAX_IMAGE_BYTES)]).subarray(0, MAX_IMAGE_BYTES)
    expect((await reencode(padded)).width).toBe(64)
    await tooLarge(Buffer.alloc(MAX_IMAGE_BYTES + 1))
    await tooLarge(Buffer.concat([padded, Buffer.alloc(1)]))
  })

  test('a JPEG that repeats a tiny scan over and over is refused', async () => {
    const jpeg = await sampleJpeg({ progressive: true })
    const body = jpeg.subarray(0, -2)
    const scan = body.subarray(body.lastIndexOf(Buffer.from([0xff, 0xda])))
    const repeated = (times: number) => Buffer.concat([body, ...Array<Buffer>(times).fill(scan), jpeg.subarray(-2)])
    expect((await reencode(repeated(20))).width).toBe(64)
    await expectDamaged(repeated(100))
  })

  test('a JPEG whose scans are many for its size is refused: each is a pass over all of it', async () => {
    const refusals = async (width: number, height: number, scans: number) =>
      (await readImageFile(jpegOutline({ width, height, scans })))!.fault
    expect(await refusals(8000, 5000, 16)).toBeNull()
    expect(await refusals(8000, 5000, 17)).toContain('scans')
    expect(await refusals(4000, 3000, 53)).toBeNull()
    expect(await refusals(4000, 3000, 54)).toContain('scans')
    expect(await refusals(100, 100, 64)).toBeNull()
    expect(await refusals(100, 100, 65)).toContain('scans')
    await expectDamaged(jpegOutline({ width: 8000, height: 5000, scans: 64 }))
  })

  test('of one user one is decoded at a time, one thread of the pool is left free, and those who wait take turns', async () => {
    expect(DECODES_AT_ONCE).toBeLessThan(Math.max(2, navigator.hardwareConcurrency))
    const done: string[] = []
    const upload = samplePng()
    const decode = (user: string) =>
      reencodeFor(upload, user).then(
        () => done.push(user),
        (error: unknown) => error,
      )
    const ofEve = Array.from({ length: 30 }, () => decode('eve'))
    const ofOthers = ['ada', 'bob'].map(decode)
    const outcomes = await Promise.all(ofEve)
    await Promise.all(ofOthers)
    // One at once and 16 who wait; the others were not kept from theirs.
    const refused = outcomes.filter((outcome) => outcome instanceof Refusal)
    expect(refused.map(({ code }) => code)).toEqual(Array(13).fill('busy'))
    expect(done).toHaveLength(19)
    expect(done.slice(0, 4).toSorted()).toEqual(expect.arrayContaining(['ada', 'bob']))
  })

  test('256 wait, of whomever, and further ones are refused until there is room again', async () => {
    const upload = samplePng()
    const room = DECODES_AT_ONCE + 256
    const outcomes = await Promise.all(
      Array.from({ length: room + 6 }, () => reencode(upload).catch((error: unknown) => error)),
    )
    const refused = outcomes.filter((outcome) => outcome instanceof Refusal)
    expect(refused.map(({ code }) => code)).toEqual(Array(6).fill('busy'))
    expect(outcomes.filter((outcome) => outcome instanceof Error && !(outcome instanceof Refusal))).toEqual([])
    // refusals, too, give their place back
    const broken = samplePng()
    broken[60]! ^= 0xff
    await Promise.all(Array.from({ length: room }, () => expectDamaged(broken)))
    expect(
      (await Promise.all(Array.from({ length: room }, () => reencode(upload)))).every(({ width }) => width === 64),
    ).toBe(true)
  })

  test('what is refused by its header waits for nobody', async () => {
    const queue = Array.from({ length: 34 }, () => reencode(samplePng()))
    expect((await refusalOf(latin1('<svg/>'))).code).toBe('unsupported_media_type')
    await Promise.all(queue)
  })
})

describe('an outline of millions of parts', () => {
  const full = (piece: Buffer) => Buffer.alloc(MAX_IMAGE_BYTES - 4096, piece)
  const emptyChunk = webpChunk('xxxx', Buffer.alloc(0))
  const hostile: [string, () => Buffer][] = [
    ['a JPEG of stuffed bytes', () => Buffer.concat([latin1('\xff\xd8\xff\xda\0\x02'), full(latin1('\xff\0'))])],
    ['a JPEG of fill bytes', () => Buffer.concat([latin1('\xff\xd8'), full(latin1('\xff'))])],
    ['a JPEG of empty segments', () => Buffer.concat([latin1('\xff\xd8'), full(latin1('\xff\xe2\0\x02'))])],
    ['a GIF of small blocks', () => Buffer.concat([GIF.subarray(0, 19), latin1('\x21\xfe'), full(latin1('\x01A'))])],
    ['a WebP of empty chunks', () => riff(full(emptyChunk))],
    ['an animation of empty chunks', () => riff(vp8x(2, 10, 10), full(webpChunk('ANMF', Buffer.alloc(16))))],
  ]

  test.each(hostile)('%s is read in slices, and requests have their turn in between', async (_, make) => {
    const file = make()
    expect(file.length).toBeLessThanOrEqual(MAX_IMAGE_BYTES)
    let turns = 0
    let reading = true
    const others = (async () => {
      for (; reading; turns++) await setImmediate()
    })()
    expect(await readImageFile(file)).not.toBeNull()
    reading = false
    await others
    expect(turns).toBeGreaterThan(100)
  })

  test('a PNG of more chunks than any encoder writes is refused', async () => {
    const chunks = (count: number) =>
      png(64, 32, fourColours, [Buffer.alloc(12 * count, pngChunk('tEXt', Buffer.alloc(0)))])
    expect((await reencode(chunks(15_000))).width).toBe(64)
    await expectDamaged(chunks(20_000))
  })

  test('no more of EXIF is read than its first block, and a thousand entries of that', async () => {
    const block = (entries: number, orientation: number) => {
      const exif = Buffer.alloc(10 + 12 * entries)
      exif.write('MM\0*\0\0\0\x08', 'latin1')
      exif.writeUInt16BE(entries, 8)
      const last = 10 + 12 * (entries - 1)
      exif.writeUInt16BE(0x0112, last)
      exif.writeUInt16BE(orientation, last + 8)
      return exif
    }
    const orientationOf = async (...blocks: Buffer[]) =>
      (await readImageFile(withSegments(await sampleJpeg(), ...blocks.map(exifSegment))))!.orientation
    expect(await orientationOf(block(1000, 6))).toBe(6)
    expect(await orientationOf(block(1001, 6))).toBe(1)
    expect(await orientationOf(block(5, 1), block(5, 6))).toBe(1)
    expect(await orientationOf(block(5, 3), block(5, 6))).toBe(3)
  })

  test('of a frame of an animation its first chunks are looked at', async () => {
    const picture = pictureChunks(await sampleWebp())
    const behind = (count: number) =>
      riff(
        vp8x(2, 64, 32),
        webpChunk('ANIM', Buffer.alloc(6)),
        anmf(Buffer.concat([...Array<Buffer>(count).fill(emptyChunk), picture]), 64, 32),
      )
    expect((await reencode(behind(20))).width).toBe(64)
    await expectDamaged(behind(200))
  })
})
