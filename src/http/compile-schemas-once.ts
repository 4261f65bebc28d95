import type { TSchema } from '@sinclair/typebox'
import { TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'

const compile = TypeCompiler.Compile
const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>()

/**
 * Makes TypeBox compile each schema once. Elysia compiles a schema again for each route, status and union that it is part
 * of: 3,771 times for the 640 schemas of all routes, which takes 3 MiB more of heap and three times as long.
 */
export function compileSchemasOnce() {
  TypeCompiler.Compile = <T extends TSchema>(schema: T, references: TSchema[] = []): TypeCheck<T> => {
    if (references.length > 0) return compile(schema, references)
    let check = compiled.get(schema)
    if (!check) compiled.set(schema, (check = compile(schema)))
    // Elysia adds properties of the route to what it gets.
    return new TypeCheck(schema, references, check['checkFunc'], check['code'])
  }
}
