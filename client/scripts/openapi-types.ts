import openapiTS, { astToString } from 'openapi-typescript'
import { plain, type Schema } from '../../src/http/openapi-schema.ts'
import { ephemeral } from '../../src/realtime/events.ts'

export const file = new URL('../src/openapi.ts', import.meta.url)

const header = `// Made by \`bun run client:types\` from the server's OpenAPI document and the frames of its WebSocket. Do not edit.

/* eslint-disable */
`

/** The source of src/openapi.ts for the OpenAPI document of a server. */
export async function openapiTypes(document: { components?: { schemas?: object } }): Promise<string> {
  const frames = Object.fromEntries(
    Object.entries(ephemeral).map(([type, schema]) => [type, plain(schema as unknown as Schema)]),
  )
  const whole = {
    ...document,
    components: {
      ...document.components,
      schemas: {
        ...document.components?.schemas,
        ClientEphemeralFrames: { type: 'object', properties: frames, required: Object.keys(frames) },
      },
    },
  }
  // Descriptions stay: they are what an editor shows.
  return header + astToString(await openapiTS(JSON.stringify(whole), { alphabetize: true }))
}
