import { statfsSync } from 'node:fs'

/** How much space is needed in a directory. */
export type SpaceNeeded = { directory: string; bytes: number }

/** Throws if a directory has less free space than `what` needs there. */
export function refuseWithoutSpace(needs: readonly SpaceNeeded[], what: string) {
  for (const { directory, bytes } of needs) {
    const { bavail, bsize } = statfsSync(directory)
    const free = bavail * bsize
    if (free < bytes)
      throw new Error(`${what} needs ${megabytes(bytes)} of space in ${directory}, and ${megabytes(free)} are free`)
  }
}

export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
