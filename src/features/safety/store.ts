export type Block = { id: string; blocker_id: string; blocked_id: string; created_at: number }

export type BlockStore = {
  /** Who of the two has blocked the other. */
  between(a: string, b: string): Promise<{ by_a: boolean; by_b: boolean }>
}
