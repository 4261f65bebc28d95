// The key in `sessionStorage`, of which each tab has its own until it is closed.
const key = 'convene:drafts'
const kept = new Map<string, Map<string, unknown>>()
/** Keys of drafts that stay in this page alone. */
const unstored = new Set<string>()
const left = read()

/** Drafts by what they are about, in memory. They survive a reload of the page, for example for a new version. */
export function keptDrafts<Draft>(name: string): Map<string, Draft> {
  const drafts = new Map<string, Draft>(left[name] as [string, Draft][] | undefined)
  delete left[name]
  kept.set(name, drafts)
  return drafts
}

/** Removes all drafts of this tab. */
export function forgetDrafts(): void {
  for (const drafts of kept.values()) drafts.clear()
  storeNoDrafts()
}

/** Keeps what is written up to now in this page alone, because its user has signed out. */
export function storeNoDrafts(): void {
  for (const name in left) delete left[name]
  for (const drafts of kept.values()) for (const id of drafts.keys()) unstored.add(id)
  write()
}

// A page that is left, or that the system may end in the background, gets no later event.
document.addEventListener('visibilitychange', write)

/** While the page is shown, nothing is stored, so that a text that has been sent does not come back after a crash. */
function write() {
  // What no part of this page has asked for stays for the next one.
  const all = { ...left }
  for (const [name, drafts] of kept) {
    const stored = [...drafts].filter(([id]) => !unstored.has(id))
    if (stored.length > 0) all[name] = stored
  }
  try {
    if (document.visibilityState === 'visible' || Object.keys(all).length === 0) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(all))
  } catch {}
}

function read(): Record<string, unknown> {
  try {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? '{}')
    sessionStorage.removeItem(key)
    return stored
  } catch {
    return {}
  }
}
