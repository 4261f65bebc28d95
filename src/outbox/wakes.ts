import type { Kind } from './store.ts'

/**
 * Tells the delivery that a parcel is committed. It is a separate object because the services that commit parcels are built
 * before the delivery, whose carriers need some of them.
 */
export function openWakes() {
  const listeners = new Set<(kind: Kind) => void>()
  return {
    /** Call after a parcel of that kind is committed. */
    wake(kind: Kind) {
      for (const listener of listeners) listener(kind)
    },

    /** Calls the listener for every later wake. */
    listen(listener: (kind: Kind) => void) {
      listeners.add(listener)
    },
  }
}
