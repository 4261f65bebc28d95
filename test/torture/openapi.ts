/** What the server's own document says, read for asking and for checking answers. */
export type Schema = {
  type?: string | string[]
  $ref?: string
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema
  items?: Schema
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
}

type Content = Record<string, { schema?: Schema; examples?: Record<string, unknown> }>

export type Operation = {
  method: string
  path: string
  parameters: { name: string; in: 'path' | 'query'; schema: Schema }[]
  /** Of a JSON body; null where it takes none, or another kind. */
  body: Schema | null
  responses: Record<string, { content?: Content }>
}

export type Document = { operations: Operation[]; schemas: Record<string, Schema> }

/** Fetches the document. */
export async function readDocument(base: URL): Promise<Document> {
  const raw: any = await (await fetch(new URL('/openapi/json', base))).json()
  const operations = Object.entries<any>(raw.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, { parameters = [], requestBody, responses }]) => ({
      method: method.toUpperCase(),
      path,
      parameters,
      body: requestBody?.content['application/json']?.schema ?? null,
      responses,
    })),
  )
  return { operations, schemas: raw.components.schemas }
}

/** The codes that a refusal of that status may carry. */
export const codesOf = ({ responses }: Operation, status: number): string[] =>
  Object.keys(responses[status]?.content?.['application/problem+json']?.examples ?? {})

/** What of a value the schema does not allow, as one line; null where it fits. What a schema does not name is not allowed. */
export function misfit(schema: Schema, value: unknown, schemas: Document['schemas'], path = ''): string | null {
  if (schema.$ref) return misfit(schemas[schema.$ref.split('/').at(-1)!]!, value, schemas, path)
  const wrong = (what: string) => `${path || '/'} is ${JSON.stringify(value)?.slice(0, 80)}, expected ${what}`
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) {
    const misfits = choices.map((one) => misfit(one, value, schemas, path))
    return misfits.includes(null) ? null : misfits.join(' or ')
  }
  if (schema.const !== undefined && value !== schema.const) return wrong(JSON.stringify(schema.const))
  if (schema.enum && !schema.enum.includes(value)) return wrong(JSON.stringify(schema.enum))
  const types = schema.type === undefined ? null : [schema.type].flat()
  if (types && !types.some((type) => isOfType(type, value))) return wrong(types.join(' or '))
  if (typeof value === 'string') return misfitOfText(schema, value) && wrong(misfitOfText(schema, value)!)
  if (typeof value === 'number') {
    if (value < (schema.minimum ?? -Infinity) || value > (schema.maximum ?? Infinity))
      return wrong(`${schema.minimum} to ${schema.maximum}`)
    return null
  }
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      const found = schema.items && misfit(schema.items, item, schemas, `${path}/${i}`)
      if (found) return found
    }
    return null
  }
  if (typeof value !== 'object' || value === null || !(schema.properties ?? schema.additionalProperties)) return null
  for (const name of schema.required ?? []) if (!Object.hasOwn(value, name)) return wrong(`to have ${name}`)
  for (const [name, field] of Object.entries(value)) {
    const known = schema.properties?.[name] ?? schema.additionalProperties
    if (!known) return `${path}/${name} is in no schema`
    const found = misfit(known, field, schemas, `${path}/${name}`)
    if (found) return found
  }
  return null
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

const formats: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
}

function misfitOfText({ format, pattern, minLength = 0, maxLength = Infinity }: Schema, value: string): string | null {
  const { length } = [...value]
  if (length < minLength || length > maxLength) return `${minLength} to ${maxLength} characters`
  if (format && formats[format] && !formats[format].test(value)) return format
  if (pattern && !new RegExp(pattern, 'u').test(value)) return pattern
  return null
}
