import { expect, test } from 'bun:test'
import type { OpenapiDocument } from '../../src/http/openapi-document.ts'
import type { Schema } from '../../src/http/openapi-schema.ts'
import { fieldErrorCodes } from '../../src/lib/refusal.ts'
import { testApp } from '../app.ts'

const read = async (app: { request: Awaited<ReturnType<typeof testApp>>['request'] }) =>
  (await app.request('GET', '/openapi/json')).body as OpenapiDocument

const operationsOf = ({ paths }: OpenapiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      ...operation,
    })),
  )

/** Each schema within a value, with its path. Does not follow references. */
function* schemasIn(value: unknown, way = ''): Generator<[way: string, schema: Schema]> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    // An example is not a schema, whatever its fields are called.
    if (key === 'example' || key === 'examples') continue
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) yield [`${way}/${key}`, inner as Schema]
    yield* schemasIn(inner, `${way}/${key}`)
  }
}

test('every JSON body, answer, problem and event is a named schema', async () => {
  const document = await read(await testApp())
  const nameless: string[] = []
  for (const { name, requestBody, responses } of operationsOf(document))
    for (const [part, content] of [
      ['body', requestBody?.content],
      ...Object.entries(responses ?? {}).map(([status, answer]) => [status, answer.content] as const),
    ] as const)
      for (const [type, { schema }] of Object.entries(content ?? {}))
        if (/\bjson|form/.test(type) && schema.$ref === undefined) nameless.push(`${name} ${part} ${type}`)
  for (const [way, { type, properties }] of schemasIn(document))
    if (type === 'object' && properties && way.split('/').length > 4) nameless.push(way)
  expect(nameless).toEqual([])
})

test('no schema or list of words is defined twice', async () => {
  const document = await read(await testApp())
  const known = new Map<string, string>()
  const twice: [string, string][] = []
  const once = (schema: unknown, place: string) => {
    const text = JSON.stringify(schema)
    const other = known.get(text)
    if (other !== undefined) twice.push([other, place])
    else known.set(text, place)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) once(schema, name)
  for (const [way, schema] of schemasIn(document))
    if (Array.isArray(schema.enum) && way.split('/').length > 4) once({ type: 'string', enum: schema.enum }, way)
  expect(twice).toEqual([])
})

// Ids of other services, and values that are not our ids.
const foreign = new Set(['messenger_id', 'client_id', 'request_id', 'credential_id'])
// Defined by WebAuthn itself.
const foreignSchemas = /\/(PublicKeyCredential|AuthenticationResponse|RegistrationResponse)\w*JSON/

test('every id is a UUID, except those of other services', async () => {
  const document = await read(await testApp())
  const isUuid = (schema: Schema): boolean =>
    schema.format === 'uuid' ||
    (schema.type === 'array' && isUuid(schema.items ?? {})) ||
    Boolean(schema.anyOf?.some(isUuid))
  const others: string[] = []
  for (const [way, { properties }] of schemasIn(document).filter(([way]) => !foreignSchemas.test(way)))
    for (const [field, schema] of Object.entries(properties ?? {}))
      if (/^(.*_)?ids?$/.test(field) && !foreign.has(field) && !isUuid(schema)) others.push(`${way}/${field}`)
  for (const { name, parameters = [] } of operationsOf(document))
    for (const parameter of parameters)
      if (/^(.*_)?id$/.test(parameter.name) && !isUuid(parameter.schema)) others.push(`${name} ${parameter.name}`)
  // Use `entityId()` in an answer and `id` or `uuid()` in a request. List an id of another service above.
  expect(others).toEqual([])
})

test('a problem has one of the listed codes, and so do its fields', async () => {
  const document = await read(await testApp())
  const { Problem, ProblemCode, FieldError, FieldErrorCode } = document.components.schemas
  expect(Problem!.properties!.code).toEqual({ $ref: '#/components/schemas/ProblemCode' })
  expect(Problem!.properties!.errors!.items).toEqual({ $ref: '#/components/schemas/FieldError' })
  expect(FieldError!.properties!.code).toEqual({ $ref: '#/components/schemas/FieldErrorCode' })
  expect(FieldErrorCode!.enum).toEqual([...fieldErrorCodes])
  for (const { name, responses } of operationsOf(document))
    for (const { content } of Object.values(responses ?? {}))
      for (const code of Object.keys(content?.['application/problem+json']?.examples ?? {}))
        expect([name, ProblemCode!.enum!.includes(code)]).toEqual([name, true])
})

test('Bearer is the only security scheme of the document', async () => {
  const document = await read(await testApp())
  expect(Object.keys(document.components.securitySchemes)).toEqual(['bearer'])
  expect(document.security).toEqual([{ bearer: [] }])
})

test('a body is optional only if the route accepts none', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  await app.rows("UPDATE users SET role = 'admin' WHERE id = ?", ada.id)
  app.forget(ada.id)
  const { id } = (await ada.post('chats', { user_id: bob.id })).body
  for (const { name, requestBody, security } of operationsOf(await read(app))) {
    const content = requestBody?.content['application/json']
    if (!content) continue
    const [method, path] = name.split(' ') as [string, string]
    const headers: Record<string, string> = security?.length === 0 ? {} : { authorization: `Bearer ${ada.token}` }
    const { status } = await app.request(method, path.replace('{id}', id), { headers })
    const isRefused = status === 422 || status === 400
    expect([name, status, isRefused]).toEqual([name, status, requestBody!.required])
  }
})
