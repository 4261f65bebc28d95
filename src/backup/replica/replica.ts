import type { Files } from '../../features/media/files.ts'
import type { ReplicaLog } from '../../storage/sqlite/replica-log.ts'

/** The state of a replica. Times are in milliseconds since 1970; null if it has not happened yet. */
export type ReplicaReport = {
  /** The time up to which a restore from the place has all commits. */
  complete_at: number
  /** How far it is behind; 0 if that is less than the longest interval of its thread. */
  lag_ms: number
  /** Bytes of files that wait to be shipped, or to be merged because the place does not take segments. */
  waiting_bytes: number
  shipped_at: number | null
  /** When the newest snapshot was shipped. Without one, nothing of the generation can be restored. */
  snapshot_at: number | null
  failures: number
}

export type Replica = {
  log: ReplicaLog
  /** Ships files that are put from now on. */
  follow(files: Files): Files
  /** Ships the photos that the place does not have. Returns how many. */
  catchUp(files: Files): Promise<number>
  /** Removes expired photos; `unknown` returns which of the images have no row. Returns how many. */
  expirePhotos(unknown: (names: readonly string[]) => Promise<string[]>): Promise<number>
  report(): ReplicaReport
  /** Ships the waiting files, for at most that long. Close the database first. */
  close(withinMs: number): Promise<void>
}
