import type { CommunityStore } from '../community/store.ts'
import { type Maintenance, readMaintenance, serialized } from './rules.ts'

/** How often each node checks whether maintenance has begun or ended, in milliseconds. */
export const lookEveryMs = 1000
export const storedAs = 'maintenance'

type Deps = {
  store: CommunityStore
  /** Called when maintenance begins, changes or ends. */
  onChange(maintenance: Maintenance | null): void
}

/**
 * Whether users can only read. The database stores it, so that it applies on every node and after a restart. Each node reads
 * it once a second, so that requests need no look-up.
 */
export function maintenanceMode({ store, onChange }: Deps) {
  let known: Maintenance | null = null
  let looking: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null

  async function look() {
    const found = readMaintenance((await store.all()).get(storedAs))
    if (serialized(found) === serialized(known)) return
    known = found
    onChange(found)
  }

  return {
    /** The maintenance in force on this node; null if there is none. */
    now: (): Maintenance | null => known,

    look,

    set: (maintenance: Maintenance | null) => store.set(storedAs, serialized(maintenance)),

    start() {
      // While the database does not answer, the last known state stays in force.
      timer ??= setInterval(() => {
        looking ??= look()
          .catch(() => {})
          .finally(() => (looking = null))
      }, lookEveryMs).unref()
    },

    stop() {
      if (timer !== null) clearInterval(timer)
    },
  }
}
