import { useConvene } from 'convene-client/react'
import { useEffect, useRef } from 'react'

/**
 * Calls `again` when the connection is back after it was lost. The server repeats no announcement and no maintenance for a
 * socket that was away, so what they say has to be read again. `isOld` says that what is shown may be older than the page.
 */
export function useReconnected(again: () => unknown, isOld = false) {
  const client = useConvene()
  const current = useRef({ again, isOld })
  current.current = { again, isOld }
  useEffect(() => {
    // The page has just read everything when it connects for the first time.
    let isFirst = client.connection.get().state !== 'online'
    return client.on('hello', () => {
      if (!isFirst || current.current.isOld) void current.current.again()
      isFirst = false
    })
  }, [client])
}
