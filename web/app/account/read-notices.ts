import { readLocal, writeLocal } from '../../shared/local-storage.ts'

const key = 'notices-read'
// More than a screen reads at once, as several people may use the device. The ids that were read first are dropped.
const most = 500

let ids = stored()
const listeners = new Set<() => void>()

/** The ids of the notices that were read on this device. */
export const readNotices = {
  get: (): readonly string[] => ids,
  subscribe(listener: () => void) {
    // Another tab has changed them.
    const reread = (event: StorageEvent) => {
      if (event.key !== key) return
      ids = stored()
      listener()
    }
    listeners.add(listener)
    addEventListener('storage', reread)
    return () => {
      listeners.delete(listener)
      removeEventListener('storage', reread)
    }
  },
}

export function markRead(more: readonly string[]) {
  const added = more.filter((id) => !ids.includes(id))
  if (added.length === 0) return
  ids = [...added, ...ids].slice(0, most)
  writeLocal(key, JSON.stringify(ids))
  for (const listener of [...listeners]) listener()
}

function stored(): readonly string[] {
  try {
    return JSON.parse(readLocal(key) ?? '[]') as string[]
  } catch {
    return []
  }
}
