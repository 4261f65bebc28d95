import { expect, test } from 'bun:test'
import { recentMap } from '../../src/lib/recent-map.ts'

const keys = (n: number) => Array.from({ length: n }, (_, i) => `key ${i}`)
const kept = (map: ReturnType<typeof recentMap<{ key: string }>>, all: string[]) => all.filter((key) => map.get(key))

test('never holds more than it may, and always the newest half of that', () => {
  for (const most of [2, 8, 100])
    for (const count of [1, most / 2, most, 3 * most + 1]) {
      const map = recentMap<{ key: string }>(most)
      const all = keys(count)
      for (const key of all) map.set(key, { key })
      // Reading moves entries, so the newest are read first.
      const held = kept(map, all.toReversed())
      expect(held.length).toBeLessThanOrEqual(most)
      expect(held.slice(0, most / 2)).toEqual(all.toReversed().slice(0, most / 2))
    }
})

test('what is read again and again stays, however much comes after it', () => {
  const map = recentMap<{ key: string }>(8)
  map.set('loved', { key: 'loved' })
  for (const key of keys(100)) {
    map.set(key, { key })
    expect(map.get('loved')).toEqual({ key: 'loved' })
  }
})

test('a new value replaces the old one, also where that is about to be forgotten', () => {
  const map = recentMap<{ key: string }>(4)
  map.set('a', { key: 'old' })
  map.set('b', { key: 'b' })
  map.set('c', { key: 'c' })
  map.set('a', { key: 'new' })
  expect(map.get('a')).toEqual({ key: 'new' })
})

test('what is deleted or cleared is gone for good', () => {
  const map = recentMap<{ key: string }>(4)
  for (const key of ['a', 'b', 'c']) map.set(key, { key })
  // It is now among the older and the newer ones.
  map.get('a')
  map.delete('a')
  expect(map.get('a')).toBeUndefined()
  expect(map.get('b')).toBeDefined()
  map.clear()
  expect(kept(map, ['a', 'b', 'c'])).toEqual([])
})
