/** Whether two values, or all elements of two arrays, or all fields of two plain objects, are the same. */
export function haveSameFields(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (!isPlain(a) || !isPlain(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && Object.is(a[key], b[key]))
}

/** A Set, a Map or a Date has no fields that could be compared. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || !value) return false
  const prototype = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
