export const tagKinds = ['drinks', 'activities', 'purposes'] as const
export type TagKind = (typeof tagKinds)[number]

export type TagStore = {
  /** The tags of people after that one, in the order of their ids. */
  page(kind: TagKind, after: string | null, limit: number): Promise<{ user_id: string; tags: string[] }[]>
}
