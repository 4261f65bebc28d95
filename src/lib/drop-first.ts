/** Removes the entry that a map has held for longest, so that it stays within its bound. */
export function dropFirst<Key>(map: Map<Key, unknown>) {
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}
