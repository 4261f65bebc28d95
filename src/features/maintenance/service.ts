import type { CommunityStore } from '../community/store.ts'
import { type Maintenance, readMaintenance, written } from './rules.ts'

/** How often each node looks whether maintenance has begun or ended, in milliseconds. */
export const lookEveryMs = 1000
export const storedAs = 'maintenance'

export type MaintenanceMode = ReturnType<typeof maintenanceMode>

type Deps = {
  store: CommunityStore
  /** Called when maintenance begins, changes or ends. */
  onChange(maintenance: Maintenance | null): void
}

/**
 * Whether people can only read. It stands in the database, so that it holds on every node and after a restart. Each node
 * remembers it and looks once a second: a request pays nothing for it.
 */
export function maintenanceMode({ store, onChange }: Deps) {
  let known: Maintenance | null = null
  let looking: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null

  async function look() {
    const found = readMaintenance((await store.all()).get(storedAs))
    if (written(found) === written(known)) return
    known = found
    onChange(found)
  }

  return {
    /** What is in force on this node; null if everything goes on. */
    now: (): Maintenance | null => known,

    look,

    set: (maintenance: Maintenance | null) => store.set(storedAs, written(maintenance)),

    start() {
      // While the database does not answer, what was known stays in force.
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
