import { minutes } from '../lib/time.ts'
import { activities, drinks } from './people.ts'
import type { Random } from './random.ts'

/** A message of a conversation between two people; the times are milliseconds. */
export type Line = { from: 0 | 1; text: string; at: number; readAt: number | null }

const openers = [
  'Hi! We seem to live around the corner from each other.',
  'Hello, I liked what you wrote about yourself.',
  'Hey, is the café by the station any good?',
  'Hi there! Do you know a good place for {activity} here?',
  'Good morning! Still looking for company for {activity}?',
  'Hello neighbour 👋',
  'Hi, we both like {drink}, it seems.',
  'Hey! How long have you been in town?',
]

const lines = [
  'Yes, absolutely.',
  'Ha, same here.',
  'Not yet, but I would like to.',
  'I usually go on Sundays, when it is quiet.',
  'What about you?',
  'How did you get into {activity}?',
  'A friend took me along once, and I stayed.',
  'Maybe {drink} after work?',
  'Thursday would suit me.',
  'Friday is bad, Saturday is fine.',
  'Around six?',
  'Let us say half past six.',
  'The one by the river?',
  'There is a nice spot next to the old bridge.',
  'I have never been there, actually.',
  'Sounds good!',
  'Perfect 🙂',
  'It rained all day here, so I stayed in and read.',
  'My flatmate says the museum is free on the first Sunday.',
  'Do you know anybody else who would join?',
  'I could bring two friends.',
  'Sorry, I was at work and saw this only now.',
  'No hurry at all.',
  'That made me laugh.',
  'Have you seen the new film at the little cinema?',
  'I keep meaning to.',
  'By the way, is it far from the tram stop?',
  'Five minutes on foot.',
  'I am learning the language, so forgive my mistakes.',
  'You write better than my colleagues.',
  'What are you reading at the moment?',
  'Something about bees. It is better than it sounds.',
  'I will wear a green scarf.',
  'On my way, ten minutes late, sorry!',
  'Take your time.',
  'That was fun, thank you!',
  'Same time next week?',
  'Gladly.',
  'Safe way home!',
  'Good night 🌙',
]

function textOf(random: Random, first: boolean): string {
  return random
    .pick(first ? openers : lines)
    .replace('{activity}', () => random.pick(activities))
    .replace('{drink}', () => random.pick(drinks))
}

/**
 * A conversation of that many messages between `start` and `now`. Whoever answers has read what came before; what was
 * written last may still wait.
 */
export function conversation(random: Random, length: number, start: number, now: number): Line[] {
  const gaps = Array.from({ length }, () => random.exponential(random.chance(0.8) ? 5 * minutes : 300 * minutes))
  const pace = Math.min(1, (now - start) / (gaps.reduce((sum, gap) => sum + gap, 0) + 1))
  const said: Line[] = []
  let from: 0 | 1 = 0
  let unread: Line[] = []
  let inARow = 0
  let at = start
  for (const [i, gap] of gaps.entries()) {
    const before = at
    at = Math.floor(at + gap * pace)
    if (i > 0 && (inARow === 3 || random.chance(0.65))) {
      // What is read at once is marked at once, some time before the answer.
      const readAt = Math.floor(before + (at - before) * random.unit())
      for (const line of unread) line.readAt = readAt
      unread = []
      from = from === 0 ? 1 : 0
      inARow = 0
    }
    inARow++
    const line: Line = { from, text: textOf(random, i === 0), at, readAt: null }
    unread.push(line)
    said.push(line)
  }
  if (random.chance(0.6)) {
    const readAt = Math.min(now, Math.floor(at + random.exponential(60 * minutes)))
    for (const line of unread) line.readAt = readAt
  }
  return said
}

const praise = [
  'A lovely evening, thank you.',
  'Friendly and on time.',
  'Easy to talk to.',
  'We laughed a lot.',
  'Kind, and a good listener.',
]
const criticism = [
  'Came an hour late.',
  'Looked at the phone all the time.',
  'Not what I had expected.',
  'Cancelled at the last minute.',
]

/** What one thinks of the other afterwards. */
export function opinion(random: Random): { rating: number; anonymous: boolean; text: string | null } {
  const draw = random.unit()
  const rating = [0.5, 0.78, 0.9, 0.96, 1].findIndex((limit) => draw < limit)
  const text = random.pick(rating < 2 ? praise : criticism)
  return { rating: 5 - rating, anonymous: random.chance(0.3), text: random.chance(0.5) ? text : null }
}
