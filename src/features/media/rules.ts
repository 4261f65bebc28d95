import { leastQuality, uprightHash } from './pdq.ts'
import type { Image } from './store.ts'

/** What an image takes of its owner's room, with its thumbnail. */
export const sizeOf = ({ bytes, thumb_bytes }: Pick<Image, 'bytes' | 'thumb_bytes'>) => bytes + (thumb_bytes ?? 0)

/** Whether one more image fits beside those of its owner. All sizes are bytes. */
export const hasRoom = (image: Image, { taken, limit }: { taken: number; limit: number }) =>
  taken + sizeOf(image) <= limit

/** The hashes of an image, where they tell it from others. */
export const telling = ({ hashes, hash_quality }: Pick<Image, 'hashes' | 'hash_quality'>): string | null =>
  hashes != null && (hash_quality ?? 0) >= leastQuality ? hashes : null

export { uprightHash }
