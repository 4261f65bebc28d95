import { useCallback, useState } from 'react'
import type { Place } from './nearby-store.ts'
import type { Problem } from 'convene-client'
import { useTelegram } from '../telegram/telegram.tsx'

/** Where asking the device for its position is. `denied` and the rest are what the device answered. */
export type Asking =
  'idle' | 'asking' | 'denied' | 'unavailable' | 'timeout' | 'unsupported' | { refused: Problem | 'offline' }

const ask = (): Promise<Place> =>
  new Promise((resolve, reject) =>
    navigator.geolocation.getCurrentPosition(({ coords }) => resolve(coords), reject, {
      // The server publishes a point some 300 m away: a precise position would cost battery for nothing.
      enableHighAccuracy: false,
      maximumAge: 60_000,
      timeout: 15_000,
    }),
  )

/** The device is asked for its position when `send` is called, and never by itself. `take` gets it, and says why it is refused. */
export function usePosition(take: (position: Place) => Promise<Problem | 'offline' | null>) {
  const sdk = useTelegram()?.sdk
  const [asking, setAsking] = useState<Asking>('idle')
  const send = useCallback(async () => {
    setAsking('asking')
    try {
      // Telegram has asked its user already, and browsers ask for each page that Telegram shows.
      const told = (await sdk?.askPosition().catch(() => 'unsupported' as const)) ?? 'unsupported'
      if (told === 'denied') return setAsking('denied')
      if (told === 'unsupported' && (!('geolocation' in navigator) || !isSecureContext)) return setAsking('unsupported')
      const { latitude, longitude } = told === 'unsupported' ? await ask() : told
      const refused = await take({ latitude, longitude })
      setAsking(refused === null ? 'idle' : { refused })
    } catch (error) {
      const code = error instanceof GeolocationPositionError ? error.code : 2
      setAsking(code === 1 ? 'denied' : code === 3 ? 'timeout' : 'unavailable')
    }
  }, [take, sdk])
  return { asking, send }
}
