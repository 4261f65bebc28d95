import { leastQuality, uprightHash } from './pdq.ts'
import type { Image } from './store.ts'

/** The bytes of an image and its thumbnail, which count towards its owner's limit. */
const sizeOf = ({ bytes, thumb_bytes }: Pick<Image, 'bytes' | 'thumb_bytes'>) => bytes + (thumb_bytes ?? 0)

/** Whether the owner's limit has room for one more image. All sizes are bytes. */
export const hasRoom = (image: Image, { taken, limit }: { taken: number; limit: number }) =>
  taken + sizeOf(image) <= limit

/** The hashes of an image; null if they do not tell it from others. */
export const distinctiveHashes = ({ hashes, hash_quality }: Pick<Image, 'hashes' | 'hash_quality'>): string | null =>
  hashes != null && (hash_quality ?? 0) >= leastQuality ? hashes : null

/** Whether the stored photo of a profile is the URL of a messenger's photo that the server has not fetched yet. */
export const isUnfetched = (photo: string): boolean => photo.startsWith('https:')

export { uprightHash }
