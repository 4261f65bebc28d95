/** Whether an untrusted value is an object and not an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a record has an own key of that name. */
export const hasKey = <T extends object>(record: T, name: PropertyKey): name is keyof T => Object.hasOwn(record, name)

/** The keys of a record whose type lists all of them, such as a literal table. */
export const keysOf = <K extends string>(record: Readonly<Partial<Record<K, unknown>>>): K[] =>
  Object.keys(record).filter((name): name is K => hasKey(record, name))

/** A record with one value for each key. */
export function recordOf<K extends string, V>(keys: readonly K[], valueOf: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<K, V>
}
