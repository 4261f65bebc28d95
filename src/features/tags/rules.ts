import { foldCase } from '../../lib/text.ts'

/** Tags of fewer people are not shown, because they could identify a person. */
export const leastPeople = 5

export type Tag = { tag: string; folded: string; count: number }

/** Counts the tags of one person after the other. `Tea` and `tea` are one tag. */
export function tagCounter() {
  const found = new Map<string, { count: number; spellings: Map<string, number> }>()

  return {
    add(tags: readonly string[]) {
      const own = new Map(tags.map((tag) => [foldCase(tag), tag]))
      for (const [folded, tag] of own) {
        const known = found.get(folded) ?? { count: 0, spellings: new Map<string, number>() }
        known.count++
        known.spellings.set(tag, (known.spellings.get(tag) ?? 0) + 1)
        found.set(folded, known)
      }
    },

    /** The tags that enough people share, most used first, in their most used spelling if enough people use that too. */
    shared: (): Tag[] =>
      [...found]
        .filter(([, { count }]) => count >= leastPeople)
        .map(([folded, { count, spellings }]) => {
          const [tag, uses] = [...spellings].reduce((most, next) => (next[1] > most[1] ? next : most))
          return { tag: uses >= leastPeople ? tag : folded, folded, count }
        })
        .sort((a, b) => b.count - a.count || (a.folded < b.folded ? -1 : 1)),
  }
}
