import { join } from 'node:path'

// Set by scripts/build.ts; undefined when the sources run directly.
declare const BUILD_COMMIT: string | undefined

/** The commit that this binary was built from, or that of the checkout; null if neither is known. */
export const commit = (): string | null =>
  typeof BUILD_COMMIT === 'string' ? BUILD_COMMIT || null : commitOf(join(import.meta.dir, '..'))

/** The first twelve digits of a checkout's commit, with `-dirty` if files differ; null if the directory is no checkout. */
export function commitOf(directory: string): string | null {
  // Its own .git is named, so that Git does not use an enclosing repository.
  const where = [`--git-dir=${join(directory, '.git')}`, `--work-tree=${directory}`]
  try {
    const { success, stdout } = Bun.spawnSync(
      ['git', ...where, 'describe', '--always', '--dirty', '--exclude=*', '--abbrev=12'],
      { stdout: 'pipe', stderr: 'ignore' },
    )
    return (success && stdout.toString().trim()) || null
  } catch {
    // Git is not installed.
    return null
  }
}
