import { expect, test } from 'bun:test'
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { OpenapiDocument } from '../../src/http/openapi-document.ts'
import type { Schema } from '../../src/http/openapi-schema.ts'
import { version } from '../../src/version.ts'
import { type TestApp, testApp } from '../app.ts'

const documentOf = async (test: TestApp) =>
  (await test.request('GET', '/openapi/json')).body as OpenapiDocument & { paths: Record<string, unknown> }

const operationsOf = (document: OpenapiDocument) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  )

/** The routes that must be documented, by the name of their operation. */
const routesOf = ({ app }: TestApp) =>
  new Map(
    app.routes
      .filter(({ hooks }) => !hooks.detail?.hide)
      .map((route) => [`${route.method} ${route.path.replace(/:([^/]+)/g, '{$1}')}`, route]),
  )

type Content = Record<string, { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }>

/** Everything in the document that looks like a schema. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Record<string, unknown>
  for (const inner of Object.values(value)) yield* objectsIn(inner)
}

test('the document is the same after routes have been used, and forbids no further fields', async () => {
  const before = await documentOf(await testApp())
  const used = await testApp()
  const [ada, bob] = [await used.person(), await used.person()]
  const { id } = (await ada.post('chats', { user_id: bob.id, more: 1 })).body
  expect((await ada.post(`chats/${id}/messages`, { text: 'Hello', more: 1 })).status).toBe(201)
  const document = await documentOf(used)
  expect(document).toEqual(before)
  for (const object of objectsIn(document)) expect(object.additionalProperties).not.toBe(false)
})

test('the document has the product’s name, its release, and a description of each tag', async () => {
  const document = await documentOf(await testApp())
  expect(document.openapi).toStartWith('3.1.')
  expect(document.info).toMatchObject({ title: 'Convene', version })
  const described = document.tags.filter(({ description }) => description.length > 0).map(({ name }) => name)
  const used = operationsOf(document).flatMap(({ operation }) => operation.tags ?? [])
  expect([...new Set(used)].toSorted()).toEqual(described.toSorted())
})

test('every route is in the document, but for the socket, the front page, the pages of links, a browser’s way to a provider and back, the pages of the document itself and preflights', async () => {
  const test = await testApp({ CORS_ORIGINS: 'https://app.example.org' })
  const documented = operationsOf(await documentOf(test)).map(({ name }) => name)
  expect(documented.toSorted()).toEqual([...routesOf(test).keys()].filter((n) => !n.startsWith('OPTIONS ')).toSorted())
  const hidden = test.app.routes.filter(({ hooks }) => hooks.detail?.hide).map(({ path }) => path)
  expect(hidden.filter((path) => !path.startsWith('/openapi')).toSorted()).toEqual([
    '/',
    '/api/v1/auth/oidc/:provider/callback',
    '/api/v1/auth/oidc/:provider/callback',
    '/api/v1/auth/oidc/:provider/start',
    '/api/v1/messenger/updates/:path',
    '/asyncapi.json',
    '/email-undo',
    '/reset',
    '/unsubscribe',
    '/unsubscribe',
    '/verify',
    '/ws',
  ])
})

test('every operation has a summary, one tag, its own name, an answer and its refusals', async () => {
  const document = await documentOf(await testApp())
  const operations = operationsOf(document)
  for (const { name, operation } of operations) {
    const responses = Object.entries(operation.responses ?? {})
    expect([name, operation.summary?.length, operation.tags?.length]).toEqual([name, expect.any(Number), 1])
    expect([name, responses.some(([status]) => Number(status) < 400)]).toEqual([name, true])
    expect([name, Object.keys(operation.responses ?? {})]).toEqual([name, expect.arrayContaining(['500'])])
    for (const [status, { description, content }] of responses) {
      expect([name, status, description]).toEqual([name, status, expect.stringMatching(/./)])
      for (const { value } of Object.values(content?.['application/problem+json']?.examples ?? {}))
        expect(value).toMatchObject({ status: Number(status), code: expect.stringMatching(/^[a-z_]+$/) })
    }
  }
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
})

test('every JSON body and answer has an example that its route would accept or return', async () => {
  const test = await testApp()
  const routes = routesOf(test)
  const wrong: string[] = []
  for (const { name, operation } of operationsOf(await documentOf(test))) {
    const { body, response } = routes.get(name)!.hooks as { body?: TSchema; response?: Record<string, TSchema> }
    const check = (part: string, schema: TSchema, content?: Content) => {
      const [shown] = Object.values(content ?? {})
      const examples = shown?.examples ? Object.values(shown.examples) : [{ value: shown?.example }]
      for (const { value } of examples)
        for (const { path, message } of Value.Errors(schema, value)) wrong.push(`${name} ${part} ${path}: ${message}`)
    }
    if (body) check('body', body, operation.requestBody?.content)
    for (const [status, schema] of Object.entries(response ?? {}))
      if (schema.type !== 'void') check(status, schema, operation.responses?.[status]?.content)
    for (const parameter of operation.parameters ?? [])
      if (parameter.required && parameter.example === undefined) wrong.push(`${name} ${parameter.name}: no example`)
  }
  expect(wrong).toEqual([])
})

test('exactly the operations that the document marks as protected answer 401 without a token', async () => {
  const test = await testApp()
  for (const { name, operation } of operationsOf(await documentOf(test))) {
    const [method, path] = name.split(' ') as [string, string]
    const { status } = await test.request(method, path.replaceAll(/\{\w+\}/g, Bun.randomUUIDv7()))
    // Without its own security, the document's applies: a token. An empty requirement means that none is needed.
    const waysIn: object[] = operation.security ?? [{ token: [] }]
    const isProtected = waysIn.length > 0 && waysIn.every((way) => Object.keys(way).length > 0)
    if (isProtected) expect([name, status]).toEqual([name, 401])
    // Its token is in the body or in a cookie, not in `Authorization`.
    else if (name !== 'POST /api/v1/auth/refresh') expect([name, status]).not.toEqual([name, 401])
    if (isProtected) expect(operation.responses).toHaveProperty(['401'])
  }
})

test('the document is consistent: references, path parameters, security, formats, no keywords of our own', async () => {
  const document = await documentOf(await testApp())
  const formats = new Set(['uuid', 'date-time', 'email', 'password', 'binary', 'uri'])
  const schemas = document.components.schemas as Record<string, Schema>
  for (const object of objectsIn(document)) {
    if ('$ref' in object) expect(Object.keys(schemas)).toContain(String(object.$ref).split('/').at(-1)!)
    if (typeof object.format === 'string') expect(formats).toContain(object.format)
    if (Array.isArray(object.required))
      expect(Object.keys(object.properties as object)).toEqual(expect.arrayContaining(object.required))
    for (const word of ['error', 'documented', 'refusals', 'limit'])
      if ('type' in object || 'responses' in object) expect(object).not.toHaveProperty(word)
  }
  for (const { name, path, operation } of operationsOf(document)) {
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
    const names = inPath.map((parameter) => parameter.name)
    expect([name, names]).toEqual([name, [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part!)])
    for (const requirement of operation.security ?? [])
      for (const scheme of Object.keys(requirement)) expect(document.components.securitySchemes).toHaveProperty(scheme)
  }
})

test('text has its length in characters, and a whole number in a query is an integer', async () => {
  const { paths, components } = await documentOf(await testApp())
  expect(components.schemas.Registration!.properties).toMatchObject({
    name: { type: 'string', minLength: 1, maxLength: 80 },
    bio: { type: ['string', 'null'], maxLength: 500 },
    gender: { anyOf: [{ $ref: '#/components/schemas/Gender' }, { type: 'null' }] },
    email: { type: ['string', 'null'], format: 'email' },
    password: { type: 'string', minLength: 8, maxLength: 200 },
  })
  expect(paths['/api/v1/chats']!.get!.parameters).toContainEqual({
    name: 'limit',
    in: 'query',
    required: false,
    schema: expect.objectContaining({ type: 'integer', minimum: 1, maximum: 100, default: 30 }),
  })
  expect(paths['/api/v1/search/nearby']!.get!.parameters).toContainEqual({
    name: 'lat',
    in: 'query',
    required: false,
    schema: { type: 'number', minimum: -90, maximum: 90 },
  })
  const gender = paths['/api/v1/search/nearby']!.get!.parameters!.find(({ name }) => name === 'gender')
  expect(gender!.schema).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Gender' }, maxItems: 20 })
})

test('a value from a list of words is an enum', async () => {
  const { paths, components, servers } = await documentOf(await testApp())
  expect(servers).toEqual([{ url: '/' }])
  const kinds = { $ref: '#/components/schemas/LegalKind' }
  expect(components.schemas.LegalKind).toEqual({ type: 'string', enum: ['terms', 'privacy', 'disclaimer'] })
  const legal = paths['/api/v1/legal/{kind}']!.get!
  expect(legal.parameters![0]).toMatchObject({ name: 'kind', in: 'path', required: true, schema: kinds })
  expect(Object.keys(legal.responses!['200']!.content!)).toEqual(['application/json', 'text/markdown'])
  expect(components.schemas.Me!.properties!.consents_missing).toMatchObject({ type: 'array', items: kinds })
  const codes = components.schemas.ProblemCode!.enum!
  expect(codes).toContain('bad_request')
  for (const inside of ['consents_gate', 'upgrade_required', 'range_not_satisfiable'])
    expect(codes).not.toContain(inside)
})

test('every route may answer that it is busy, except the health endpoints', async () => {
  const document = await documentOf(await testApp())
  for (const { name, path, operation } of operationsOf(document)) {
    const examples = operation.responses?.['503']?.content?.['application/problem+json']?.examples ?? {}
    expect([name, 'busy' in examples]).toEqual([name, !['/health', '/ready', '/metrics'].includes(path)])
  }
  for (const path of ['/health', '/ready'])
    expect(document.paths[path]!.get!.responses!['200']!.content!['application/json']!.example).toMatchObject({
      version,
    })
})

test('a refusal has the status of the server’s answer', async () => {
  const test = await testApp()
  const { paths } = await documentOf(test)
  const ada = await test.person('Ada')
  const { status, body } = await ada.get(`users/${Bun.randomUUIDv7()}`)
  const shown = paths['/api/v1/users/{id}']!.get!.responses![status]!.content!['application/problem+json']!.examples!
  expect(Object.keys(shown)).toContain(body.code)
  expect(Object.keys(shown[body.code]!.value as object).toSorted()).toEqual(Object.keys(body).toSorted())
})

test('the document does not depend on what is switched off', async () => {
  const withAll = await documentOf(await testApp({ RATE_LIMIT: 'on' }))
  const without = await documentOf(await testApp({ RATE_LIMIT: 'off' }))
  expect(without).toEqual(withAll)
  expect(without.paths['/api/v1/auth/login']!.post!.responses).toHaveProperty(['429'])
})

test('the page loads only files of this server, and runs only our script', async () => {
  const { request } = await testApp()
  const page = await request('GET', '/openapi')
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.text).not.toMatch(/https?:|\/\/[a-z]/)
  const policy = page.headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("connect-src 'self'")
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/)

  const inline = /<script>([^<]*)<\/script>/.exec(page.text)![1]!
  expect(policy).toContain(`'sha256-${new Bun.CryptoHasher('sha256').update(inline).digest('base64')}'`)
  for (const [, url] of page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
    const asset = await request('GET', url!)
    expect([url, asset.status, asset.text.length > 10_000]).toEqual([url, 200, true])
    expect(asset.headers.get('cache-control')).toContain('immutable')
    expect(asset.headers.get('content-type')).toMatch(/^text\/(javascript|css)/)
  }
})

test('the documents are sent in gzip where the client accepts it', async () => {
  const base = await (await testApp()).listen()
  for (const path of ['openapi/json', 'asyncapi.json']) {
    const answer = async (encoding: string) => {
      const response = await fetch(new URL(path, base), { headers: { 'accept-encoding': encoding }, decompress: false })
      expect(response.headers.get('vary')).toContain('accept-encoding')
      return { encoding: response.headers.get('content-encoding'), body: new Uint8Array(await response.arrayBuffer()) }
    }
    const [plain, small, refused] = [await answer('br'), await answer('gzip, br'), await answer('gzip;q=0')]
    expect([plain.encoding, small.encoding, refused.encoding]).toEqual([null, 'gzip', null])
    expect(Buffer.from(Bun.gunzipSync(small.body)).toString()).toBe(Buffer.from(plain.body).toString())
    expect(small.body.length).toBeLessThan(plain.body.length / 5)
  }
})
