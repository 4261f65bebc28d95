import { codeOf, messageOf } from '../lib/errors.ts'

export type Command = {
  /** What `--help` prints. */
  help: string
  /**
   * Set if the command only uses the database of the settings: errors of a database that do not name it are reported with its
   * name.
   */
  onlyOurDatabase?: true
  /**
   * Runs the command with the arguments after its name. Sets `process.exitCode` for a negative result. Errors are printed in one
   * line, with exit code 2 for a UsageError or an argument that `parseArgs` refuses, else 1.
   */
  run(args: string[]): Promise<void>
}

/** The command line itself is wrong; the message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Rethrows an error, where a callback for failures is required and the command should fail. */
export function thrown(error: unknown): never {
  throw error
}

/**
 * Adds the file to an error of SQLite or the system that names none ("disk I/O error"). Returns any other error unchanged.
 */
export function about(what: string, error: unknown): unknown {
  const isSystems = codeOf(error).startsWith('SQLITE_') || (error instanceof Error && 'syscall' in error)
  return isSystems ? new Error(`${what}: ${messageOf(error)}`, { cause: error }) : error
}
