/** What is kept for a time only. Each removes up to `limit` of what is older than `before`, and answers how many. */
export type RetentionStore = {
  /** Sessions that ended before, or were last used before `lastUsed`. */
  sessions(before: { ended: number; lastUsed: number }, limit: number): Promise<number>
  /** Where consents came from: user agents and networks. The consents themselves stay. */
  consentOrigins(before: number, limit: number): Promise<number>
  /** The evidence of reports that were resolved before; of those by or about an erased user what else was said, too. */
  evidence(before: number, limit: number): Promise<number>
  /** What messages said before they were edited or deleted. */
  messageVersions(before: number, limit: number): Promise<number>
  /** Positions not updated since, with the codes of their places. Whether their owner wants to be seen stays. */
  positions(before: number, limit: number): Promise<number>
  /** Hashes of the addresses that reports came from. The reports stay. */
  reportOrigins(before: number, limit: number): Promise<number>
  /** Hashes of the addresses of those who were too young. */
  ageRefusals(before: number, limit: number): Promise<number>
  auditEntries(before: number, limit: number): Promise<number>
  /** Hashes of texts that were sent to people who had not written yet. */
  openers(before: number, limit: number): Promise<number>
}
