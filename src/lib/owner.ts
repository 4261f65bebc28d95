import { chownSync, lstatSync, lchownSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Gives a file or directory that root has just created to the owner of its directory. Otherwise commands that an operator
 * runs as root would leave files that the server, as another user, cannot open.
 */
export function giveToOwner(path: string, directory = dirname(path)) {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(directory)
  if (statSync(path).uid !== uid) chownSync(path, uid, gid)
}

/** The same for a path and everything below it, with the owner of `directory`. */
export function giveAllToOwner(path: string, directory: string) {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(directory)
  const give = (path: string) => {
    const found = lstatSync(path)
    if (found.uid !== uid) lchownSync(path, uid, gid)
    if (found.isDirectory()) for (const name of readdirSync(path)) give(join(path, name))
  }
  give(path)
}
