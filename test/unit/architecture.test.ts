import { expect, test } from 'bun:test'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { testApp } from '../app.ts'

const root = join(import.meta.dir, '../..')

type Import = { from: string; to: string; typesOnly: boolean }

/** Every import between the files of src, and of packages, by their path from the root of the checkout. */
async function allImports(): Promise<Import[]> {
  const found: Import[] = []
  for await (const file of new Bun.Glob('src/**/*.ts').scan({ cwd: root })) {
    const text = await Bun.file(join(root, file)).text()
    for (const [, typeOnly, names, target] of text.matchAll(
      /(?:import|export) (type )?([^'"(]*?)(?: from )?'([^']+)'/g,
    )) {
      const to = target!.startsWith('.') ? normalize(join(dirname(file), target!)) : target!
      const listed = /\{([^}]*)\}/
        .exec(names!)?.[1]
        ?.split(',')
        .map((name) => name.trim())
        .filter(Boolean)
      const typesOnly =
        typeOnly !== undefined ||
        (listed !== undefined && listed.length > 0 && listed.every((name) => name.startsWith('type ')))
      found.push({ from: file, to, typesOnly })
    }
  }
  return found
}

const imports = await allImports()
// All of a feature but how HTTP and its schemas see it.
const rules = /^src\/features\/.*(?<!\/routes|\/model)\.ts$/

function broken(breaks: (edge: Import) => boolean): string[] {
  return imports.filter(breaks).map(({ from, to }) => `${from} imports ${to}`)
}

test('the imports were read', () => {
  expect(imports.length).toBeGreaterThan(200)
  expect(imports).toContainEqual({ from: 'src/app.ts', to: 'src/features/auth/routes.ts', typesOnly: false })
  expect(imports.some(({ typesOnly }) => typesOnly)).toBe(true)
})

test('rules and ports know no framework, no engine and no HTTP', () => {
  expect(
    broken(
      ({ from, to, typesOnly }) =>
        rules.test(from) &&
        (/^(elysia|@elysiajs|drizzle-orm|bun:sqlite)/.test(to) ||
          /^src\/(http|storage)\//.test(to) ||
          (to.endsWith('/model.ts') && !typesOnly)),
    ),
  ).toEqual([])
})

test('routes reach storage and other features only through services passed in', () => {
  expect(
    broken(({ from, to, typesOnly }) => {
      if (!from.endsWith('/routes.ts')) return false
      if (to.startsWith('src/storage/')) return true
      return to.startsWith('src/features/') && dirname(to) !== dirname(from) && !typesOnly
    }),
  ).toEqual([])
})

test('storage knows the ports, types and rules of features, and nothing else of them', () => {
  expect(
    broken(({ from, to, typesOnly }) => {
      if (!/^src\/storage\/(sql|sqlite|postgres|files)\//.test(from)) return false
      if (to.startsWith('src/http/')) return true
      if (!to.startsWith('src/features/')) return false
      return !typesOnly && !/\/(store|rules|files|sphere|content)\.ts$/.test(to)
    }),
  ).toEqual([])
})

test('an engine knows the shared stores, and not the other engine', () => {
  const engineOf = (file: string) => /^src\/storage\/(sql|sqlite|postgres|files)\//.exec(file)?.[1]
  expect(
    broken(({ from, to, typesOnly }) => {
      const [own, other] = [engineOf(from), engineOf(to)]
      if (own === undefined || other === undefined || own === other) return false
      return own === 'sql' ? !typesOnly : other !== 'sql'
    }),
  ).toEqual([])
})

test('what nodes share knows ports and types only, and nobody else loads the client of Redis', () => {
  const outside = /^src\/(features|http|realtime|storage)\//
  const isRedis = (file: string) => file.startsWith('src/redis/')
  expect(broken(({ from, to, typesOnly }) => isRedis(from) && outside.test(to) && !typesOnly)).toEqual([])
  expect(
    broken(({ from, to }) => isRedis(from) && /^src\/(app|services|services\/.*|listen|commands\/.*)\.ts$/.test(to)),
  ).toEqual([])
  // A node that is the only one does without: serve.ts loads it where REDIS_URL is set.
  expect(
    broken(
      ({ from, to, typesOnly }) =>
        !isRedis(from) && !typesOnly && (isRedis(to) || /^(ioredis|cluster-key-slot)$/.test(to)),
    ),
  ).toEqual([])
})

test('nobody imports main.ts, and only config.ts reads the environment', async () => {
  expect(broken(({ to }) => to === 'src/main.ts')).toEqual([])
  for await (const file of new Bun.Glob('src/**/*.ts').scan({ cwd: root })) {
    if (file === 'src/config.ts') continue
    expect([file, /(process|Bun)\.env/.test(await Bun.file(join(root, file)).text())]).toEqual([file, false])
  }
})

// Where the types end. Lower these with each one that a better type makes needless; no change may raise them.
const typeEscapes = { casts: 24, nonNullAssertions: 38, any: 2 }

test('no file silences the type checker, and casts and non-null assertions only get fewer', async () => {
  const found = { casts: 0, nonNullAssertions: 0, any: 0 }
  for await (const file of new Bun.Glob('src/**/*.{ts,tsx}').scan({ cwd: root })) {
    const text = await Bun.file(join(root, file)).text()
    expect([file, /@ts-(ignore|expect-error|nocheck)/.test(text)]).toEqual([file, false])
    const visit = (node: ts.Node) => {
      if (ts.isNonNullExpression(node)) found.nonNullAssertions++
      if (node.kind === ts.SyntaxKind.AnyKeyword) found.any++
      if (ts.isAssertionExpression(node) && !ts.isConstTypeReference(node.type)) found.casts++
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest))
  }
  expect(found).toEqual(typeEscapes)
})

/** The files that hold SQL, with their syntax. */
async function* engineFiles(): AsyncGenerator<{ file: string; source: ts.SourceFile }> {
  for await (const file of new Bun.Glob('src/storage/{sql,sqlite,postgres}/**/*.ts').scan({ cwd: root }))
    yield {
      file,
      source: ts.createSourceFile(file, await Bun.file(join(root, file)).text(), ts.ScriptTarget.Latest, true),
    }
}

/** What an expression ends in: `role` of `caller.role`. */
function nameOf(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isPropertyAccessExpression(node)) return node.name.text
  if (ts.isParenthesizedExpression(node)) return nameOf(node.expression)
  return ts.isBinaryExpression(node) ? nameOf(node.left) : ''
}

// Decisions belong in features/<noun>/rules.ts. Not every one has a form by which it can be told apart; these have.
test('engines compare no role, status or time of people and reports, and know no periods', async () => {
  const equals = [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken]
  const orders = [
    ts.SyntaxKind.LessThanToken,
    ts.SyntaxKind.LessThanEqualsToken,
    ts.SyntaxKind.GreaterThanToken,
    ts.SyntaxKind.GreaterThanEqualsToken,
  ]
  const isOfPeople = /^(role|status|standing|state|digest|mode|action|hidden)$/
  const isTime = /(_at|_until|_since)$/
  const found: string[] = []
  for await (const { file, source } of engineFiles()) {
    const visit = (node: ts.Node) => {
      if (ts.isBinaryExpression(node)) {
        const { left, right, operatorToken } = node
        const isWord = ts.isStringLiteral(left) || ts.isStringLiteral(right)
        const names = [nameOf(left), nameOf(right)]
        const isVerdict = isWord && equals.includes(operatorToken.kind) && names.some((name) => isOfPeople.test(name))
        if (isVerdict || (orders.includes(operatorToken.kind) && names.some((name) => isTime.test(name))))
          found.push(`${file}: ${node.getText(source)}`)
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  expect(found.sort()).toEqual(
    [
      // How notices are stored.
      "src/storage/sql/notices.ts: action === 'hide'",
      "src/storage/sql/notices.ts: action === 'show'",
      // Which people are asked for, and by which index they are found.
      "src/storage/sql/people.ts: filter.role !== 'user'",
      "src/storage/sql/people.ts: filter.standing === 'suspended'",
      "src/storage/sql/people.ts: standing === 'active'",
      "src/storage/sql/people.ts: standing === 'suspended'",
      // PostgreSQL's own words.
      "src/storage/postgres/failures.ts: state === ''",
      "src/storage/postgres/failures.ts: state === ''",
      "src/storage/postgres/failures.ts: state !== ''",
      "src/storage/postgres/failures.ts: state === '3D000'",
      "src/storage/postgres/failures.ts: state === '53100'",
      "src/storage/sqlite/backup-photos.ts: outcome.status === 'rejected'",
    ].sort(),
  )
  const isEngine = /^src\/storage\/(sql|sqlite|postgres)\//
  expect(broken(({ from, to, typesOnly }) => isEngine.test(from) && to === 'src/lib/time.ts' && !typesOnly)).toEqual([])
})

const isAssignment = (kind: ts.SyntaxKind) =>
  kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment

/**
 * Names that a file uses above the end of their declaration, also in functions that run later, and what it assigns after its
 * declaration: both ways, something reaches what is built after it.
 */
function reachedEarly(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const options = { noLib: true, noResolve: true }
  const host = {
    ...ts.createCompilerHost(options),
    getSourceFile: (name: string) => (name === file ? source : undefined),
  }
  const checker = ts.createProgram([file], options, host).getTypeChecker()
  const found: string[] = []
  const tell = (node: ts.Node, what: string) =>
    found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${what}`)
  // Of `const { a } = …` and of `const [a] = …`, all of it declares the name.
  const wholeOf = (node: ts.Node): ts.Node =>
    ts.isBindingElement(node) || ts.isObjectBindingPattern(node) || ts.isArrayBindingPattern(node)
      ? wholeOf(node.parent)
      : node
  function symbolOf(name: ts.Identifier) {
    const { parent } = name
    return ts.isShorthandPropertyAssignment(parent) && parent.name === name
      ? checker.getShorthandAssignmentValueSymbol(parent)
      : checker.getSymbolAtLocation(name)
  }
  const visit = (node: ts.Node) => {
    // Types are no values.
    if (ts.isTypeNode(node) || ts.isTypeAliasDeclaration(node)) return
    if (ts.isVariableDeclarationList(node) && !(node.flags & ts.NodeFlags.Const)) tell(node, 'a variable changes')
    if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) tell(node, 'something changes')
    if (ts.isIdentifier(node)) {
      const name = symbolOf(node)?.valueDeclaration
      const declared = name && wholeOf(name)
      const isFunction = declared && ts.isFunctionDeclaration(declared)
      const isRead = name && ts.isBindingElement(name) ? name.name !== node && name.propertyName !== node : true
      if (declared && isRead && (isFunction || ts.isVariableDeclaration(declared)) && declared.name !== node)
        // A function may call itself.
        if (node.pos < (isFunction ? declared.pos : declared.end)) tell(node, `${node.text} comes later`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

test('services are built in order: none reaches one that is built after it, not even later', async () => {
  const build = (text: string) => reachedEarly('services.ts', `export function build({ open }: Ports) {\n${text}\n}`)
  const reaching = [
    'const a = open({ wake: () => b.wake() })\nconst b = open({ a })',
    'const a = open({ wake: (kind: Kind) => a.wake(kind) })',
    'const a = open({ get: () => ({ b }) })\nconst b = open({ a })',
    'const a = open({ wake: () => wake() })\nconst { wake, ...rest } = open({ a })',
    'const a = open({ wake: () => later() })\nfunction later() {}',
    'let b: Delivery\nconst a = open({ wake: () => b.wake() })\nb = open({ a })',
    'const late = { wake() {} }\nconst a = open({ late })\nlate.wake = open({ a })',
  ]
  for (const text of reaching) expect([text, build(text).length > 0]).toEqual([text, true])
  const inOrder = [
    'const a = open({ b: 1 })\nconst b = open({ a, wake: () => a.b })',
    'const a = open({ each: (b: string) => b })\nconst { c: b } = open({ a })\nreturn { a, b }',
    'const a: Of<typeof b> = open({})\nconst b = open({ a })',
    'function again(n: number): number { return n > 0 ? again(n - 1) : 0 }\nreturn again(1)',
  ]
  for (const text of inOrder) expect([text, build(text)]).toEqual([text, []])

  const files = ['src/services.ts', ...new Bun.Glob('src/services/*.ts').scanSync({ cwd: root })]
  expect(files.length).toBeGreaterThan(5)
  for (const file of files) expect(reachedEarly(file, await Bun.file(join(root, file)).text())).toEqual([])
})

// Their loading costs every start time and memory. Anything else is loaded by the feature that needs it, once it is configured
// or used: `await import()`, or `require()` where a function has to answer at once.
const loadedAtStart = [
  '@block65/webcrypto-web-push',
  '@elysiajs/cors',
  '@sinclair/typebox',
  'drizzle-orm',
  'elysia',
  'ipaddr.js',
  'jose',
  'pino',
  'prom-client',
  'rate-limiter-flexible',
  // Its version and the names of its files.
  'swagger-ui-dist',
]

test('a start loads the libraries that every server needs, and no other', async () => {
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  const reached = new Set(['src/main.ts', 'src/commands/serve.ts'])
  const packages = new Set<string>()
  for (const file of reached)
    for (const { path, kind } of transpiler.scanImports(await Bun.file(join(root, file)).text())) {
      if (kind !== 'import-statement') continue
      if (!path.startsWith('.')) packages.add(path)
      else if (path.endsWith('.ts')) reached.add(join(dirname(file), path))
    }
  const isOfBun = (name: string) => /^(node:|bun$|bun:)/.test(name)
  const names = [...packages].filter((path) => !isOfBun(path))
  const libraries = new Set(names.map((path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/')))
  expect([...libraries].toSorted()).toEqual(loadedAtStart)
  // These take 2 to 20 ms each.
  expect([...packages].filter((name) => /^node:(https?|http2|tls|zlib|child_process|cluster)$/.test(name))).toEqual([])
})

// What a stranger may call. Anything else answers 401 to who is not signed in, whatever they send.
const openToAll = new Set([
  'POST /api/v1/auth/register',
  'POST /api/v1/auth/login',
  'POST /api/v1/auth/messenger',
  'POST /api/v1/auth/refresh',
  'POST /api/v1/auth/appeals',
  'GET /api/v1/legal/child-safety',
  'GET /api/v1/auth/providers',
  'POST /api/v1/auth/oidc/:provider',
  'POST /api/v1/auth/oidc/:provider/start',
  'GET /api/v1/auth/oidc/:provider/start',
  'GET /api/v1/auth/oidc/:provider/callback',
  'POST /api/v1/auth/oidc/:provider/callback',
  'POST /api/v1/auth/password/forgot',
  'POST /api/v1/auth/password/reset',
  'POST /api/v1/auth/email/verify',
  'POST /api/v1/auth/email/undo',
  'POST /api/v1/messenger/updates/:path',
  'POST /api/v1/auth/passkey/options',
  'POST /api/v1/auth/passkey',
  'GET /verify',
  'GET /reset',
  'GET /email-undo',
  'GET /unsubscribe',
  'POST /unsubscribe',
  'GET /api/v1/notifications/keys',
  'POST /api/v1/notifications/unsubscribe',
  'GET /api/v1/legal/:kind',
  'GET /api/v1/media/:id',
  'GET /api/v1/users/:id/reviews',
  'GET /api/v1/users/:id/stats',
  'GET /',
  'GET /health',
  'GET /ready',
  'GET /metrics',
  'GET /asyncapi.json',
])

test('every route that is not open to all answers 401 to a stranger, with a good body, a bad one and none', async () => {
  const { app, request } = await testApp()
  const guarded = app.routes.filter(
    ({ method, path }) =>
      !openToAll.has(`${method} ${path}`) &&
      !path.startsWith('/openapi') &&
      path !== '/ws' &&
      method !== 'OPTIONS' &&
      !path.includes('*'),
  )
  expect(guarded.length).toBeGreaterThan(30)
  for (const { method, path } of guarded) {
    const concrete = path.replaceAll(/:\w+/g, '019aa5c7-0000-7000-8000-000000000000')
    const json = { 'content-type': 'application/json' }
    const bodies = method === 'GET' || method === 'HEAD' ? [undefined] : [undefined, '{}', '{"bad":', 'a=1']
    for (const body of bodies) {
      const answer = await request(method, concrete, { body, headers: body === undefined ? {} : json })
      expect([method, path, body, answer.status]).toEqual([method, path, body, 401])
    }
    expect((await request(method, concrete.replace('000000000000', 'nonsense'))).status).toBe(401)
  }
})
