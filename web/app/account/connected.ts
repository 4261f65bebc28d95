import { useConvene } from 'convene-client/react'
import { useEffect, useRef } from 'react'

// After a restart of the server, thousands of pages connect within seconds.
const spreadMs = 10_000
const onceInMs = 60_000

/**
 * Calls `again`, which returns whether it succeeded, after a connection has begun. The server repeats no announcement and no
 * maintenance for a socket that was away, and the page may have started without the server, so what they say has to be read
 * again: at the first connection at once, later within a few seconds, but once a minute at most.
 */
export function useConnected(again: () => Promise<boolean>) {
  const client = useConvene()
  const current = useRef(again)
  current.current = again
  useEffect(() => {
    let readAt: number | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = async () => {
      timer = undefined
      const now = Date.now()
      if (await current.current()) readAt = now
    }
    const stop = client.on('hello', () => {
      // A planned one reads everything that this connection has missed.
      if (timer !== undefined) return
      const waitMs = readAt === null ? 0 : Math.max(0, readAt + onceInMs - Date.now()) + Math.random() * spreadMs
      timer = setTimeout(read, waitMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client])
}
