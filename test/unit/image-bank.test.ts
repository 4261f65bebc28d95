import { describe, expect, test } from 'bun:test'
import { openBank } from '../../src/features/image-bank/bank.ts'
import { bankLine, longestReason, readBank } from '../../src/features/image-bank/rules.ts'
import { pdqOf, uprightHash } from '../../src/features/media/pdq.ts'
import { clouds, seeded } from '../pictures.ts'

const hash = 'd8f8f1eec0f4a84f0e37022a078f63f0b36e2ed596621e1d33e6239c4e9c9b22'
const other = 'f'.repeat(64)

describe('a bank as text', () => {
  test('is read line by line', () => {
    const text = `hash,distance,reason\r\n# of last year\n\n${hash},31,A scam\n ${other.toUpperCase()} , ,"Spam, of ""Ada"""\n`
    expect(readBank(text)).toEqual({
      entries: [
        { hash, distance: 31, reason: 'A scam' },
        { hash: other, distance: null, reason: 'Spam, of "Ada"' },
      ],
    })
  })

  test('is read as it was written', () => {
    const reasons = ['Spam, and "more"', '-', '=1+1', '😀'.repeat(longestReason)]
    const entries = reasons.map((reason, i) => ({ hash: hash.slice(1) + i, distance: i || null, reason }))
    expect(readBank(entries.map(bankLine).join(''))).toEqual({ entries })
    const [first] = entries
    expect(readBank(bankLine({ ...first!, reason: 'two\nlines' }))).toEqual({
      entries: [{ ...first!, reason: 'two lines' }],
    })
  })

  test('is refused with the numbers of all broken lines', () => {
    const text = [
      ...['abc,1,x', `${hash},1,ok`, `${hash},91,far`, `${hash},-1,x`, `${other},1.5,x`, `${other},1,`, `${other}`],
      ...[`${hash},2,again`, `${other},1,${'x'.repeat(longestReason + 1)}`, 'nonsense'],
    ].join('\n')
    const read = readBank(text)
    expect('problems' in read && read.problems.map(({ line }) => line)).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 10])
    expect('problems' in read && read.problems[6]!.message).toBe('repeats the hash of line 2')
  })
})

test('an image is found in a bank as it is and turned, by the entry’s own distance before the one asked for', () => {
  const [image, unlike] = [pdqOf(clouds(1)).hashes, pdqOf(clouds(2)).hashes]
  const entries = (distance: number | null) =>
    [uprightHash(image), image.slice(-64)].map((text) => openBank(1, [{ id: 'a', hash: text, distance }]))
  for (const bank of entries(null)) {
    expect(bank.nearest(image, 0)).toBe(0)
    expect(bank.nearest(unlike, 31)).toBe(Infinity)
    expect(bank.nearest(unlike, 256)).toBeWithin(32, 257)
  }
  for (const bank of entries(2)) expect(bank.nearest(unlike, 256)).toBe(Infinity)
  const both = openBank(
    1,
    [unlike, image].map((hash) => ({ id: 'a', hash: uprightHash(hash), distance: null })),
  )
  expect(both.nearest(image, 31)).toBe(0)
  expect(openBank(0, []).nearest(image, 256)).toBe(Infinity)
})

test('a large bank finds what comparing with each of its hashes finds', () => {
  const random = seeded(7)
  const digits = () => Array.from({ length: 64 }, () => Math.floor(random() * 16).toString(16)).join('')
  /** The hash with so many of its bits changed, as evenly as can be: from 16 on no part of 16 bits stays as it was. */
  const changed = (text: string, bits: number) => {
    const first = Math.floor(random() * 256)
    const places = new Set(Array.from({ length: bits }, (_, i) => (first + i * 16 + Math.floor(i / 16)) % 256))
    return [...text]
      .map((digit, i) => {
        const mask = [0, 1, 2, 3].reduce((all, bit) => all | (places.has(i * 4 + bit) ? 1 << bit : 0), 0)
        return (Number.parseInt(digit, 16) ^ mask).toString(16)
      })
      .join('')
  }
  const images = Array.from({ length: 60 }, (_, i) => pdqOf(clouds(i)).hashes)
  // Each image has one hash that is so near to it, as it is or turned; some hashes have distances of their own.
  const planted = images.map((hashes, i) => {
    const turn = (i % 8) * 64
    return { id: `${i}`, hash: changed(hashes.slice(turn, turn + 64), i), distance: i % 5 === 0 ? i + (i % 2) : null }
  })
  const others = Array.from({ length: 200 }, (_, i) => ({
    ...{ id: `other ${i}`, hash: digits(), distance: i % 40 === 0 ? 60 : null },
  }))
  const entries = [...others.slice(0, 100), ...planted, ...others.slice(100)]
  const bank = openBank(1, entries)
  // A bank of one hash compares with it.
  const each = entries.map((entry) => openBank(1, [entry]))
  for (const hashes of images)
    for (const most of [0, 15, 31, 32, 60, 256])
      expect(bank.nearest(hashes, most)).toBe(Math.min(...each.map((one) => one.nearest(hashes, most))))
})
