/**
 * An uploaded image. `file` is its name in the file store, `bytes` that file's size; width and height are pixels.
 * `thumb_bytes` is the size of its thumbnail: null where that is still to be made, 0 where it cannot be.
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
  created_at: number
}

/**
 * An image is used while it is somebody's profile photo, a message that is not deleted shows it, or it belongs to the
 * evidence of a report.
 */
export type MediaStore = {
  /** Stores nothing where its owner is erased, or would have more than that many bytes of images with it. */
  add(image: Image, maxBytesOfOwner: number): Promise<'added' | 'no_such_owner' | 'no_room'>
  /**
   * The file of an image, if it may be fetched by that right now: `upload` while the image is there (and not as evidence
   * alone), `profile` while it is somebody's photo, a message's id while that message shows it, a report's id while it is
   * evidence of that report. Else null.
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
  /** Notes that an image has its thumbnail now; false where the image is gone. */
  noteThumb(image: Pick<Image, 'id' | 'owner_id'>, thumbBytes: number): Promise<boolean>
  /** Those of the files that belong to no image. */
  strayFiles(names: readonly string[]): Promise<string[]>
}
