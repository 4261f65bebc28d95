import { messageKinds } from '../../../features/chats/content.ts'
import type { SchemaBuilders } from './columns.ts'

/** What a message has, whether it was delivered or is held back. */
const sent = ({ text, int8 }: SchemaBuilders) => ({
  chat_id: text().notNull(),
  seq: int8().notNull(),
  sender_id: text().notNull(),
  kind: text({ enum: messageKinds }).notNull(),
  text: text(),
  photo_id: text(),
  client_id: text(),
  edited_at: int8(),
  deleted_at: int8(),
  created_at: int8().notNull(),
})

export const chats = (builders: SchemaBuilders) => {
  const { table, text, integer, int8, real, flag, either, key, unique } = builders
  return {
    chats: table(
      'chats',
      {
        id: text().primaryKey().notNull(),
        user_a: text().notNull(),
        user_b: text().notNull(),
        created_at: int8().notNull(),
        last_msg_at: int8(),
        last_seq: int8().notNull().default(0),
        unread_a: int8().notNull().default(0),
        unread_b: int8().notNull().default(0),
        read_to_a: int8().notNull().default(0),
        read_to_b: int8().notNull().default(0),
        wrote_a: flag().notNull().default(false),
        wrote_b: flag().notNull().default(false),
        muted_a: int8(),
        muted_b: int8(),
        held_a: int8().notNull().default(0),
        held_b: int8().notNull().default(0),
        held_at_a: int8().notNull().default(0),
        held_at_b: int8().notNull().default(0),
      },
      (t) => [unique().on(t.user_a, t.user_b)],
    ),

    messages: table(
      'messages',
      {
        id: text().notNull(),
        ...sent(builders),
        read_at: int8(),
        caution: text(),
      },
      (t) => [key(t, ['chat_id', 'seq']), ...either([unique().on(t.id)], [])],
    ),

    heldMessages: table(
      'held_messages',
      {
        id: text().primaryKey().notNull(),
        ...sent(builders),
        caution: text(),
      },
      (t) => [unique().on(t.chat_id, t.seq)],
    ),

    messageVersions: table(
      'message_versions',
      {
        ...either({}, { chat_id: text().notNull() }),
        message_id: text().notNull(),
        at: int8().notNull(),
        text: text().notNull(),
      },
      (t) => [key(t, either(['message_id', 'at'], ['chat_id', 'message_id', 'at']))],
    ),

    reviews: table(
      'reviews',
      {
        id: text().notNull(),
        chat_id: text().notNull(),
        reviewer_id: text(),
        reviewed_id: text().notNull(),
        rating: integer().notNull(),
        anonymous: flag().notNull().default(false),
        text: text(),
        created_at: int8().notNull(),
      },
      (t) => [key(t, either(['id'], ['chat_id'])), ...either([unique().on(t.chat_id)], [])],
    ),

    pendingReviews: table(
      'pending_reviews',
      {
        chat_id: text().notNull(),
        id: text().notNull(),
        reviewer_id: text(),
        reviewed_id: text().notNull(),
        rating: integer().notNull(),
        text: text(),
        created_at: int8().notNull(),
        appears_at: int8().notNull(),
      },
      (t) => [key(t, ['chat_id']), ...either([unique().on(t.id)], [])],
    ),

    userStats: table('user_stats', {
      user_id: text().primaryKey().notNull(),
      rating_avg: real(),
      count: int8().notNull().default(0),
    }),
  }
}
