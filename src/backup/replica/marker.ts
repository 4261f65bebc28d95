import { randomUUID } from 'node:crypto'
import { minutes } from '../../lib/time.ts'
import type { ReplicaKey } from './format.ts'
import { marker } from './names.ts'
import type { Place } from './place.ts'

/** The marker file of a place. `server` identifies the server's run that ships there, `photos_key` the key of all its photos. */
type Marker = { format: 1; key: string | null; server?: string; photos_key?: string }

/** If two servers ship to one place, the one that started last owns it, and the other one sees `taken`. */
type MarkerState = 'unwritten' | 'ours' | 'gone' | 'taken'

const lookEveryMs = minutes

/** Null if the place has none. */
export async function readMarker(place: Place): Promise<Marker | null> {
  const bytes = await place.get(marker)
  if (bytes === null) return null
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return { format: 1, key: null }
  }
}

/** The marker of this server. */
export function ownMarker(place: Place, { key, everyMs = lookEveryMs }: { key: ReplicaKey | null; everyMs?: number }) {
  /** Identifies this run, so that another server is recognised even if it has a copy of all files. */
  const server = randomUUID()
  const keyId = key?.id ?? 'none'
  let photosKey: string | undefined
  let state: MarkerState = 'unwritten'
  let lookedAt = 0

  async function write() {
    let written: string | undefined
    // Repeated if the photos have got our key while the marker was written.
    do {
      written = photosKey
      const content: Marker = { format: 1, key: key?.id ?? null, server, photos_key: written }
      await place.put(marker, Buffer.from(`${JSON.stringify(content)}\n`))
    } while (written !== photosKey)
  }

  return {
    /** Replaces the marker that was found before. */
    async put(found: Marker | null, now: number) {
      photosKey ??= found?.photos_key
      await write()
      state = 'ours'
      lookedAt = now
    },

    /** Reads the marker once a minute while it is ours, and on each call once it is not. */
    async look(now: number): Promise<MarkerState> {
      if (state === 'unwritten' || (state === 'ours' && Math.abs(now - lookedAt) < everyMs)) return state
      const found = await readMarker(place)
      if (found === null) state = 'gone'
      else state = found.server === server ? 'ours' : 'taken'
      lookedAt = now
      return state
    },

    /** Whether the photos in the place are encrypted with another key. */
    async photosHaveOtherKey(): Promise<boolean> {
      photosKey ??= (await readMarker(place))?.photos_key
      return photosKey !== keyId
    },

    async photosHaveOurKey() {
      if (photosKey === keyId) return
      photosKey = keyId
      if (state === 'ours') await write()
    },
  }
}
