import type { Document, Schema } from './openapi.ts'
import type { Random } from './random.ts'
import { canary } from './server.ts'

const texts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\t\n\r',
  '\u202e\u2066evil',
  '\ud800',
  '\udfff\ud800',
  'e\u0301'.repeat(50),
  '👩‍👩‍👧‍👦'.repeat(30),
  '\u{10ffff}',
  '\ufeff',
  'ﷺ'.repeat(80),
  'İıſK',
  "' OR '1'='1' --",
  "'; DROP TABLE users; --",
  '%',
  '_%_%',
  '%00',
  '..%2f..%2fetc%2fpasswd',
  '../../../../etc/passwd',
  '/proc/self/environ',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http://169.254.169.254/latest/meta-data',
  'https://example.org/photo.webp',
  '<script>alert(1)</script>',
  '${7*7}{{7*7}}<%= 7*7 %>',
  '$(id)`id`|id',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'true',
  '[object Object]',
  '0',
  '-1',
  '1e309',
  '0x10',
  '9007199254740993',
  '2026-11-21T08:34:00.000Z',
  '+275760-09-13T00:00:00.001Z',
  '0000-00-00T00:00:00Z',
  'person@example.org',
  'a@b',
  '+4915112345678',
  '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11',
  '0199A3C4-52F0-7CC1-A1A4-6F1F6F0F2B11',
  '00000000-0000-0000-0000-000000000000',
  'en',
  'zh-Hans-CN-x-private',
  '*',
  Buffer.from('["chats",1e308,"x"]').toString('base64url'),
  Buffer.from('["messages",null]').toString('base64url'),
  Buffer.from('[[[[]]]]').toString('base64url'),
  'a'.repeat(81),
  'ж'.repeat(501),
  'x'.repeat(4001),
  '🙂'.repeat(4000),
]

const numbers = [
  0,
  -0,
  1,
  -1,
  0.5,
  90,
  -90,
  90.0001,
  180,
  -180,
  100,
  101,
  5,
  6,
  99,
  100_000,
  1e9,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  1e308,
  -1e308,
  5e-324,
]
const keys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '',
  'id',
  'role',
  'user_id',
  'email',
  '$where',
  'a.b',
  '0',
  'text',
]

/** A text that is meant to be trouble. */
export const hostileText = (random: Random): string =>
  random.chance(0.6) ? random.pick(texts) : `${canary}${random.pick(texts)}`

/** Any JSON at all, nested a little. */
export function anyValue(random: Random, depth = 0): unknown {
  switch (random.integer(0, depth > 3 ? 4 : 7)) {
    case 0:
      return null
    case 1:
      return random.chance(0.5)
    case 2:
      return random.pick(numbers)
    case 3:
    case 4:
      return hostileText(random)
    case 5:
      return Array.from({ length: random.pick([0, 1, 3, 21, 300]) }, () => anyValue(random, depth + 2))
    default:
      return record(
        Array.from({ length: random.integer(0, 4) }, () => [random.pick(keys), anyValue(random, depth + 1)]),
      )
  }
}

/** Like a literal of JSON: `__proto__` is a field like any other. */
function record(fields: [string, unknown][]): object {
  const object = {}
  for (const [name, value] of fields)
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
  return object
}

/** Finds a value that means something here for a field of that name; null where there is none. */
export type Knowledge = (field: string) => string | null

/** A value that fits a schema, its borders more often than not. */
export function fitting(
  schema: Schema,
  know: Knowledge,
  random: Random,
  schemas: Document['schemas'],
  name = '',
): unknown {
  if (schema.$ref) return fitting(schemas[schema.$ref.split('/').at(-1)!]!, know, random, schemas, name)
  if (schema.anyOf) return fitting(random.pick(schema.anyOf), know, random, schemas, name)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  const type = random.pick([schema.type ?? 'string'].flat())
  switch (type) {
    case 'null':
      return null
    case 'boolean':
      return random.chance(0.7)
    case 'integer':
    case 'number': {
      const { minimum = -1000, maximum = 1000 } = schema
      const value = random.pick([minimum, maximum, minimum + random.next() * (maximum - minimum)])
      return type === 'integer' ? Math.trunc(value) : value
    }
    case 'array':
      return Array.from({ length: random.integer(0, Math.min(schema.maxItems ?? 3, 20)) }, () =>
        fitting(schema.items ?? {}, know, random, schemas, name),
      )
    case 'object':
      return record(
        Object.entries(schema.properties ?? {})
          .filter(([field]) => schema.required?.includes(field) || random.chance(0.6))
          .map(([field, one]) => [field, fitting(one, know, random, schemas, field)]),
      )
    default:
      return know(name) ?? fittingText(schema, random)
  }
}

function fittingText({ format, minLength = 0, maxLength = 100 }: Schema, random: Random): string {
  if (format === 'uuid') return Bun.randomUUIDv7()
  if (format === 'date-time') return new Date(Date.now() + random.integer(-1e9, 1e9)).toISOString()
  const length = random.pick([minLength, maxLength, random.integer(minLength, Math.min(maxLength, minLength + 20))])
  return random.pick(['x', 'ж', '🙂', 'Aa1']).repeat(length).slice(0, Math.max(length, 1))
}

/** The same value with one part of it replaced, added or taken away. */
export function spoilt(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.1)) return anyValue(random)
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.3)) return [...value, anyValue(random)]
    return value.with(random.integer(0, value.length - 1), spoilt(random.pick(value), random))
  }
  const fields = Object.entries(value)
  if (fields.length === 0 || random.chance(0.3)) return record([...fields, [random.pick(keys), anyValue(random)]])
  const at = random.integer(0, fields.length - 1)
  if (random.chance(0.2)) return record(fields.toSpliced(at, 1))
  return record(fields.with(at, [fields[at]![0], spoilt(fields[at]![1], random)]))
}
