export const tagKinds = ['drinks', 'activities', 'purposes'] as const
export type TagKind = (typeof tagKinds)[number]

export type TagStore = {
  /** What people like, in the order of their ids, from the one after `after` on. */
  page(kind: TagKind, after: string | null, limit: number): Promise<{ user_id: string; tags: string[] }[]>
}
