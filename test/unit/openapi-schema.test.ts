import { expect, test } from 'bun:test'
import { t } from 'elysia'
import { type Components, named, plain, type Schema } from '../../src/http/openapi-schema.ts'
import { entityId, nullable, object, oneOf } from '../../src/http/schema.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const documented = (schema: object, place = 'GetThingsResponse', components: Components = {}) => ({
  schema: named(plain(schema as Schema), components, place),
  components,
})

test('a schema with a title is a component of that name, once, and null an alternative to it', () => {
  const tea = object('Tea', {
    kind: oneOf(['green', 'black'], 'TeaKind'),
    other_kind: nullable(oneOf(['green', 'black'], 'TeaKind')),
  })
  const { schema, components } = documented(object('Cups', { items: t.Array(tea), last: nullable(tea) }))
  expect(schema).toEqual(ref('Cups'))
  expect(Object.keys(components).toSorted()).toEqual(['Cups', 'Tea', 'TeaKind'])
  expect(components.Cups!.properties).toEqual({
    items: { type: 'array', items: ref('Tea') },
    last: { anyOf: [ref('Tea'), { type: 'null' }] },
  })
  expect(components.Tea!.properties!.other_kind).toEqual({ anyOf: [ref('TeaKind'), { type: 'null' }] })
})

test('what has no title is called after its place', () => {
  const list = t.Object({ items: t.Array(t.Object({ id: entityId(), ways: t.Array(t.Object({ name: t.String() })) })) })
  const { schema, components } = documented(list)
  expect(schema).toEqual(ref('GetThingsResponse'))
  expect(Object.keys(components).toSorted()).toEqual([
    'GetThingsResponse',
    'GetThingsResponseItem',
    'GetThingsResponseItemWay',
  ])
})

test('what has no title and is equal to a component is that one', () => {
  const components: Components = {}
  documented(t.Object({ name: t.String() }), 'First', components)
  expect(documented(t.Object({ name: t.String() }), 'Second', components).schema).toEqual(ref('First'))
  expect(Object.keys(components)).toEqual(['First'])
})

test('two schemas of one name that differ are an error', () => {
  const components: Components = {}
  documented(object('Tea', { name: t.String() }), '', components)
  expect(() => documented(object('Tea', { name: t.Integer() }), '', components)).toThrow('two schemas are called Tea')
})

test('a list of words is described where it stands', () => {
  const state = (description: string) => t.Union([t.Literal('on'), t.Literal('off')], { title: 'Switch', description })
  const { components } = documented(object('Room', { light: state('Of the room'), door: state('Whether it is open') }))
  expect(components.Room!.properties).toEqual({
    light: { ...ref('Switch'), description: 'Of the room' },
    door: { ...ref('Switch'), description: 'Whether it is open' },
  })
})

test('a record has values of its schema under any name', () => {
  const { components } = documented(object('Bag', { things: t.Record(t.String(), t.Integer()) }))
  expect(components.Bag!.properties!.things).toEqual({ type: 'object', additionalProperties: { type: 'integer' } })
})
