/** What a database remembers of the community as a whole, by name. */
export type CommunityStore = {
  all(): Promise<Map<string, string>>
  /** Keeps a value under a name that has none yet, whoever else does so at once; answers the one that is kept. */
  keep(name: string, value: string): Promise<string>
  set(name: string, value: string): Promise<void>
}
