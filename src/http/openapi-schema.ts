/** The parts of JSON Schema that ours use. */
export type Schema = {
  type?: string | string[]
  title?: string
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
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

// Elysia also accepts numbers and booleans of a query as text.
const coercions = new Set(['integer', 'numeric', 'boolean'])

/** A schema in standard JSON Schema, without our extensions. */
export function plain({ error: _, documented, ...schema }: Schema): Schema {
  if (documented) {
    delete schema.format
    Object.assign(schema, documented)
  }
  if (schema.properties) schema.properties = mapValues(schema.properties, plain)
  if (schema.items) schema.items = plain(schema.items)
  if (!schema.anyOf) return schema
  const { anyOf, ...rest } = schema
  const choices = anyOf.filter(({ type, format }) => type !== 'string' || !coercions.has(format ?? '')).map(plain)
  const some = choices.filter(({ type }) => type !== 'null')
  const words = some.every((choice) => typeof choice.const === 'string')
  const one: Schema | undefined = words ? { type: 'string', enum: some.map((choice) => choice.const) } : some[0]
  if (one === undefined || (some.length > 1 && !words)) return { ...rest, anyOf: choices }
  if (some.length === choices.length) return { ...one, ...rest }
  // A named schema keeps its name: null becomes an alternative to it.
  if (one.title !== undefined || typeof one.type !== 'string') return { ...rest, anyOf: choices }
  return { ...one, ...rest, type: [one.type, 'null'], ...(one.enum && { enum: [...one.enum, null] }) }
}

/** The schema with each titled object replaced by a reference. The objects are added to `schemas`. */
export function named(schema: Schema, schemas: Record<string, Schema>): Schema {
  const inner = { ...schema }
  if (inner.properties) inner.properties = mapValues(inner.properties, (field) => named(field, schemas))
  if (inner.items) inner.items = named(inner.items, schemas)
  if (inner.anyOf) inner.anyOf = inner.anyOf.map((choice) => named(choice, schemas))
  const { title, type } = inner
  if (title === undefined || type !== 'object') return inner
  if (schemas[title] && !Bun.deepEquals(schemas[title], inner)) throw new Error(`two schemas are called ${title}`)
  schemas[title] = inner
  return { $ref: `#/components/schemas/${title}` }
}

const mapValues = <A, B>(record: Record<string, A>, map: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
