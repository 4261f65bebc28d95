/** The progress of a long operation. */
type Progress = {
  /** Adds to what is done. */
  advance(count: number): void
  /** Call it at the end, whether the work succeeded or not. */
  stop(): void
}

const silent: Progress = { advance() {}, stop() {} }

/** A bar for work that is counted in bytes, and shown in whole megabytes. */
export async function openByteProgress(title: string, totalBytes: number): Promise<Progress> {
  const progress = await openProgress(title, Math.ceil(totalBytes / 1e6), 'MB')
  let [bytes, shown] = [0, 0]
  return {
    ...progress,
    advance(count) {
      bytes += count
      const done = Math.ceil(bytes / 1e6)
      progress.advance(done - shown)
      shown = done
    },
  }
}

/** A progress bar on a terminal; nothing if standard error is a file or a pipe. `unit` is what is counted, such as `rows`. */
export async function openProgress(title: string, total: number, unit: string): Promise<Progress> {
  if (!process.stderr.isTTY) return silent
  const { default: cliProgress } = await import('cli-progress')
  const bar = new cliProgress.SingleBar(
    {
      format: `${title} {bar} {percentage} % · {value} of {total} ${unit} · {eta_formatted} left`,
      stream: process.stderr,
      hideCursor: true,
      etaBuffer: 100,
      // On Ctrl-C it would stop the bar but not the work.
      gracefulExit: false,
    },
    cliProgress.Presets.shades_classic,
  )
  const end = () => {
    bar.stop()
    process.exit(130)
  }
  process.once('SIGINT', end)
  bar.start(total, 0)
  return {
    advance: (count) => bar.increment(count),
    stop() {
      process.removeListener('SIGINT', end)
      bar.stop()
    },
  }
}
