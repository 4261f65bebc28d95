import { Type } from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import { type TSchema, t } from 'elysia'
import { entityId, nullable, object, oneOf, time } from '../http/schema.ts'
import { chat, message } from '../features/chats/model.ts'
import { notice } from '../features/moderation/model.ts'
import { review } from '../features/reviews/model.ts'
import { block } from '../features/safety/model.ts'
import { problemCodes } from '../http/errors.ts'
import { type EndReason, endReasons } from './connection.ts'

/**
 * Durable events are numbered 1, 2, 3 … for each user and stored in the transaction that caused them. Those listed here
 * store only the id of what they show; a view reads it as it is at the moment of sending.
 */
const viewed = { message, message_edited: message, message_deleted: message, chat, review }

/** Durable events that store their data. */
const stored = {
  message_read: t.Object(
    {
      chat_id: entityId(),
      reader_id: entityId(),
      read_at: nullable(time),
      last_read_message_id: nullable(entityId()),
      count: Type.Integer(),
    },
    { title: 'MessageRead' },
  ),
  block,
  notice,
}

/** Stands for the data of an event whose subject no longer exists, so that the sequence has no gap. */
const gone = object('Gone', { id: entityId(), deleted: t.Literal(true) })

/** Frames that are sent once, to the sockets that are open, and never stored. */
export const ephemeral = {
  hello: object('Hello', {
    connection_id: entityId(),
    seq: Type.Integer(),
    resume: oneOf(['fresh', 'ok', 'gap'], 'Resume'),
    heartbeat_s: Type.Integer(),
  }),
  presence: object('Presence', { user_id: entityId(), online: t.Boolean(), last_seen_at: nullable(time) }),
  announcement: object('AnnouncementTold', {
    id: entityId(),
    text: nullable(t.String({ description: 'Null if it was withdrawn or has expired' })),
    until: nullable(time),
    created_at: time,
  }),
  typing: object('Typing', { chat_id: entityId(), user_id: entityId() }),
  session_ended: object('SessionEnded', { reason: oneOf(endReasons, 'EndReason') }),
  pong: object('Pong', {}),
  maintenance: object('MaintenanceState', {
    on: t.Boolean(),
    text: nullable(t.String({ description: 'What the operator tells people; null when it is over' })),
  }),
  auth: object('TokenAccepted', { expires_in: Type.Integer({ description: 'Seconds' }) }),
  error: object('FrameRefused', {
    code: t.String({ documented: { title: 'ProblemCode', enum: problemCodes } }),
    detail: t.String({ description: 'For people' }),
  }),
}

/** The ephemeral events that answer a frame of the client, and repeat its `cid`. */
const answers = new Set(['pong', 'auth', 'error'])

type DataOf<T extends Record<string, TSchema>> = { [K in keyof T]: Static<T[K]> }

export type ViewedData = DataOf<typeof viewed>
export type ViewedType = keyof ViewedData
export type StoredData = DataOf<typeof stored>
export type DurableData = ViewedData & StoredData
export type DurableType = keyof DurableData
export type EphemeralData = DataOf<typeof ephemeral>
export type EphemeralType = keyof EphemeralData

/** A durable event as sockets and `GET /sync` show it. `at` is ISO 8601. */
export type Event = {
  [T in DurableType]: {
    type: T
    seq: number
    at: string
    data: DurableData[T] | (T extends ViewedType ? Static<typeof gone> : never)
  }
}[DurableType]

const titleOf = (type: string) =>
  `Event${type.replace(/(^|_)([a-z])/g, (_match, _gap, letter: string) => letter.toUpperCase())}`

/** Each durable event, for the documents. */
export const documentedEvents = [
  ...Object.entries(viewed).map(([type, data]) => ({ type, data: t.Union([data, gone]) })),
  ...Object.entries(stored).map(([type, data]) => ({ type, data })),
].map(({ type, data }) => object(titleOf(type), { type: t.Literal(type), seq: Type.Integer(), at: time, data }))

/** A client's name for its frame, which the answer repeats. */
export const cid = t.Union([t.String({ maxLength: 64 }), t.Number()], {
  description: 'Of the frame that this answers, if it had one',
})

/** Each ephemeral event, for the documents. */
export const ephemeralEvents = Object.entries(ephemeral).map(([type, data]) =>
  object(titleOf(type), {
    type: t.Literal(type),
    ...(answers.has(type) && { cid: t.Optional(cid) }),
    at: time,
    data,
  }),
)

/** Any durable event, told apart by `type`. */
export const documentedEvent = {
  title: 'Event',
  oneOf: documentedEvents,
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(
      documentedEvents.map(({ title, properties }) => [properties.type.const, `#/components/schemas/${title}`]),
    ),
  },
}

/** A durable event of one user, after the commit. If `data` is undefined, it is read from storage. */
export type DurableEvent = {
  user_id: string
  seq: number
  type: DurableType
  at: number
  data: DurableData[DurableType] | undefined
}

/** Sends stored events to sockets, after the commit. A socket that misses one finds it in storage. */
export type Push = {
  /**
   * Sends an event to the sockets of these users, in this order, and tells the other nodes about it. `dataFor` is called
   * only for users who have a socket on this node.
   */
  event<T extends DurableType>(
    type: T,
    at: number,
    numbers: readonly { user_id: string; seq: number }[],
    dataFor: (userId: string) => DurableData[T] | undefined,
  ): void
  /** Whether a user has a socket on this node, so that data is worth building. */
  isConnected(userId: string): boolean
}

/** Closes sockets that are no longer allowed to be open, on every node. */
export type SocketControl = {
  /** Tells the sockets of a user's session why it ended, and closes them (4401). */
  endSession(userId: string, sessionId: string, reason: EndReason): void
  /** Tells all sockets of a user why their sessions ended, and closes them (4401). */
  end(userId: string, reason: EndReason): void
  /** The same for a user who is suspended (4403). */
  suspend(userId: string): void
  /** Closes all sockets of a user who must consent again before opening a new one (4401). The sessions stay. */
  awaitConsent(userId: string): void
}
