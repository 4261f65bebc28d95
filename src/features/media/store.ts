/** An uploaded image. `file` is its name in the file store, `bytes` that file's size; width and height are pixels. */
export type Image = {
  id: string
  owner_id: string
  file: string
  width: number
  height: number
  placeholder: string
  bytes: number
  created_at: number
}

/**
 * An image is used while it is somebody's profile photo, a message that is not deleted shows it, or it belongs to the
 * evidence of a report.
 */
export type MediaStore = {
  /** False, and nothing is stored, where its owner is erased. */
  add(image: Image): Promise<boolean>
  /**
   * The file of an image, if it may be fetched by that right now: `upload` while the image is there (and not as evidence
   * alone), `profile` while it is somebody's photo, a message's id while that message shows it, a report's id while it is
   * evidence of that report. Else null.
   */
  fileFor(id: string, scope: string): Promise<string | null>
  /** Removes those of the images that nothing uses, and answers the names of their files. */
  removeUnused(ids: readonly string[]): Promise<string[]>
  /** Images made before a time, oldest first, after the given one: a page of all, used or not. */
  before(
    time: number,
    after: Pick<Image, 'created_at' | 'id'> | null,
    limit: number,
  ): Promise<{ id: string; created_at: number; used: boolean }[]>
  /** Those of the files that belong to no image. */
  strayFiles(names: readonly string[]): Promise<string[]>
}
