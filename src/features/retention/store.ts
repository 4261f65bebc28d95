/** Each method removes up to `limit` rows that are older than `before`. Returns how many. */
export type RetentionStore = {
  /** Sessions that ended before, or were last used before `lastUsed`. */
  sessions(before: { ended: number; lastUsed: number }, limit: number): Promise<number>
  /** The origins of consents: user agents and networks. The consents themselves stay. */
  consentOrigins(before: number, limit: number): Promise<number>
  /** The evidence of reports that were resolved before, and the texts of `fieldsKeptWithoutEvidence` that must not outlive it. */
  evidence(before: number, limit: number): Promise<number>
  /** Earlier texts of edited and deleted messages. */
  messageVersions(before: number, limit: number): Promise<number>
  /** Positions not updated since, with the codes of their places. Their owner's choice to be visible stays. */
  positions(before: number, limit: number): Promise<number>
  /** Hashes of the addresses that reports came from. The reports stay. */
  reportOrigins(before: number, limit: number): Promise<number>
  /** Hashes of the addresses from which somebody too young has tried to register. */
  ageRefusals(before: number, limit: number): Promise<number>
  auditEntries(before: number, limit: number): Promise<number>
  /** Hashes of texts in first messages. */
  openers(before: number, limit: number): Promise<number>
}
