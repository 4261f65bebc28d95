import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compact } from './time.ts'

const name = /^convene-\d{8}T\d{6}Z\.db$/
const unfinishedName = /^convene-\d{8}T\d{6}Z\.db\.[0-9a-f]{8}\.part(-journal)?$/

/** The newest backup in the directory, by the time that it was finished; null where there is none, or none to be seen. */
export function newestBackup(directory: string): { at: number; bytes: number } | null {
  try {
    const made = readdirSync(directory)
      .filter((entry) => name.test(entry))
      .map((entry) => statSync(join(directory, entry)))
      .map(({ mtimeMs, size }) => ({ at: mtimeMs, bytes: size }))
    return made.sort((a, b) => b.at - a.at)[0] ?? null
  } catch {
    // The next backup makes the directory, or says what is wrong with it.
    return null
  }
}

/**
 * Makes a backup in the directory, named by its time, and removes the oldest ones beyond `keep`. Where the backup fails,
 * none is removed. The erasure journal, where one is named, is copied beside: without it, a backup that is restored on
 * another machine would bring back who was erased since.
 */
export async function backUpInto(
  directory: string,
  {
    keep,
    at,
    journal,
    backUp = inProcessOfItsOwn,
  }: { keep: number; at: number; journal?: string; backUp?: (file: string) => Promise<void> },
): Promise<void> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const left of readdirSync(directory).filter((entry) => unfinishedName.test(entry))) rmSync(join(directory, left))
  const made = `convene-${compact(at)}.db`
  await backUp(join(directory, made))
  if (journal !== undefined && existsSync(journal)) {
    const part = join(directory, `${basename(journal)}.part`)
    copyFileSync(journal, part)
    renameSync(part, join(directory, basename(journal)))
  }
  // Where the clock was set back, the newest one does not look it.
  const others = readdirSync(directory).filter((entry) => name.test(entry) && entry !== made)
  for (const old of others
    .sort()
    .reverse()
    .slice(keep - 1))
    rmSync(join(directory, old))
}

/** `convene backup FILE`, run by this same program, so that the server's own work is not held up. Throws with its message. */
async function inProcessOfItsOwn(file: string): Promise<void> {
  const program = Bun.isStandaloneExecutable ? [] : [join(import.meta.dir, 'main.ts')]
  const child = Bun.spawn([process.execPath, ...program, 'backup', file], { stdout: 'ignore', stderr: 'pipe' })
  const said = await child.stderr.text()
  if ((await child.exited) !== 0)
    throw new Error(said.trim() || `the backup ended with ${child.signalCode ?? child.exitCode}`)
}
