import { marker } from './names.ts'
import type { Place } from './place.ts'

/** The file at the root. `server` is the run of a server that ships there; `photos_key` what all photos are encrypted with. */
export type Marker = { format: 1; key: string | null; server?: string; photos_key?: string }

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

export const putMarker = (place: Place, content: Marker) =>
  place.put(marker, Buffer.from(`${JSON.stringify(content)}\n`))
