import { and, eq, isNull } from 'drizzle-orm'
import { emptiedPreferences, emptiedProfile } from '../../features/moderation/rules.ts'
import type { Message } from '../../features/chats/store.ts'
import type { Decision } from '../../features/moderation/store.ts'
import { type Builders, changed, type Engine, first, type Work } from './engine.ts'
import { removeMessage } from './messages.ts'
import { recountStats } from './reviews.ts'

type Content = NonNullable<Decision['remove']>
type Removed = { message: Message | null; members: string[]; photos: string[] }
// What `foldedPreferences` returns for empty preferences.
const nothingFolded = { folded: '[]', folded_of: '[][][]' }
export const nothing: Removed = { message: null, members: [], photos: [] }

/** The people whom a removal concerns. */
export function* peopleOf(
  { tables }: Engine,
  db: Builders,
  { target, id }: Pick<Content, 'target' | 'id'>,
): Work<string[]> {
  const { chats, heldMessages, messages, reviews } = tables
  switch (target) {
    case 'message': {
      const { user_a, user_b } = chats
      const ofMessage = db.select({ user_a, user_b }).from(messages).innerJoin(chats, eq(chats.id, messages.chat_id))
      const ofHeld = db
        .select({ user_a, user_b })
        .from(heldMessages)
        .innerJoin(chats, eq(chats.id, heldMessages.chat_id))
      const members = yield* first(ofMessage.where(eq(messages.id, id)).unionAll(ofHeld.where(eq(heldMessages.id, id))))
      return members === null ? [] : [members.user_a, members.user_b]
    }
    case 'review': {
      const review = yield* first(db.select({ of: reviews.reviewed_id }).from(reviews).where(eq(reviews.id, id)))
      return review === null ? [] : [review.of]
    }
    case 'user':
      return [id]
  }
}

/** Removes the content that still exists. The accounts that it concerns must be locked. */
export function* removeContent(
  engine: Engine,
  db: Builders,
  { target, id, name }: Content,
  at: number,
  living: ReadonlySet<string>,
): Work<Removed> {
  const { preferences, reviews, users } = engine.tables
  switch (target) {
    case 'message': {
      const removed = yield* removeMessage(engine, db, id, at)
      if (removed === null) return nothing
      const { before, message, members } = removed
      return { message, members, photos: before.photo_id === null ? [] : [before.photo_id] }
    }
    case 'review': {
      const removed = yield* first(db.delete(reviews).where(eq(reviews.id, id)).returning())
      if (removed && living.has(removed.reviewed_id)) yield* recountStats(engine, db, removed.reviewed_id)
      return nothing
    }
    case 'user': {
      const living = and(eq(users.id, id), isNull(users.deleted_at))
      const before = yield* first(db.select({ photo: users.photo }).from(users).where(living))
      if (before === null) return nothing
      yield* engine.reindexTraits(id, function* () {
        const profile = { ...emptiedProfile(name), updated_at: at }
        yield* changed(db.update(users).set(profile).where(living))
        const emptied = { ...emptiedPreferences, ...nothingFolded }
        yield* changed(db.update(preferences).set(emptied).where(eq(preferences.user_id, id)))
      })
      return { ...nothing, photos: before.photo === null ? [] : [before.photo] }
    }
  }
}
