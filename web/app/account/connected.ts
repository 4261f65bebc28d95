import { useConvene } from 'convene-client/react'
import { useEffect, useRef } from 'react'

/**
 * Calls `again` when a connection begins. The server repeats no announcement and no maintenance for a socket that was away, and
 * the page may have started without the server, so what they say has to be read again.
 */
export function useConnected(again: () => unknown) {
  const client = useConvene()
  const current = useRef(again)
  current.current = again
  useEffect(() => client.on('hello', () => void current.current()), [client])
}
