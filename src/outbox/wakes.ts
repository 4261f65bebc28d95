import type { Kind } from './store.ts'

export type Wakes = ReturnType<typeof openWakes>

/**
 * Tells the delivery that a parcel is committed. It is built before those that commit parcels, and they before the delivery,
 * whose carriers need some of them.
 */
export function openWakes() {
  const listeners = new Set<(kind: Kind) => void>()
  return {
    /** Call after a parcel of that kind is committed. */
    wake(kind: Kind) {
      for (const listener of listeners) listener(kind)
    },

    /** Is told of every wake from now on. */
    listen(listener: (kind: Kind) => void) {
      listeners.add(listener)
    },
  }
}
