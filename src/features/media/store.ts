/**
 * An uploaded image. `file` is its name in the file store, `bytes` that file's size; width and height are pixels.
 * `thumb_bytes` is the size of its thumbnail: null if it has not been made yet, 0 if it cannot be made.
 */
export type Image = {
  id: string
  owner_id: string
  file: string
  width: number
  height: number
  placeholder: string
  bytes: number
  thumb_bytes: number | null
  /** Its perceptual hashes, see `Pdq`; null if they have not been computed yet, or the image cannot be decoded. */
  hashes?: string | null
  /** 0 to 100, see `Pdq`; null if hashes and quality have not been computed yet. */
  hash_quality?: number | null
  /** The answer of the operator's checker, `pending` until it answers; null if none was asked. */
  check_action?: string | null
  check_label?: string | null
  created_at: number
}

/**
 * An image is in use while it is a profile photo, a message that is not deleted shows it, or it is evidence of a report.
 */
export type MediaStore = {
  /** Stores nothing if its owner is erased, or would then have more than that many bytes of images. */
  add(image: Image, maxBytesOfOwner: number): Promise<'added' | 'no_such_owner' | 'no_room'>
  /**
   * The file of an image, if its scope allows fetching it now, else null: `upload` while the image is kept (and not only as
   * evidence), `profile` while it is a profile photo, a message's id while that message shows it, a report's id while it is
   * evidence of that report.
   */
  fileFor(id: string, scope: string): Promise<Pick<Image, 'file' | 'thumb_bytes'> | null>
  /** Removes those of the images that are not in use. Returns the names of their files. */
  removeUnused(ids: readonly string[]): Promise<string[]>
  /** A page of the images made before a time, oldest first, after the given one. */
  before(
    time: number,
    after: Pick<Image, 'created_at' | 'id'> | null,
    limit: number,
  ): Promise<{ id: string; created_at: number; used: boolean }[]>
  /** A page of the names of all image files, sorted, after the given one. */
  filesAfter(name: string, limit: number): Promise<string[]>
  /** Some images whose thumbnail has not been made yet, in no order. */
  withoutThumb(limit: number): Promise<Pick<Image, 'id' | 'owner_id' | 'file'>[]>
  /** Records that an image has a thumbnail now; false if the image is gone. */
  noteThumb(image: Pick<Image, 'id' | 'owner_id'>, thumbBytes: number): Promise<boolean>
  /** Some images whose hashes have not been computed yet, in no order; with `ids`, only of these. */
  withoutHash(limit: number, ids?: readonly string[]): Promise<Pick<Image, 'id' | 'file' | 'thumb_bytes'>[]>
  /** The hashes of an image; null if there is no such image. */
  hashesOf(id: string): Promise<Required<Pick<Image, 'hashes' | 'hash_quality'>> | null>
  /** The checker's answer about an image; null if there is no such image. */
  checkOf(id: string): Promise<Required<Pick<Image, 'check_action' | 'check_label'>> | null>
  /** Some images after that id that wait for the checker's answer, the oldest first. */
  unchecked(limit: number, after: string): Promise<Pick<Image, 'id' | 'file'>[]>
  /** Records the checker's answer about an image that waits for it. */
  noteCheck(id: string, answer: { check_action: string; check_label: string }): Promise<void>
  /** Records the hashes of an image; false if the image is gone. */
  noteHash(id: string, hash: { hashes: string | null; hash_quality: number }): Promise<boolean>
  /** Those of the files that belong to no image. */
  strayFiles(names: readonly string[]): Promise<string[]>
}
