import type { TObject } from '@sinclair/typebox'
import { t } from 'elysia'
import { exampleOf } from '../http/openapi-examples.ts'
import { type Components, named, plain } from '../http/openapi-schema.ts'
import { entityId, object } from '../http/schema.ts'
import { version } from '../version.ts'
import { closing } from './connection.ts'
import { cid, documentedEvents, ephemeralEvents } from './events.ts'
import { socketRefusals } from './upgrade.ts'
import { keysOf } from '../lib/record.ts'

const about = `Events as they happen, over one WebSocket per device. Frames are JSON text.

* **Durable events** have a \`seq\`: 1, 2, 3 … for each user, the same on all devices and without gaps. Reconnect with \`since\`, the last one that you have seen, and every later one follows.
* **Ephemeral events** have none: they go to the sockets that are open.
* A client sends \`ping\`, \`typing\`, \`focus\` and \`auth\`, and does all else over HTTP, which \`/openapi/json\` describes.`

const aboutUpgrade = `Pass the access token as a subprotocol, which browsers can send: \`Sec-WebSocket-Protocol: convene, bearer.<access token>\`. As \`token\` in the query it works too, but a proxy may log it. The page that opens the socket has to be of an allowed origin.

The first frame is \`hello\`. Its \`resume\` is \`gap\` where \`since\` is too long ago or ahead: load chats and messages again over HTTP.

A refused upgrade is answered with a problem (RFC 9457): ${socketRefusals.map((code) => `\`${code}\``).join(', ')}.`

const ownCid = t.Union(cid.anyOf, { description: 'A name of your choice, which the answer repeats' })

/** What a client may send, and the frames that answer it. */
const clientFrames = {
  ping: {
    summary: 'Asks for a sign of life. Send one every `heartbeat_s` seconds of `hello`',
    data: null,
    answers: ['pong', 'error'],
  },
  typing: {
    summary: 'The user types in a chat. Passed on once a second; answered only where it is refused',
    data: object('TypingIn', { chat_id: entityId() }),
    answers: ['error'],
  },
  focus: {
    summary:
      'Whether the app is in the foreground: while a socket is, nothing is notified. Answered only where it is refused',
    data: object('Focus', { foreground: t.Boolean() }),
    answers: ['error'],
  },
  auth: {
    summary: 'A new access token, before the old one ends',
    data: object('NewToken', { token: t.String() }),
    answers: ['auth', 'error'],
  },
}

const summaries: Record<string, string> = {
  message: 'A new message',
  message_edited: 'A message was edited',
  message_deleted: 'A message was deleted: a tombstone of it',
  chat: 'A chat is new, or the account of its other member was erased',
  message_read: 'Messages were read',
  review: 'A review of the user was published',
  block: 'The user has blocked somebody',
  notice: 'A decision of moderation about the user',
  hello: 'The first frame of every socket',
  presence: 'A user came online or went offline',
  announcement: 'Admins tell everybody something. It is among the notices, too',
  typing: 'The other member of a chat is typing',
  maintenance: 'People can only read for now, for the reason in `text`, or no more',
  session_ended: 'The session is over: log in again',
  pong: 'Answers `ping`',
  auth: 'Answers `auth`: the socket stays open with the new token',
  error: 'A frame was refused, which the socket survives',
}

/** What each close code means, and what to do. */
const closeCodes: Record<keyof typeof closing, string> = {
  restart:
    'The server restarts, or cannot read events now. Reconnect with `since` after a random time of up to 3 seconds',
  sessionEnded:
    'After `session_ended`: log in again. Reason `token_expired`: refresh the token and reconnect. Reason `consents_required`: ask for the consents',
  suspended: 'The account is suspended. Do not reconnect; show the notice',
  tooSlow: 'The client reads too slowly. Reconnect with `since`',
  tooMany: 'The user has opened a 21st socket, and this was the oldest. Do not reconnect',
  frameTooLarge: 'A frame was larger than 16 KiB. Fix the client',
  flood: 'More than 20 frames a second after a burst of 100. Fix the client',
}

/** The AsyncAPI document of `/ws`, from the side of the server: it sends events and receives frames. */
export function asyncapiDocument() {
  const schemas: Components = {}
  const messages: Record<string, object> = {}
  const add = (key: string, name: string, schema: TObject, summary?: string) => {
    const shown = plain(schema)
    messages[key] = {
      name,
      title: schema.title,
      summary,
      contentType: 'application/json',
      payload: named(shown, schemas, key),
      examples: [{ payload: exampleOf(shown) }],
    }
  }
  const typeOf = ({ properties }: TObject) => String(properties.type?.const)
  const described = (events: readonly TObject[]) =>
    events.map((event) => {
      const type = typeOf(event)
      const key = event.title ?? type
      add(key, type, event, summaries[type])
      return { key, type }
    })
  const durable = described(documentedEvents)
  const ephemeral = described(ephemeralEvents)
  const answersOf = (type: string) => ephemeral.flatMap((event) => (event.type === type ? [event.key] : []))
  const security = ['subprotocol', 'token'].map((name) => ({ $ref: `#/components/securitySchemes/${name}` }))
  const channel = { $ref: '#/channels/socket' }
  const refs = (keys: string[]) => keys.map((key) => ({ $ref: `#/channels/socket/messages/${key}` }))
  const received = Object.entries(clientFrames).map(([type, { summary, data, answers }]) => {
    const key = `Frame${type.charAt(0).toUpperCase()}${type.slice(1)}`
    add(key, type, object(key, { type: t.Literal(type), cid: t.Optional(ownCid), ...(data && { data }) }), summary)
    const reply = { channel, messages: refs(answers.flatMap(answersOf)) }
    return [`receive${key}`, { action: 'receive', channel, security, summary, messages: refs([key]), reply }] as const
  })
  const answering = new Set(Object.values(clientFrames).flatMap(({ answers }) => answers))
  const unasked = ephemeral.filter(({ type }) => !answering.has(type))
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Convene, the WebSocket',
      version,
      description: about,
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
      contact: { name: 'Whoever runs this server' },
      tags: [{ name: 'realtime', description: 'Events as they happen' }],
    },
    defaultContentType: 'application/json',
    servers: {
      own: {
        host: '{host}',
        protocol: 'wss',
        description: 'The server that this document is of; `ws` where it has no TLS',
        variables: { host: { default: 'localhost:3000', description: 'Host and port' } },
      },
    },
    channels: {
      socket: {
        address: '/ws',
        title: 'The socket of a device',
        description: aboutUpgrade,
        messages: Object.fromEntries(
          Object.keys(messages).map((key) => [key, { $ref: `#/components/messages/${key}` }]),
        ),
        bindings: {
          ws: {
            method: 'GET',
            headers: {
              type: 'object',
              properties: {
                'Sec-WebSocket-Protocol': {
                  type: 'string',
                  description: '`convene, bearer.` and the access token. The server answers with `convene`',
                },
              },
            },
            query: {
              type: 'object',
              properties: {
                token: { type: 'string', description: 'The access token, unless it is in `Sec-WebSocket-Protocol`' },
                since: { type: 'integer', minimum: 0, description: 'The `seq` of the last event seen' },
              },
            },
            bindingVersion: '0.1.0',
          },
        },
        'x-close-codes': [
          { code: 1009, description: 'A frame was larger than 1 MiB and was not read. Fix the client' },
          ...keysOf(closing).map((name) => ({ code: closing[name], description: closeCodes[name] })),
        ],
      },
    },
    operations: {
      sendEvents: {
        action: 'send',
        channel,
        security,
        summary: 'Durable events, in order and without gaps',
        messages: refs(durable.map(({ key }) => key)),
      },
      sendEphemeralEvents: {
        action: 'send',
        channel,
        security,
        summary: 'What is sent once, to the sockets that are open',
        messages: refs(unasked.map(({ key }) => key)),
      },
      ...Object.fromEntries(received),
    },
    components: {
      messages,
      schemas,
      securitySchemes: {
        subprotocol: {
          type: 'httpApiKey',
          in: 'header',
          name: 'Sec-WebSocket-Protocol',
          description: '`convene, bearer.` and the `access_token` of a session',
        },
        token: { type: 'httpApiKey', in: 'query', name: 'token', description: 'The `access_token` of a session' },
      },
    },
  }
}
