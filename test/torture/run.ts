import type { Random } from './random.ts'

/** What a case is given, and how it says what came of it. A case fails by throwing. */
export type Run = {
  /** The long form, of minutes; the short one takes seconds. */
  long: boolean
  random: Random
  /** A directory of this case's own. It goes with the case, and stays where that fails. */
  directory: string
  /** Prints a figure. */
  measured(line: string): void
  /**
   * Holds the case to a bound on time. The short form, which runs wherever tests do, beside whatever else, only prints what
   * was missed.
   */
  inTime(holds: boolean, missed: string): void
}

/** `only` in one form: where it has to wait for minutes, or is for those who cannot. */
export type Case = { name: string; run(run: Run): Promise<void>; only?: 'short' | 'long' }

/** A bound on time was missed, by the server or by whatever else this machine does. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow'
}

/** This machine cannot do what a case needs: it is left out, with the reason. */
export class Skipped extends Error {
  override readonly name = 'Skipped'
}

/** Resolves once `fits` is true; fails after `withinMs`, saying what did not come. */
export async function until(what: string, fits: () => boolean | Promise<boolean>, withinMs = 30_000): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await fits())) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`)
    await Bun.sleep(10)
  }
}

/** The value below which that part of the list lies, of 1; null of an empty list. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}
