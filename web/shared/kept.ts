// What a page remembers on a device. A browser that stores nothing, or whose storage is full, forgets it: no page fails for that.

export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Null removes it. */
export function keep(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // The page goes on without it.
  }
}
