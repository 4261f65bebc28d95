import { openBank } from '../src/features/image-bank/bank.ts'
import { pdqOf, uprightHash } from '../src/features/media/pdq.ts'
import { luminanceOf } from '../src/features/media/pixels.ts'
import { clouds, nearPairs, painting, pngOf, seeded } from '../test/pictures.ts'
import { median } from './load.ts'
import { markdown, number, options, publish } from './report.ts'

const pictures = 10_000

/** The median milliseconds of so many rounds, after some that warm up. */
function timed(rounds: number, work: (round: number) => void): number {
  for (let i = 0; i < 20; i++) work(i)
  return median(
    Array.from({ length: rounds }, (_, i) => {
      const began = performance.now()
      work(i)
      return performance.now() - began
    }),
  )
}

/**
 * How late a timer of one millisecond was at most while ten pictures were hashed: the median of so many times, as what runs
 * beside delays it too.
 */
async function longestDelay(rounds: number): Promise<number> {
  const thumb = await new Bun.Image(pngOf(painting(1), 320, 240)).webp({ quality: 75 }).bytes()
  pdqOf(await luminanceOf(thumb))
  const latest: number[] = []
  let longest = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - 1)
    last = now
  }, 1)
  for (let i = 0; i < rounds; i++) {
    longest = 0
    for (let picture = 0; picture < 10; picture++) pdqOf(await luminanceOf(thumb))
    latest.push(longest)
  }
  clearInterval(timer)
  return median(latest)
}

export async function main() {
  const chosen = options({ seconds: 1, rounds: 200 })
  const random = seeded(1)
  const digits = () => Array.from({ length: 64 }, () => Math.floor(random() * 16).toString(16)).join('')
  const bank = openBank(
    1,
    Array.from({ length: pictures }, (_, i) => ({ id: `${i}`, hash: digits(), distance: null })),
  )
  const image = await luminanceOf(pngOf(painting(1)))
  const hashes = Array.from({ length: 50 }, (_, i) => pdqOf(clouds(i)).hashes)
  const figures = {
    hash_ms: timed(chosen.rounds, () => void pdqOf(image)),
    compare_ms: timed(chosen.rounds, (i) => void bank.nearest(hashes[i % hashes.length]!, 31)),
    delay_ms: await longestDelay(Math.ceil(chosen.rounds / 10)),
    near_pairs: nearPairs(pictures),
    upright: uprightHash(hashes[0]!),
  }
  await publish(
    {
      title: 'Images: perceptual hashes and the bank',
      tables: [
        markdown(
          ['work on the thread of requests', 'ms'],
          [
            ['the eight hashes of 128 × 128 pixels', number(figures.hash_ms)],
            [`comparing an image with ${pictures} banned ones, in eight turns`, number(figures.compare_ms)],
          ],
        ),
      ],
      findings: [
        { name: 'ms that hashing an image holds others up at most', value: figures.delay_ms, bound: { atMost: 20 } },
        { name: `ms of comparing with ${pictures} banned images`, value: figures.compare_ms, bound: { atMost: 5 } },
        {
          name: `pairs of ${pictures} unlike pictures within 31 bits`,
          value: figures.near_pairs,
          bound: { atMost: 0 },
        },
      ],
      pairs: [],
      figures,
    },
    chosen,
  )
}
