/** Where the server of the tour listens. */
export const base = process.env.BASE_URL!

const consents = { terms: true, privacy: true, disclaimer: true }
const some = crypto.randomUUID().slice(0, 8)

/** Two who register, with addresses that nobody has yet. */
export const people = [
  { email: `ada-${some}@example.org`, password: 'twelve green bottles', name: 'Ada', consents },
  { email: `ben-${some}@example.org`, password: 'seven yellow kites', name: 'Ben', consents },
] as const

/** Two places of which each finds the other. */
export const places = [
  { latitude: 38.7169, longitude: -9.1399 },
  { latitude: 38.7223, longitude: -9.1393 },
] as const

export function assert(fact: unknown): asserts fact {
  if (!fact) throw new Error('this is not so')
}
