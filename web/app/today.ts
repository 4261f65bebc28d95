import { useSyncExternalStore } from 'react'

function follow(changed: () => void) {
  let timer: ReturnType<typeof setTimeout>
  function wait() {
    const now = new Date()
    const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)
    timer = setTimeout(() => {
      changed()
      wait()
    }, midnight.getTime() - now.getTime())
  }
  wait()
  // A timer does not run while the device sleeps.
  document.addEventListener('visibilitychange', changed)
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', changed)
  }
}

const day = () => new Date().toDateString()

/** The current time, for texts that count days, such as "yesterday": the component renders again when the day changes. */
export function useToday(): Date {
  useSyncExternalStore(follow, day)
  return new Date()
}
