/**
 * Stores the bytes of images, apart from their rows. A name has 16 to 64 lowercase hexadecimal digits and dashes (the first four
 * are digits) and ends with `.webp`, or with `.320.webp` for the thumbnail of that image; any other name throws. If the disk is
 * full, `put` refuses with `storage_full`; a remote store that does not answer refuses with `busy`; other device failures are
 * the system's own errors.
 */
export type Files = {
  /** Stores a whole file or nothing: once it resolves, the file outlives a crash. Replaces one of the same name. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** A file that is read lazily; null if there is none. Reading fails if the file is removed meanwhile. */
  get(name: string): Promise<Blob | null>
  /** Which of the files are missing, unreadable or empty (no image is empty). */
  missing(names: readonly string[]): Promise<string[]>
  /**
   * Removes files, or remains of an interrupted `put` by their name from `list`; missing files are no error. Returns how many
   * were removed: if a remote store stops answering, the rest is left to the sweep.
   */
  remove(names: readonly string[]): Promise<number>
  /**
   * Everything that takes up space, in no order, with the time of its last change in milliseconds since the epoch and
   * its size in bytes: files, and remains of interrupted puts under names of their own. A sweep therefore has one rule:
   * remove what is old and has no row.
   */
  list(): AsyncIterable<{ name: string; modified_ms: number; size: number }>
  /** Null if the files are on this machine. */
  remote: RemoteFiles | null
}

/** The extras of a remote store: clients fetch from it directly, and it may be unreachable. */
type RemoteFiles = {
  /** A URL that lets its holder fetch the file for at most that many seconds. Does not check that the file exists. */
  link(name: string, method: 'GET' | 'HEAD', seconds: number): string
  /** The id of the community that owns the files; null if none has claimed them. */
  owner(): Promise<string | null>
  /** Makes the community the owner of the files, even if another one was. */
  mark(communityId: string): Promise<void>
  /** Whether it answers. The result may be some seconds old. */
  answers(): Promise<boolean>
  /** Whether a failed removal or `put` may have left files since the last list. */
  leftovers(): boolean
}

const fileName = /^[0-9a-f]{4}[0-9a-f-]{12,60}(\.320)?\.webp$/

export const isFileName = (name: string) => fileName.test(name)

/**
 * The name of an image's thumbnail. It is derived, so that removing an image removes both. Releases before migration 0018
 * ignore this form of name: otherwise their sweep would take thumbnails for files without an image.
 */
export const thumbOf = (name: string) => name.replace(/\.webp$/, '.320.webp')

/** The name of the image, from its own name or that of its thumbnail. */
export const originalOf = (name: string) => name.replace(/\.320\.webp$/, '.webp')

/** The names of the images and of their thumbnails. */
export const withThumbs = (names: readonly string[]) => names.flatMap((name) => [name, thumbOf(name)])

/**
 * The two folders of a file, so that no folder gets too many entries: `a1` and `b2` for `a1b2….webp`. Throws for another
 * name.
 */
export function foldersOf(name: string): [string, string] {
  if (!isFileName(name)) throw new Error(`not a media file name: ${JSON.stringify(name)}`)
  return [name.slice(0, 2), name.slice(2, 4)]
}
