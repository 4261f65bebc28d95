type Size = { width: number; height: number }

const sizes = new WeakMap<Blob, Size>()

/** Remembers the size of a photo that is being sent, so that its bubble has the right shape at once. */
export const noteSize = (file: Blob, size: Size): void => void sizes.set(file, size)
export const sizeOf = (file: Blob): Size | null => sizes.get(file) ?? null
