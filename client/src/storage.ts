import type { ClientStorage } from './types.ts'

/** Keeps everything for as long as the program runs. */
export function memoryStorage(): ClientStorage {
  const kept = new Map<string, string>()
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  }
}

/** A storage under a prefix. What it refuses to keep (a full or forbidden storage) is kept in memory. */
export function openStorage(storage: ClientStorage, prefix: string) {
  const refused = memoryStorage()
  return {
    get(key: string): string | null | Promise<string | null> {
      const own = refused.getItem(prefix + key) as string | null
      const value = own ?? storage.getItem(prefix + key)
      return typeof value === 'object' && value ? value.catch(() => null) : value
    },
    async set(key: string, value: string) {
      try {
        await storage.setItem(prefix + key, value)
        refused.removeItem(prefix + key)
      } catch {
        refused.setItem(prefix + key, value)
      }
    },
    async remove(key: string) {
      refused.removeItem(prefix + key)
      try {
        await storage.removeItem(prefix + key)
      } catch {
        // It kept nothing.
      }
    },
  }
}

export type Kept = ReturnType<typeof openStorage>
