import type { Profile } from 'convene-client'
import { sameTag } from './suggestions.ts'

/** The preferences in a profile. */
export type Likes = Pick<Profile, 'drinks' | 'activities' | 'purposes'>
export const kinds = ['drinks', 'activities', 'purposes'] as const
export type Kind = (typeof kinds)[number]

export type Tag = { kind: Kind; tag: string; isCommon: boolean }

/** All tags of a person, those in common with the user first. */
export function tagsOf(theirs: Likes, mine: Likes | null): Tag[] {
  const tags = kinds.flatMap((kind) =>
    theirs[kind].map((tag) => ({ kind, tag, isCommon: mine?.[kind].some((own) => sameTag(own, tag)) ?? false })),
  )
  return [...tags.filter(({ isCommon }) => isCommon), ...tags.filter(({ isCommon }) => !isCommon)]
}

/** The tags to filter by: the chosen ones, then the user's own, then the most frequent ones of people around. */
export function choicesOf(
  kind: Kind,
  chosen: readonly string[],
  mine: Likes | null,
  around: readonly Likes[],
): string[] {
  const counts = new Map<string, number>()
  for (const person of around) for (const tag of person[kind]) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  const frequent = [...counts].toSorted((a, b) => b[1] - a[1]).map(([tag]) => tag)
  const choices: string[] = []
  for (const tag of [...chosen, ...(mine?.[kind] ?? []), ...frequent])
    if (!choices.some((known) => sameTag(known, tag))) choices.push(tag)
  return choices.slice(0, Math.max(16, chosen.length))
}
