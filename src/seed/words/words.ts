/** One line of a dialogue: who says it, the one who wrote first (0) or the other one (1). */
export type Said = { from: 0 | 1; text: string }

/** What people of one language write. `{city}` is where they live; `{a|b}` is a for men, b for women. */
export type Words = {
  /** What anybody may say of themselves. */
  about: readonly string[]
  /** What somebody says who likes this, by the words of `activities`. */
  activities: Readonly<Record<string, readonly string[]>>
  /** The same, by the words of `drinks`. */
  drinks: Readonly<Record<string, string>>
  /** Ways to begin a conversation. Each is a dialogue. */
  openings: readonly Said[][]
  /** How it goes on, in any order. */
  dialogues: readonly Said[][]
  praise: readonly string[]
  criticism: readonly string[]
}

/** Reads a dialogue: a line each, `>` before what the first one says and `<` before the answers. */
export const dialogue = (...lines: string[]): Said[] =>
  lines.map((line) => ({ from: line.startsWith('>') ? 0 : 1, text: line.slice(1).trim() }))
