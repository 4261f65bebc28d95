/**
 * A map that drops the least recently used entries: it holds up to `most`, and at least the most recent half of that. It keeps
 * two maps, and drops the older one once the newer one is full. Deleting the first key of one large Map for each new key takes
 * 10 µs or more, because an iterator of JavaScriptCore passes everything that was deleted before.
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
