/** The parts of JSON Schema that ours use. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  /** Of an object or an enum: its name among the components. */
  title?: string
  description?: string
  format?: string
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  minimum?: number
  examples?: unknown[]
  /** Replaces a custom format, which other programs do not know. */
  documented?: Schema
  /** The message for an invalid value. */
  error?: unknown
  [keyword: string]: unknown
}

export type Components = Record<string, Schema>

// Elysia also accepts numbers and booleans of a query as text.
const coercions = new Set(['integer', 'numeric', 'boolean'])

/** A schema in standard JSON Schema, without our extensions. */
export function plain({ error: _, documented, ...written }: Schema): Schema {
  // Drops TypeBox's symbols, which would make equal schemas differ.
  const schema: Schema = Object.fromEntries(Object.entries(written))
  // Elysia sets it on the schemas of routes that have been used. In fact, undeclared fields are accepted and dropped.
  if (schema.additionalProperties === false) delete schema.additionalProperties
  if (documented) {
    delete schema.format
    if (documented.oneOf) for (const keyword of ['type', 'properties', 'required']) delete schema[keyword]
    Object.assign(schema, documented)
  }
  if (schema.properties) schema.properties = mapValues(schema.properties, plain)
  if (schema.patternProperties) {
    // TypeBox's record: any name is allowed.
    const [anyName] = Object.values(schema.patternProperties)
    if (anyName) schema.additionalProperties = plain(anyName)
    delete schema.patternProperties
  }
  if (schema.items) schema.items = plain(schema.items)
  if (schema.oneOf) schema.oneOf = schema.oneOf.map(plain)
  if (!schema.anyOf) return schema
  const { anyOf, ...rest } = schema
  const choices = anyOf.filter(({ type, format }) => type !== 'string' || !coercions.has(format ?? '')).map(plain)
  const some = choices.filter(({ type }) => type !== 'null')
  const words = some.every((choice) => typeof choice.const === 'string')
  const one: Schema | undefined = words ? { type: 'string', enum: some.map((choice) => choice.const) } : some[0]
  if (one === undefined || (some.length > 1 && !words)) return { ...rest, anyOf: choices }
  if (some.length === choices.length) return { ...one, ...rest }
  // A schema that gets a name stays whole: null becomes an alternative to it.
  if (one.title !== undefined || typeof one.type !== 'string' || one.type === 'object')
    return { ...rest, anyOf: choices }
  return { ...one, ...rest, type: [one.type, 'null'], ...(one.enum && { enum: [...one.enum, null] }) }
}

/**
 * The schema with a reference in place of each object and each titled enum or union, which are added to the components under
 * their title. An object without a title takes the name of an equal one, or a name made from its place.
 */
export function named(schema: Schema, components: Components, place: string): Schema {
  const { title, ...inner } = schema
  const name = title ?? place
  if (inner.properties)
    inner.properties = mapValues(inner.properties, (field, key) => named(field, components, below(name, key)))
  if (inner.items) inner.items = named(inner.items, components, singular(place))
  if (typeof inner.additionalProperties === 'object')
    inner.additionalProperties = named(inner.additionalProperties, components, below(name, 'value'))
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const choices = inner[keyword]
    const isOne = choices?.filter(({ type }) => type !== 'null').length === 1
    if (choices)
      inner[keyword] = choices.map((choice, i) => named(choice, components, isOne ? place : `${place}${i + 1}`))
  }
  const hasName = inner.properties !== undefined || (title !== undefined && (inner.enum ?? inner.anyOf ?? inner.oneOf))
  if (!hasName) return inner
  // The meaning of an enum differs by place, so its description stands beside the reference.
  const description = inner.enum && inner.description
  if (inner.enum) delete inner.description
  const known = title ?? Object.keys(components).find((key) => Bun.deepEquals(components[key], inner)) ?? place
  if (components[known] && !Bun.deepEquals(components[known], inner)) throw new Error(`two schemas are called ${known}`)
  components[known] = inner
  return { $ref: `#/components/schemas/${known}`, ...(description !== undefined && { description }) }
}

/** `chat_id` in camel case, with a capital. */
export const pascal = (word: string) =>
  word.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())

const singular = (place: string) => place.replace(/ies$/, 'y').replace(/s$/, '')

const below = (place: string, field: string) => place + pascal(field)

export const mapValues = <A, B>(record: Record<string, A>, map: (value: A, key: string) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))
