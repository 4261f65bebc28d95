import { useEffect, useRef } from 'react'

const pauseMs = 3000

/**
 * Loads more while the end of what is loaded is near. `end` says which end that is: if it is still the same after a load, the
 * load has failed, and the next one waits, so that a lost network or a busy server is not asked without pause.
 */
export function useMore(isNear: boolean, end: unknown, load: () => Promise<void>): void {
  const asked = useRef<unknown>(null)
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    if (!isNear) return
    const timer = setTimeout(
      () => {
        asked.current = end
        void latest.current()
      },
      asked.current === end ? pauseMs : 0,
    )
    return () => clearTimeout(timer)
  }, [isNear, end])
}
