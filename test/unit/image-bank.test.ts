import { describe, expect, test } from 'bun:test'
import { openBank } from '../../src/features/image-bank/bank.ts'
import { bankLine, longestReason, readBank } from '../../src/features/image-bank/rules.ts'
import { pdqOf, uprightHash } from '../../src/features/media/pdq.ts'
import { clouds } from '../pictures.ts'

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
    const entries = [
      { hash, distance: 0, reason: 'Spam, and "more"' },
      { hash: other, distance: null, reason: '-' },
    ]
    const [first, second] = entries
    expect(readBank(bankLine(first!) + bankLine({ ...second!, reason: 'two\nlines' }))).toEqual({
      entries: [first!, { ...second!, reason: 'two lines' }],
    })
  })

  test('is refused with the numbers of all broken lines', () => {
    const text = [
      ...['abc,1,x', `${hash},1,ok`, `${hash},91,far`, `${hash},-1,x`, `${other},1.5,x`, `${other},1,`, `${other}`],
      ...[`${hash},2,again`, `${other},1,${'x'.repeat(longestReason + 1)}`, 'nonsense'],
    ].join('\n')
    const read = readBank(text)
    expect('problems' in read && read.problems.map(({ line }) => line)).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 10])
    expect('problems' in read && read.problems[6]!.message).toBe('the hash of line 2 again')
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
