import { minutes } from '../lib/time.ts'
import type { Random } from './random.ts'
import type { Said, Words } from './words/words.ts'

/** A message of a conversation between two people; the times are milliseconds. */
export type Line = Said & { at: number; readAt: number | null }

/**
 * What is said, of that many lines: an opening, then dialogues until it is enough. None comes twice before all of them
 * have been there.
 */
function* linesOf(random: Random, { openings, dialogues }: Words): Generator<Said> {
  yield* random.pick(openings)
  for (;;)
    for (const dialogue of random.shuffled(dialogues)) {
      const isSwapped = random.chance(0.5)
      for (const { from, text } of dialogue) yield { from: isSwapped ? (from === 0 ? 1 : 0) : from, text }
    }
}

/**
 * A conversation of that many messages between `start` and `now`. Whoever answers has read what came before; what was
 * written last may still wait.
 */
export function conversation(random: Random, words: Words, length: number, start: number, now: number): Line[] {
  const gaps = Array.from({ length }, () => random.exponential(random.chance(0.8) ? 5 * minutes : 300 * minutes))
  const pace = Math.min(1, (now - start) / (gaps.reduce((sum, gap) => sum + gap, 0) + 1))
  const said: Line[] = []
  const lines = linesOf(random, words)
  let from: 0 | 1 = 0
  let unread: Line[] = []
  let at = start
  for (const gap of gaps) {
    const before = at
    at = Math.floor(at + gap * pace)
    const next = lines.next().value
    if (next.from !== from) {
      // What is read at once is marked at once, some time before the answer.
      const readAt = Math.floor(before + (at - before) * random.unit())
      for (const line of unread) line.readAt = readAt
      unread = []
      from = next.from
    }
    const line: Line = { ...next, at, readAt: null }
    unread.push(line)
    said.push(line)
  }
  if (random.chance(0.6)) {
    const readAt = Math.min(now, Math.floor(at + random.exponential(60 * minutes)))
    for (const line of unread) line.readAt = readAt
  }
  return said
}

/** A review by one person of the other. */
export function opinion(
  random: Random,
  { praise, criticism }: Words,
): { rating: number; anonymous: boolean; text: string | null } {
  const draw = random.unit()
  const rating = [0.5, 0.78, 0.9, 0.96, 1].findIndex((limit) => draw < limit)
  const text = random.pick(rating < 2 ? praise : criticism)
  return { rating: 5 - rating, anonymous: random.chance(0.3), text: random.chance(0.5) ? text : null }
}
