import type { Store } from 'convene-client'
import { useEffect, useRef, useState } from 'react'

type Read = { loading: boolean; loaded: boolean }

/**
 * Whether something has been read, or could not be: before the first try there is nothing to complain about. A failure may
 * come before anything was drawn, so this listens to the store itself. What an earlier screen could not read is tried anew.
 */
export function useTried(store: Store<Read>, load: () => Promise<void>): boolean {
  const [hasTried, setTried] = useState(false)
  const begin = useRef(load)
  begin.current = load
  useEffect(() => {
    let hasBegun = store.get().loading
    const stop = store.subscribe(() => {
      const { loading } = store.get()
      if (loading) hasBegun = true
      else if (hasBegun) setTried(true)
    })
    const { loading, loaded } = store.get()
    if (!loading && !loaded) void begin.current()
    return stop
  }, [store])
  return hasTried
}
