import { join } from 'node:path'

// Set by scripts/build.ts; undefined where the sources themselves run.
declare const BUILD_COMMIT: string | undefined

/** The commit that this binary was built from, or that of the checkout; null if neither is known. */
export const commit = (): string | null =>
  typeof BUILD_COMMIT === 'string' ? BUILD_COMMIT || null : commitOf(join(import.meta.dir, '..'))

/** Twelve digits of the commit that a directory is a checkout of, with `-dirty` where files differ; null if it is none. */
export function commitOf(directory: string): string | null {
  // By its own .git, so that no repository around it answers.
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
