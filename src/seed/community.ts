import type { Consent, ConsentKind } from '../features/auth/store.ts'
import type { Message } from '../features/chats/store.ts'
import { follow, NOWHERE, placeKey, type Whereabouts } from '../features/location/published-point.ts'
import { destination, type Point } from '../features/location/sphere.ts'
import type { Review } from '../features/reviews/store.ts'
import { days, hours } from '../lib/time.ts'
import type { City } from './cities.ts'
import { conversation, type Line, opinion } from './conversation.ts'
import { type Persona, personaOf, wordsOf } from './people.ts'
import { demoEmail } from './demo-account.ts'
import { apportion, openRandom, type Random } from './random.ts'
import type { Words } from './words/words.ts'
import { pairOf } from '../features/chats/rules.ts'

/** The parameters of a community. The same plan makes the same community, except for times, which count back from now. */
export type Plan = { users: number; cities: readonly City[]; messages: number; seed: string }

type Setting = {
  /** Milliseconds. */
  now: number
  /** The installation's own key, 32 bytes: positions are published as those of real people are. */
  locationKey: Uint8Array
  /** The versions of the texts that a consent given now refers to. */
  edition(kind: Exclude<ConsentKind, 'marketing'>): { version: string; text_hash: string }
}

export type Resident = Persona & {
  id: string
  email: string
  city: string
  created_at: number
  whereabouts: Whereabouts
  consents: Consent[]
}

/** A chat with its messages, in order. */
export type Chat = {
  id: string
  user_a: string
  user_b: string
  created_at: number
  messages: Pick<Message, 'id' | 'seq' | 'sender_id' | 'text' | 'read_at' | 'created_at'>[]
  review: Review | null
}

type Community = {
  /** The people, in the order of their registration. Iterate over it before `chats`. */
  residents(): Generator<Resident>
  /** Their chats, in the order in which they were started. */
  chats(): Generator<Chat>
}

/** The part of all people that live in the biggest city. */
const BIGGEST = 0.17
/** A person's neighbours are this many people before and after them, on a walk through their city. */
const WINDOW = 20
const MESSAGES_PER_CHAT = 12
/** The first people, as whom testers log in: how many of them have at least how many chats, if there are enough. */
const [HOSTS, CHATS_OF_A_HOST] = [5, 3]
/** The age of the community; nobody registered on its last day. */
const AGE = 400 * days
// Where the times of the ids begin, so that they are the same whenever they are made.
const idEpoch = Date.UTC(2026, 0, 1)

/** A number of the resident or chat `i`, of which each list has one. */
const at = (numbers: ArrayLike<number>, i: number): number => numbers[i] ?? 0

/** Makes up a community. Throws if there are messages but nobody has a neighbour. */
export function openCommunity({ users, cities, messages, seed }: Plan, setting: Setting): Community {
  const { now, locationKey, edition } = setting
  const sizes = apportion(users, zipf(cities.length))
  const wanted = chatCount(messages, sizes)
  const ids = openIds(users)
  const cameAt = new Float64Array(users)
  const cityOf = new Uint8Array(users)
  const walk = new Float64Array(users)
  const speaksRussian = new Uint8Array(users)
  const editions = (['terms', 'privacy', 'disclaimer'] as const).map((kind) => ({ kind, ...edition(kind) }))
  // Marketing has no text of its own: the privacy text says what it means.
  const marketing = { kind: 'marketing' as const, ...edition('privacy') }

  // Inside, times are counted from now, so never positive: rounding then does not depend on when it is.
  const idOf = (random: Random, at: number) => random.uuidAt(idEpoch + at)

  function* residents(): Generator<Resident> {
    const random = openRandom(`${seed} residents`)
    let housed = 0
    for (const [city, size] of sizes.entries()) cityOf.fill(city, housed, (housed += size))
    for (let i = users - 1; i > 0; i--) {
      const j = random.below(i + 1)
      ;[cityOf[i], cityOf[j]] = [at(cityOf, j), at(cityOf, i)]
    }
    for (let i = 0; i < users; i++) {
      const city = cities[at(cityOf, i)]
      if (city === undefined) throw new Error('a community lives in one city at least')
      const came = Math.floor(((AGE - days) * (i + random.unit())) / users) - AGE
      const id = idOf(random, came)
      const home = homeIn(city, random.unit(), random.unit())
      ids.set(i, id)
      cameAt[i] = came
      walk[i] = stepOf(home)
      const persona = personaOf(random, city)
      speaksRussian[i] = Number(persona.preferences.language === 'ru')
      yield {
        id,
        email: demoEmail(i + 1),
        city: city.name,
        created_at: now + came,
        whereabouts: follow(placeKey(locationKey, id), NOWHERE, home),
        ...persona,
        consents: (random.chance(0.3) ? [...editions, marketing] : editions).map((consent) => ({
          id: idOf(random, came),
          user_id: id,
          ...consent,
          accepted: true,
          recorded_at: now + came,
          user_agent: null,
          address: null,
        })),
      }
    }
  }

  function* chats(): Generator<Chat> {
    const random = openRandom(`${seed} chats`)
    const lengths = apportion(
      messages - wanted,
      Array.from({ length: wanted }, () => random.exponential(1)),
    )
    const [ones, others] = pairs(random)
    const begunAt = Float64Array.from(ones, (a, i) => {
      const bothThere = Math.max(at(cameAt, a), at(cameAt, at(others, i)))
      return Math.floor(bothThere + (-hours - bothThere) * random.unit())
    })
    const begun = Uint32Array.from(ones.keys()).sort((x, y) => at(begunAt, x) - at(begunAt, y) || x - y)
    for (const [i, chat] of begun.entries()) {
      const [a, b, begin] = [at(ones, chat), at(others, chat), at(begunAt, chat)]
      const id = idOf(random, begin)
      const pair = [ids.get(a), ids.get(b)] as const
      const [user_a, user_b] = pairOf(...pair)
      const words = wordsOf(speaksRussian[a] && speaksRussian[b] ? 'ru' : 'en')
      const lines = conversation(random, words, at(lengths, i) + 1, begin, 0)
      const said = lines.map((line, index) => ({
        id: idOf(random, line.at),
        seq: index + 1,
        sender_id: pair[line.from],
        text: line.text,
        read_at: line.readAt === null ? null : now + line.readAt,
        created_at: now + line.at,
      }))
      yield {
        id,
        user_a,
        user_b,
        created_at: now + begin,
        messages: said,
        review: reviewOf(random, words, id, pair, lines),
      }
    }
  }

  /** A different pair of neighbours for each chat, as indexes of residents. */
  function pairs(random: Random): [Uint32Array, Uint32Array] {
    const order = Uint32Array.from({ length: users }, (_, i) => i)
    order.sort((x, y) => at(cityOf, x) - at(cityOf, y) || at(walk, x) - at(walk, y) || x - y)
    /** For each resident, which of the following neighbours they are paired with already: a bit for each. */
    const taken = new Uint32Array(users)
    const found: [Uint32Array, Uint32Array] = [new Uint32Array(wanted), new Uint32Array(wanted)]
    let count = 0
    /** False if they are not neighbours, or are a pair already. */
    function pair(from: number, to: number): boolean {
      const bit = 1 << (to - from - 1)
      if (to >= users || at(cityOf, at(order, from)) !== at(cityOf, at(order, to))) return false
      if ((at(taken, from) & bit) !== 0) return false
      taken[from] = at(taken, from) | bit
      const [first, second] = random.chance(0.5) ? [from, to] : [to, from]
      found[0][count] = at(order, first)
      found[1][count] = at(order, second)
      count++
      return true
    }
    for (let host = 0; host < Math.min(HOSTS, users); host++) {
      const place = order.indexOf(host)
      for (let i = 1, chats = 0; i <= WINDOW && chats < CHATS_OF_A_HOST && count < wanted; i++)
        if (pair(place, place + i) || (i <= place && pair(place - i, place))) chats++
    }
    while (count < wanted) {
      const from = random.below(users)
      const ahead = 1 + random.below(WINDOW)
      for (let i = 0; i < WINDOW; i++) if (pair(from, from + ((ahead + i - 1) % WINDOW) + 1)) break
    }
    return found
  }

  function reviewOf(
    random: Random,
    words: Words,
    chat_id: string,
    pair: readonly [string, string],
    lines: Line[],
  ): Review | null {
    const answered = lines.some(({ from }) => from === 1)
    const last = lines.at(-1)
    if (!answered || last === undefined || lines.length < 6 || !random.chance(0.25)) return null
    const [reviewer_id, reviewed_id] = random.chance(0.5) ? pair : [pair[1], pair[0]]
    const created_at = now + Math.floor(last.at * random.unit())
    return { id: random.uuid(), chat_id, reviewer_id, reviewed_id, ...opinion(random, words), created_at }
  }

  return { residents, chats }
}

/** Ids of that many people in 16 bytes each: as text, those of ten million take a gigabyte. */
function openIds(count: number) {
  const bytes = Buffer.alloc(16 * count)
  return {
    set(i: number, id: string) {
      bytes.write(id.replaceAll('-', ''), 16 * i, 'hex')
    },
    get(i: number): string {
      const hex = bytes.toString('hex', 16 * i, 16 * i + 16)
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
    },
  }
}

/**
 * The weights of the cities: 1, 2^-s, 3^-s … with that s which gives the biggest its part. Of less than six cities the
 * biggest has more in any case; s is 1 then, as in Zipf's own law.
 */
export function zipf(count: number): number[] {
  const weights = (s: number) => Array.from({ length: count }, (_, i) => (i + 1) ** -s)
  const biggest = (s: number) => 1 / weights(s).reduce((sum, weight) => sum + weight, 0)
  if (biggest(0) >= BIGGEST) return weights(1)
  let [low, high] = [0, 2]
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2
    if (biggest(middle) < BIGGEST) low = middle
    else high = middle
  }
  return weights(high)
}

/** How many chats the messages make: half of all pairs of neighbours at most, so that they are found quickly. */
function chatCount(messages: number, sizes: readonly number[]): number {
  if (messages === 0) return 0
  const neighbours = sizes.reduce((sum, size) => {
    const reach = Math.min(WINDOW, Math.max(size - 1, 0))
    return sum + reach * size - (reach * (reach + 1)) / 2
  }, 0)
  if (neighbours === 0)
    throw new Error('nobody has a neighbour to write to: more --users, fewer --cities or --messages 0')
  return Math.min(Math.ceil(messages / MESSAGES_PER_CHAT), Math.ceil(neighbours / 2))
}

/** A home in a city that is a Gaussian hill of people, as wide as a city of its population is where 8,000 share a km². */
function homeIn({ latitude, longitude, population }: City, u1: number, u2: number): Point {
  const deviation = 1000 * Math.sqrt((population * 1000) / 8000 / (2 * Math.PI))
  return destination({ latitude, longitude }, 2 * Math.PI * u1, deviation * Math.sqrt(-2 * Math.log(1 - u2)))
}

/** Orders points along a walk through stripes of a hundredth of a degree, there and back. */
function stepOf({ latitude, longitude }: Point): number {
  const stripe = Math.floor((latitude + 90) * 100)
  return stripe * 400 + (stripe % 2 === 0 ? longitude + 180 : 180 - longitude)
}
