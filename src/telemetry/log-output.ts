import { fstatSync, writeSync } from 'node:fs'
import { codeOf } from '../lib/errors.ts'

/** How many bytes of lines may wait for a slow reader or a full disk; further lines are dropped. */
const capacity = 256 * 1024
const retryMs = 1000

export type LogOutput = { write(line: string): void }

type Options = {
  /** Called for each line that is dropped. */
  onDropped?: () => void
  /** Called when all waiting lines are written: how many were dropped, and the error's code, or `slow` for a slow reader. */
  onRecovery?: (dropped: number, reason: string) => void
}

/**
 * Writes lines to a file descriptor. Never throws and never waits, whatever happens at the other end: a full disk, a closed pipe,
 * a reader that does not read. Lines that cannot be written now wait in memory up to a fixed size; further ones are dropped and
 * counted. As long as the other end accepts lines, a line is written when `write` returns, so that the last lines before an exit
 * are not lost.
 */
export function openLogOutput(fd: number, { onDropped = () => {}, onRecovery = () => {} }: Options = {}): LogOutput {
  const send = sender(fd)
  const waiting: Buffer[] = []
  let bytes = 0
  let dropped = 0
  let reason = 'slow'
  let isSending = false
  let retry: NodeJS.Timeout | null = null

  const drop = () => {
    dropped++
    onDropped()
  }

  function drain() {
    if (isSending || retry !== null) return
    isSending = true
    try {
      for (let line = waiting[0]; line !== undefined; line = waiting[0]) {
        const taken = send(line)
        if (typeof taken === 'number') {
          bytes -= taken
          if (taken === line.length) waiting.shift()
          else waiting[0] = line.subarray(taken)
          continue
        }
        waiting.shift()
        bytes -= line.length
        taken.then(resume, (error) => {
          drop()
          pause(error)
        })
        // isSending stays true until the reader has taken this line.
        return
      }
    } catch (error) {
      return pause(error)
    }
    isSending = false
    const [count, why] = [dropped, reason]
    dropped = 0
    reason = 'slow'
    if (count > 0) onRecovery(count, why)
  }

  function resume() {
    isSending = false
    drain()
  }

  function pause(error: unknown) {
    isSending = false
    reason = codeOf(error) || 'unknown'
    retry = setTimeout(() => {
      retry = null
      drain()
    }, retryMs)
    retry.unref()
  }

  process.on('exit', () => {
    if (retry) clearTimeout(retry)
    retry = null
    drain()
  })

  return {
    write(text) {
      const line = Buffer.from(text)
      // After the first dropped line, drop all until the queue is empty: the gap is in one place, where it is reported.
      if (dropped > 0 || bytes + line.length > capacity) {
        drop()
        return drain()
      }
      waiting.push(line)
      bytes += line.length
      drain()
    },
  }
}

/** Returns how many bytes were written, or a promise if the line has to wait for the reader. May throw. */
function sender(fd: number): (line: Buffer) => number | Promise<unknown> {
  const { isFIFO, isSocket } = kindOf(fd)
  // A write to a file does not wait. A terminal blocks only if its user stops it on purpose.
  if (!isFIFO && !isSocket) return (line) => writeSync(fd, line)
  // A synchronous write to a full pipe would block the server until somebody reads.
  const open = () => Bun.file(fd).writer({ highWaterMark: 1 })
  let sink = open()
  return (line) => {
    const failed = (error: unknown) => {
      // A sink that has failed reports success from then on, and writes nothing.
      sink = open()
      throw error
    }
    try {
      const outcomes: (number | Promise<number>)[] = [sink.write(line), sink.flush()]
      if (outcomes.every((outcome) => typeof outcome === 'number')) return line.length
      return Promise.all(outcomes).catch(failed)
    } catch (error) {
      return failed(error)
    }
  }
}

function kindOf(fd: number) {
  try {
    const stat = fstatSync(fd)
    return { isFIFO: stat.isFIFO(), isSocket: stat.isSocket() }
  } catch {
    // The descriptor is closed, as by `>&-`. Each write fails, and is handled like a full disk.
    return { isFIFO: false, isSocket: false }
  }
}
