import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { compileSchemasOnce } from '../../src/http/compile-schemas-once.ts'

compileSchemasOnce()

test('a schema is compiled once, and each result is an object of its own', () => {
  const schema = Type.Object({ name: Type.String({ maxLength: 3 }) })
  const [one, other] = [TypeCompiler.Compile(schema), TypeCompiler.Compile(schema)]
  expect(one['checkFunc']).toBe(other['checkFunc'])
  expect(one).not.toBe(other)
  for (const check of [one, other]) {
    expect(check.Check({ name: 'Ada' })).toBe(true)
    expect(check.Check({ name: 'Grace' })).toBe(false)
    expect(check.Errors({ name: 'Grace' }).First()!.path).toBe('/name')
  }
})

test('a schema with references is compiled with those of each call', () => {
  const schema = Type.Ref('Name')
  const withMaximum = (maxLength: number) =>
    TypeCompiler.Compile(schema, [Type.String({ $id: 'Name', maxLength })]).Check('Grace')
  expect([withMaximum(3), withMaximum(5)]).toEqual([false, true])
})

test('Elysia compiles by it', async () => {
  const shared = Type.Object({ name: Type.String() })
  const compiled: unknown[] = []
  const compile = TypeCompiler.Compile
  TypeCompiler.Compile = ((...given: Parameters<typeof compile>) => {
    const check = compile(...given)
    if (given[0] === shared) compiled.push(check['checkFunc'])
    return check
  }) as typeof compile
  try {
    const app = new Elysia()
      .get('/one', () => ({ name: 'Ada', secret: 1 }), { response: shared })
      .get('/other', () => ({ name: 'Bob', secret: 2 }), { response: shared })
    expect(await (await app.handle(new Request('http://localhost/one'))).json()).toEqual({ name: 'Ada' })
    expect(await (await app.handle(new Request('http://localhost/other'))).json()).toEqual({ name: 'Bob' })
  } finally {
    TypeCompiler.Compile = compile
  }
  expect(compiled.length).toBeGreaterThanOrEqual(2)
  expect(new Set(compiled).size).toBe(1)
})
