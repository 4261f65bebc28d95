import { expect, test } from 'bun:test'
import type { asyncapiDocument } from '../../src/realtime/asyncapi-document.ts'
import { closing } from '../../src/realtime/connection.ts'
import { documentedEvents, ephemeralEvents } from '../../src/realtime/events.ts'
import { version } from '../../src/version.ts'
import { testApp } from '../app.ts'
import { connect, ofType } from '../socket-client.ts'

type Ref = { $ref: string }
type Document = Omit<ReturnType<typeof asyncapiDocument>, 'operations'> & {
  operations: Record<string, { action: string; messages: Ref[]; reply?: { messages: Ref[] } }>
}

const nameIn = ({ $ref }: Ref) => $ref.split('/').at(-1)!

test('the document of the socket has a message for each event and each frame, and every close code', async () => {
  const { request } = await testApp()
  const answer = await request<Document>('GET', '/asyncapi.json')
  expect(answer.headers.get('content-type')).toBe('application/json')
  const { asyncapi, info, channels, operations, components } = answer.body
  expect([asyncapi, info.version]).toEqual(['3.0.0', version])
  const { address, messages } = channels.socket
  expect(address).toBe('/ws')
  const events = [...documentedEvents, ...ephemeralEvents].map(({ title }) => title!)
  expect(Object.keys(messages).toSorted()).toEqual(
    [...events, 'FramePing', 'FrameTyping', 'FrameFocus', 'FrameAuth'].toSorted(),
  )
  const inOperations = Object.values(operations).flatMap(({ messages, reply }) => [
    ...messages,
    ...(reply?.messages ?? []),
  ])
  expect([...new Set(inOperations.map(nameIn))].toSorted()).toEqual(Object.keys(messages).toSorted())
  for (const message of Object.values<object>(components.messages))
    expect(message).toMatchObject({ summary: expect.any(String), payload: { $ref: expect.any(String) } })
  // A proxy may log a query, so the subprotocol comes first and the query requires nothing.
  expect(Object.keys(components.securitySchemes)).toEqual(['subprotocol', 'token'])
  expect(Object.keys(channels.socket.bindings.ws.headers.properties)).toEqual(['Sec-WebSocket-Protocol'])
  expect(channels.socket.bindings.ws.query).not.toHaveProperty('required')
  const codes = channels.socket['x-close-codes'].map(({ code }) => code)
  expect(codes).toEqual([1009, ...Object.values(closing)])
})

test('a schema that is in both documents is the same in both', async () => {
  const { request } = await testApp()
  const openapi = (await request('GET', '/openapi/json')).body.components.schemas
  const asyncapi = (await request('GET', '/asyncapi.json')).body.components.schemas
  const both = Object.keys(asyncapi).filter((name) => name in openapi)
  expect(both.length).toBeGreaterThan(10)
  for (const name of both) expect([name, asyncapi[name]]).toEqual([name, openapi[name]])
})

test('the frames of the document get the answers that it describes', async () => {
  const app = await testApp()
  const base = await app.listen()
  const ada = await app.person('Ada')
  const socket = connect(base, ada.token)
  await socket.until(ofType('hello'))
  const { info, operations, components } = (await app.request<Document>('GET', '/asyncapi.json')).body
  const messages = components.messages as Record<string, { name: string; examples: { payload: any }[] }>
  const typesOf = (refs: Ref[]) => refs.map((ref) => messages[nameIn(ref)]!.name)
  for (const { action, messages: sent, reply } of Object.values(operations)) {
    if (action !== 'receive') continue
    const [type] = typesOf(sent)
    const { payload } = messages[nameIn(sent[0]!)]!.examples[0]!
    // The token of the example is nobody's, and its chat not Ada's: both are refused, which the socket survives.
    // What is right about the focus is not answered.
    socket.send({ ...payload, cid: type, ...(type === 'focus' && { data: {} }) })
    const answer = await socket.until((frame) => frame.cid === type, `answer to ${type}`)
    expect(typesOf(reply!.messages)).toContain(answer.type)
    expect(answer.type).toBe(type === 'ping' ? 'pong' : 'error')
  }
  const received = Object.values(operations).filter(({ action }) => action === 'receive')
  socket.send({ type: 'dance', cid: 'dance' })
  const { detail } = (await socket.until((frame) => frame.cid === 'dance')).data
  const taken = /^Frames that are taken: (.+)\.$/.exec(detail)![1]!.split(', ')
  expect(received.flatMap((operation) => typesOf(operation.messages)).toSorted()).toEqual(taken.toSorted())
  for (const type of taken) expect(info.description).toContain(`\`${type}\``)

  socket.send({ type: 'auth', cid: 'good', data: { token: ada.token } })
  expect((await socket.until((frame) => frame.cid === 'good')).type).toBe('auth')
})
