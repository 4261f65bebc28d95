/**
 * An uploaded image. `file` is its name in the file store, `bytes` that file's size; width and height are pixels.
 * `thumb_bytes` is the size of its thumbnail: null if that is still to be made, 0 where it cannot be.
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
  /** Its perceptual hashes, see `Pdq`; null if it is still to be made, or the image cannot be looked at. */
  hashes?: string | null
  /** 0 to 100, see `Pdq`; null where hash and quality are still to be made. */
  hash_quality?: number | null
  /** What a checker says of it, `pending` until it answers; null where none was asked. */
  check_action?: string | null
  check_label?: string | null
  created_at: number
}

/**
 * An image is used while it is somebody's profile photo, a message that is not deleted shows it, or it belongs to the
 * evidence of a report.
 */
export type MediaStore = {
  /** Stores nothing if its owner is erased, or would have more than that many bytes of images with it. */
  add(image: Image, maxBytesOfOwner: number): Promise<'added' | 'no_such_owner' | 'no_room'>
  /**
   * The file of an image, if it may be fetched by that right now: `upload` while the image is there (and not as evidence
   * alone), `profile` while it is somebody's photo, a message's id while that message shows it, a report's id while it is
   * evidence of that report. Null otherwise.
   */
  fileFor(id: string, scope: string): Promise<Pick<Image, 'file' | 'thumb_bytes'> | null>
  /** Removes those of the images that nothing uses, and answers the names of their files. */
  removeUnused(ids: readonly string[]): Promise<string[]>
  /** Images made before a time, oldest first, after the given one: a page of all, used or not. */
  before(
    time: number,
    after: Pick<Image, 'created_at' | 'id'> | null,
    limit: number,
  ): Promise<{ id: string; created_at: number; used: boolean }[]>
  /** The names of the files of images, in their order, that come after a name: a page of all of them. */
  filesAfter(name: string, limit: number): Promise<string[]>
  /** Some images whose thumbnail is still to be made, in no order. */
  withoutThumb(limit: number): Promise<Pick<Image, 'id' | 'owner_id' | 'file'>[]>
  /** Notes that an image has its thumbnail now; false if the image is gone. */
  noteThumb(image: Pick<Image, 'id' | 'owner_id'>, thumbBytes: number): Promise<boolean>
  /** Some images whose hash is still to be made, in no order; only those of the given ids, if any are given. */
  withoutHash(limit: number, ids?: readonly string[]): Promise<Pick<Image, 'id' | 'file' | 'thumb_bytes'>[]>
  /** The hashes of an image; null if there is no such image. */
  hashesOf(id: string): Promise<Required<Pick<Image, 'hashes' | 'hash_quality'>> | null>
  /** What a checker says of an image; null if there is no such image. */
  checkOf(id: string): Promise<Required<Pick<Image, 'check_action' | 'check_label'>> | null>
  /** Some images of which a checker has said nothing yet, the longest waiting first. */
  unchecked(limit: number): Promise<Pick<Image, 'id' | 'file'>[]>
  /** Notes what a checker says of an image that waits for it. */
  noteCheck(id: string, answer: { check_action: string; check_label: string }): Promise<void>
  /** Notes the hash of an image; false if the image is gone. */
  noteHash(id: string, hash: { hashes: string | null; hash_quality: number }): Promise<boolean>
  /** Those of the files that belong to no image. */
  strayFiles(names: readonly string[]): Promise<string[]>
}
