/**
 * Where the bytes of images are kept, apart from their rows. A name is lowercase hexadecimal digits and dashes (16 to 64
 * characters, the first four digits) followed by `.webp`, or by `.320.webp` for the thumbnail of the one before; any other is
 * a mistake of the caller and throws.
 * Where there is no room left, `put` refuses with `storage_full`; a place elsewhere that does not answer refuses with
 * `busy`; other failures of the device stay the system's own errors.
 */
export type Files = {
  /** Stores a whole file or nothing: once it resolves, the file outlives a crash. Replaces one of the same name. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** A file to be read as it is needed; null where there is none. One that is removed later may fail while it is read. */
  get(name: string): Promise<Blob | null>
  /** Those of the files that are not there, cannot be looked at, or are empty, which no image is. */
  missing(names: readonly string[]): Promise<string[]>
  /**
   * Removes files, or what an interrupted `put` left under a name from `list`; no error where there is none. Answers how
   * many: a place elsewhere that does not answer keeps the others, for the sweep.
   */
  remove(names: readonly string[]): Promise<number>
  /**
   * Everything that takes up room, in no order, with the time of its last change in milliseconds since the epoch: files,
   * and what interrupted puts left, whose names no `put` was given. So a sweep is one rule: what is old and has no row, goes.
   */
  list(): AsyncIterable<{ name: string; modified_ms: number }>
  /** Null where this machine has the files itself. */
  remote: RemoteFiles | null
}

/** What comes with a place elsewhere: clients fetch from it by themselves, and it may be away. */
export type RemoteFiles = {
  /** A URL by which whoever holds it fetches the file, for that many seconds at most; whether there is one is not asked. */
  link(name: string, method: 'GET' | 'HEAD', seconds: number): string
  /** The id of the community that the files are marked as being of; null where nobody has marked them. */
  owner(): Promise<string | null>
  /** Marks the files as that community's, whosever they were. */
  mark(communityId: string): Promise<void>
  /** Whether it answers, as of some seconds ago at most. */
  answers(): Promise<boolean>
  /** Whether something may have stayed there since it was last listed, as a removal or a `put` failed. */
  leftovers(): boolean
}

const fileName = /^[0-9a-f]{4}[0-9a-f-]{12,60}(\.320)?\.webp$/

export const isFileName = (name: string) => fileName.test(name)

/**
 * The name of an image's thumbnail, by that of the image. It is derived, so that whoever removes an image removes both, and
 * is a name that the release before 0018 overlooks: its sweep would take thumbnails for files without an image.
 */
export const thumbOf = (name: string) => name.replace(/\.webp$/, '.320.webp')

/** The name of the image itself, by its own or that of its thumbnail. */
export const originalOf = (name: string) => name.replace(/\.320\.webp$/, '.webp')

/** All files of images. */
export const withThumbs = (names: readonly string[]) => names.flatMap((name) => [name, thumbOf(name)])

/** The two folders in which a file lies, so that none grows long: `a1` and `b2` for `a1b2….webp`. Throws for another name. */
export function foldersOf(name: string): [string, string] {
  if (!isFileName(name)) throw new Error(`not a media file name: ${JSON.stringify(name)}`)
  return [name.slice(0, 2), name.slice(2, 4)]
}
