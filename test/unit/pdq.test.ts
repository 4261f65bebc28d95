import { describe, expect, test } from 'bun:test'
import { reencode } from '../../src/features/media/image.ts'
import {
  distanceOf,
  distanceWithin,
  leastQuality,
  pdqOf,
  turns,
  uprightHash,
  uprightHashOf,
  usualDistance,
  wordsOf,
} from '../../src/features/media/pdq.ts'
import { luminanceOf } from '../../src/features/media/pixels.ts'
import { nearPairs, painting, pngOf } from '../pictures.ts'

const hashed = async (picture: Uint8Array) => pdqOf(await luminanceOf(picture))
const hashOf = async (picture: Uint8Array) => uprightHashOf(await luminanceOf(picture))
const seeds = Array.from({ length: 5 }, (_, i) => i + 1)

describe('PDQ', () => {
  test('is what Meta publishes for a picture of theirs', async () => {
    const bridge = await Bun.file(`${import.meta.dir}/../fixtures/pdq/bridge-128.jpg`).bytes()
    expect(await hashOf(bridge)).toBe('d8f8f1eec0f4a84f0e37022a078f63f0b36e2ed596621e1d33e6239c4e9c9b22')
    const { hashes, quality } = await hashed(bridge)
    expect(uprightHash(hashes)).toBe(await hashOf(bridge))
    expect(quality).toBe(100)
  })

  test('is within a few bits of what Meta publishes for a mirrored and a turned one', async () => {
    const bridge = await Bun.file(`${import.meta.dir}/../fixtures/pdq/bridge-128.jpg`).bytes()
    const upsideDown = 'd8f80f31e0f417b00e37f5dd028f980fb36ed12a9662c1e233e64c634e9c64dd'
    const turned = '38a50efd71c83f429013d68d0ffffc52e34e0e15ada952a9d29684214aa9e5af'
    const { hashes } = await hashed(bridge)
    const ours = Array.from({ length: turns }, (_, i) => hashes.slice(i * 64, i * 64 + 64))
    for (const published of [upsideDown, turned])
      expect(Math.min(...ours.map((hash) => distanceOf(hash, published)))).toBeLessThan(20)
  })

  const image = (png: Uint8Array) => new Bun.Image(png)
  const changes: Record<string, (seed: number) => Promise<Uint8Array> | Uint8Array> = {
    'of half the size': (seed) =>
      image(pngOf(painting(seed)))
        .resize(80, 60)
        .png()
        .bytes(),
    'three times as large': (seed) =>
      image(pngOf(painting(seed)))
        .resize(480, 360)
        .png()
        .bytes(),
    'stretched to a square': (seed) =>
      image(pngOf(painting(seed)))
        .resize(150, 150)
        .png()
        .bytes(),
    'as a JPEG of low quality': (seed) =>
      image(pngOf(painting(seed)))
        .jpeg({ quality: 20 })
        .bytes(),
    'as a WebP of low quality': (seed) =>
      image(pngOf(painting(seed)))
        .webp({ quality: 10 })
        .bytes(),
    'without colours': (seed) =>
      image(pngOf(painting(seed)))
        .modulate({ saturation: 0 })
        .png()
        .bytes(),
    'brighter by a tenth': (seed) =>
      image(pngOf(painting(seed)))
        .modulate({ brightness: 1.1 })
        .png()
        .bytes(),
    'cropped by a line of 160 on each side': (seed) =>
      pngOf(painting(seed), 160, 120, { left: 1 / 160, top: 1 / 160, right: 159 / 160, bottom: 159 / 160 }),
    'as this server stores it': async (seed) => (await reencode(pngOf(painting(seed)), `${seed}`)).bytes,
  }
  for (const [name, changed] of Object.entries(changes))
    test(`stays within 31 bits for a picture ${name}`, async () => {
      for (const seed of seeds) {
        const [before, after] = [await hashOf(pngOf(painting(seed))), await hashOf(await changed(seed))]
        expect(distanceOf(before, after)).toBeLessThanOrEqual(usualDistance)
      }
    })

  test('an upload’s is that of its thumbnail, so that both are the same whenever it is made', async () => {
    const picture = await reencode(pngOf(painting(1), 800, 600), 'ada')
    expect(picture.pdq).toEqual(await hashed(picture.thumb))
    expect(distanceOf(uprightHash(picture.pdq.hashes), await hashOf(pngOf(painting(1), 800, 600)))).toBeLessThan(12)
    expect(picture.pdq.quality).toBeGreaterThanOrEqual(leastQuality)
  })

  test('knows a mirrored or turned picture by one of its hashes', async () => {
    for (const seed of seeds) {
      const png = pngOf(painting(seed), 128, 128)
      const all = wordsOf((await hashed(png)).hashes)
      const nearest = (words: Int32Array) =>
        Math.min(...Array.from({ length: turns }, (_, i) => distanceWithin(all, i * 8, words, 0, 256)))
      for (const quarter of [0, 90, 180, 270])
        for (const isMirrored of [false, true]) {
          const turned = new Bun.Image(png).rotate(quarter)
          if (isMirrored) turned.flop()
          expect(nearest(wordsOf(await hashOf(await turned.png().bytes())))).toBeLessThanOrEqual(usualDistance)
        }
    }
  })

  test('of plain pictures has no quality, and of pictures with something in them enough', async () => {
    const plain = [pngOf(() => [12, 200, 40]), pngOf((x) => [x * 255, x * 255, x * 255])]
    for (const picture of plain) expect((await hashed(picture)).quality).toBeLessThan(leastQuality)
    for (const seed of seeds) expect((await hashed(pngOf(painting(seed)))).quality).toBeGreaterThanOrEqual(leastQuality)
  })

  test('takes what is transparent for white', async () => {
    const clear = Buffer.from('R0lGODlhAQABAIAAAAAAAAAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
    expect([...new Set((await luminanceOf(clear)).values)]).toEqual([255])
  })

  test('3,000 unlike pictures have no two hashes within 31 bits', () => {
    expect(nearPairs(3000)).toBe(0)
  })
})
