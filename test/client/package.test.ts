import { expect, test } from 'bun:test'
import { file, openapiTypes } from '../../client/scripts/openapi-types.ts'
import { testApp } from '../app.ts'

test('the types are those of the server’s document: `bun run client:types` makes them', async () => {
  const app = await testApp()
  const { body } = await app.request('GET', '/openapi/json')
  expect((await openapiTypes(body)) === (await Bun.file(file).text())).toBe(true)
})
