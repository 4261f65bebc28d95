/** Where new ids come from; tests pass their own. */
export type Ids = {
  /** A UUIDv7: unique, and ordered by time within a process. */
  next(): string
  /** A UUIDv4, where the time of making must not show. */
  random(): string
}

export const ids: Ids = { next: () => Bun.randomUUIDv7(), random: () => crypto.randomUUID() }
