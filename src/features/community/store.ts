/** What a database remembers of the community as a whole, by name. */
export type CommunityStore = {
  all(): Promise<Map<string, string>>
  /** Stores a value under a name if it has none yet. Returns the stored value, which may be that of a concurrent call. */
  keep(name: string, value: string): Promise<string>
  set(name: string, value: string): Promise<void>
}
