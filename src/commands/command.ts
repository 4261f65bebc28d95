/** A file of this folder, as the command line sees it. */
export type Command = {
  /** What `--help` prints. */
  help: string
  /**
   * Carries the command out; `args` are those after its name. Sets `process.exitCode` where the answer is no. What it
   * throws is told in one line, with exit code 2 for a UsageError or an argument that `parseArgs` refuses, else 1.
   */
  run(args: string[]): Promise<void>
}

/** The command line itself is wrong; the message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What takes a failure where nothing is to be done about it. */
export function thrown(error: unknown): never {
  throw error
}
