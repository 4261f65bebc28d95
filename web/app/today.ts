import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setTimeout>

function tell() {
  for (const listener of [...listeners]) listener()
}

function waitForMidnight() {
  const now = new Date()
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)
  timer = setTimeout(() => {
    waitForMidnight()
    tell()
  }, midnight.getTime() - now.getTime())
}

/** All rows of a list share one timer and one listener. */
function follow(listener: () => void) {
  if (listeners.size === 0) {
    waitForMidnight()
    // A timer does not run while the device sleeps.
    document.addEventListener('visibilitychange', tell)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', tell)
  }
}

const day = () => new Date().toDateString()

/** The current time, for texts that count days, such as "yesterday": the component renders again when the day changes. */
export function useToday(): Date {
  useSyncExternalStore(follow, day)
  return new Date()
}
