import type { ClientStorage } from 'convene-client'

const items = new Map<string, string>()

/** What the device of a picture has kept: made anew for each picture. */
export const device: ClientStorage = {
  getItem: (key) => items.get(key) ?? null,
  setItem: (key, value) => void items.set(key, value),
  removeItem: (key) => void items.delete(key),
}
