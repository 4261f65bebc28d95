import type { Store } from 'convene-client'
import { useEffect, useRef, useState } from 'react'

type Read = { loading: boolean; loaded: boolean }

/**
 * Whether the first attempt to read has ended, so that a failure is not shown before it. A failure may come before the first
 * render, so this subscribes to the store itself. If an earlier screen could not read the data, it tries again.
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
