import { type FileHandle, open, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Erasure, ErasureJournal } from '../../features/account/store.ts'
import { giveToOwner } from '../../lib/owner.ts'
import { orNull, refusalOf, syncDirectory } from './disk.ts'

const entry = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/gm

/** The erased users in the text of a journal, with the time of each erasure. */
export const erasuresIn = (text: string): Map<string, number> =>
  new Map(Array.from(text.matchAll(entry), ([, time = '', userId = '']) => [userId, Date.parse(time)]))

/** The text of a journal with these entries. */
export const journalOf = (erasures: readonly Erasure[]): string =>
  erasures.map(({ user_id, at }) => `${new Date(at).toISOString()} ${user_id}\n`).join('')

/**
 * The journal as a text file, with one line per erasure: its time in ISO 8601 and the user's id. An incomplete line, which a
 * crash may leave, is ignored.
 */
export function openErasureJournal(path: string): ErasureJournal {
  /** Removes what was added after `size`, unless a command beside the server has added lines since. */
  async function takeBack(size: number, added: number) {
    if ((await stat(path)).size !== size + added) return
    const file = await open(path, 'r+')
    try {
      await file.truncate(size)
      await file.sync()
    } finally {
      await file.close()
    }
  }

  return {
    async add(erasures) {
      const file = await open(path, 'a+', 0o600)
      try {
        const { size } = await file.stat()
        if (size === 0) giveToOwner(path)
        const lines = journalOf(erasures)
        const added = Buffer.from((await endsInALine(file, size)) ? lines : `\n${lines}`)
        let written = 0
        try {
          while (written < added.length) written += (await file.write(added, written)).bytesWritten
          await file.sync()
        } catch (error) {
          await takeBack(size, written)
          throw refusalOf(error)
        }
        if (size === 0) await syncDirectory(dirname(path))
        // If nothing is removed because others have added lines, the next start erases the user.
        return () => takeBack(size, added.length)
      } finally {
        await file.close()
      }
    },

    async read() {
      return erasuresIn((await orNull(readFile(path, 'utf8'))) ?? '')
    },
  }
}

async function endsInALine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() === '\n'
}
