import type { ClientStorage } from 'convene-client'

const items = new Map<string, string>()

/** The storage of the simulated device, empty for each state. */
export const device: ClientStorage = {
  getItem: (key) => items.get(key) ?? null,
  setItem: (key, value) => void items.set(key, value),
  removeItem: (key) => void items.delete(key),
}
