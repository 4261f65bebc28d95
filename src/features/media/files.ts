/** A stored file. `blob` reads lazily and supports `slice` for ranges; `size` is in bytes. */
export type StoredFile = { blob: Blob; size: number }

/**
 * Where the bytes of images are kept, apart from their rows. A name is lowercase hexadecimal digits and dashes (16 to 64
 * characters, the first four digits) followed by `.webp`; any other is a mistake of the caller and throws.
 * Where there is no room left, `put` refuses with `storage_full`; other failures of the device stay the system's own errors.
 */
export type Files = {
  /** Stores a whole file or nothing: once it resolves, the file outlives a crash. Replaces one of the same name. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Null where there is no such file. One that is removed later may fail while it is read. */
  get(name: string): Promise<StoredFile | null>
  /** Removes a file, or what an interrupted `put` left under a name from `list`. No error where there is none. */
  remove(name: string): Promise<void>
  /**
   * Everything that takes up room, in no order, with the time of its last change in milliseconds since the epoch: files,
   * and what interrupted puts left, whose names no `put` was given. So a sweep is one rule: what is old and has no row, goes.
   */
  list(): AsyncIterable<{ name: string; modified_ms: number }>
}
