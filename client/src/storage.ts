import type { ClientStorage } from './types.ts'

/** Keeps everything while the program runs. */
export function memoryStorage(): ClientStorage {
  const kept = new Map<string, string>()
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  }
}

type Refused = {
  value: string | null
  /** What the storage held when it refused the value; undefined while it cannot be read. */
  held: string | null | undefined
}

/** A storage whose keys have a prefix. If the storage is full or disabled, values are kept in memory. */
export function openStorage(storage: ClientStorage, prefix: string) {
  const refused = new Map<string, Refused>()
  const kept = (key: string) => storage.getItem(prefix + key)

  /** The refused value, as long as the storage still holds what it held then. Otherwise somebody has stored a newer one. */
  function newest(key: string, stored: string | null) {
    const late = refused.get(key)
    if (late) {
      if (late.held === undefined) late.held = stored
      if (late.held === stored) return late.value
      refused.delete(key)
    }
    // An empty value stands for one that could not be removed.
    return stored || null
  }
  const inMemory = (key: string) => refused.get(key)?.value ?? null

  return {
    /** Null where there is nothing, or where it cannot be read. */
    get(key: string): string | null | Promise<string | null> {
      try {
        const value = kept(key)
        return typeof value === 'object' && value
          ? value.then(
              (stored) => newest(key, stored),
              () => inMemory(key),
            )
          : newest(key, value)
      } catch {
        return inMemory(key)
      }
    },
    /** Throws where it cannot be read, for values that must not be taken for missing then. */
    async read(key: string): Promise<string | null> {
      try {
        return newest(key, await kept(key))
      } catch (error) {
        if (refused.has(key)) return inMemory(key)
        throw error
      }
    },
    /** Null removes it. Tries again, because a lost connection to a database fails once. Returns whether it is stored. */
    async set(key: string, value: string | null): Promise<boolean> {
      const remove = () => storage.removeItem(prefix + key)
      const write = () => storage.setItem(prefix + key, value ?? '')
      for (const attempt of value === null ? [remove, write, remove] : [write, write])
        try {
          await attempt()
          refused.delete(key)
          return true
        } catch {
          // The value is kept in memory below.
        }
      const held = await Promise.resolve(key)
        .then(kept)
        .catch(() => undefined)
      refused.set(key, { value, held })
      return false
    },
  }
}

export type ScopedStorage = ReturnType<typeof openStorage>
