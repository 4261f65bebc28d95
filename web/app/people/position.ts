import { useConvene } from 'convene-client/react'
import { useCallback, useState } from 'react'
import type { Place } from './nearby-store.ts'
import type { Problem } from 'convene-client'
import { useTelegram } from '../telegram/telegram.tsx'

/** The state of asking the device for its position. `denied`, `unavailable` and `timeout` are its answers. */
export type Asking =
  'idle' | 'asking' | 'denied' | 'unavailable' | 'timeout' | 'unsupported' | { refused: Problem | 'offline' }

const ask = (): Promise<Place> =>
  new Promise((resolve, reject) =>
    navigator.geolocation.getCurrentPosition(({ coords }) => resolve(coords), reject, {
      // The server publishes a point some 300 m away, so a precise position would only waste battery.
      enableHighAccuracy: false,
      maximumAge: 60_000,
      timeout: 15_000,
    }),
  )

/** Asks the device for its position only when `send` is called, and passes it to `take`, which returns why it was refused. */
export function usePosition(take: (position: Place) => Promise<Problem | 'offline' | null>) {
  const sdk = useTelegram()?.sdk
  const { session } = useConvene()
  const [asking, setAsking] = useState<Asking>('idle')
  const send = useCallback(async () => {
    const own = session.get().user?.id
    setAsking('asking')
    try {
      // Prefer Telegram's own permission: the browser would ask again for each page that Telegram shows.
      const told = (await sdk?.askPosition().catch(() => 'unsupported' as const)) ?? 'unsupported'
      if (told === 'denied') return setAsking('denied')
      if (told === 'unsupported' && (!('geolocation' in navigator) || !isSecureContext)) return setAsking('unsupported')
      const { latitude, longitude } = told === 'unsupported' ? await ask() : told
      // The answer may take long: never publish it for the next user of the device.
      if (session.get().user?.id !== own) return setAsking('idle')
      const refused = await take({ latitude, longitude })
      setAsking(refused === null ? 'idle' : { refused })
    } catch (error) {
      const code = error instanceof GeolocationPositionError ? error.code : 2
      setAsking(code === 1 ? 'denied' : code === 3 ? 'timeout' : 'unavailable')
    }
  }, [take, sdk, session])
  return { asking, send }
}
