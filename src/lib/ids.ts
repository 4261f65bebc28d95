/** The source of new ids. Tests pass their own. */
export type Ids = {
  /** A UUIDv7: unique, and ordered by time within a process. */
  next(): string
  /** A UUIDv4, for ids that must not reveal when they were created. */
  random(): string
}

export const ids: Ids = { next: () => Bun.randomUUIDv7(), random: () => crypto.randomUUID() }
