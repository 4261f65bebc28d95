/**
 * A map that forgets what was neither set nor read for longest: it holds `most` entries at most, and at least the last half of
 * that many. There are two maps, and the older one goes whole once the newer one is full. Deleting the first key of one
 * large Map for each new one takes 10 µs or more: an iterator of JavaScriptCore passes everything that was deleted before.
 */
export function recentMap<V extends object>(most: number) {
  let newer = new Map<string, V>()
  let older = new Map<string, V>()

  function set(key: string, value: V) {
    if (newer.size >= most / 2 && !newer.has(key)) {
      older = newer
      newer = new Map()
    }
    newer.set(key, value)
  }

  return {
    set,

    get(key: string): V | undefined {
      const value = newer.get(key)
      if (value) return value
      const kept = older.get(key)
      if (kept) set(key, kept)
      return kept
    },

    delete(key: string) {
      newer.delete(key)
      older.delete(key)
    },

    clear() {
      newer.clear()
      older.clear()
    },
  }
}

export type RecentMap<V extends object> = ReturnType<typeof recentMap<V>>
