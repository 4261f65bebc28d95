import { iso, isoOrNull } from '../../lib/time.ts'
import type { Presence } from '../../realtime/presence.ts'
import type { Shown } from '../../realtime/replay.ts'
import type { Profiles, PublicProfile } from '../profile/service.ts'
import type { Blocking } from '../safety/blocking.ts'
import { contentView } from './content.ts'
import { otherOf } from './membership.ts'
import { tombstone } from './rules.ts'
import type { ChatEntry, ChatStore, Message } from './store.ts'

export type ChatViews = ReturnType<typeof openChatViews>

type Deps = {
  store: Pick<ChatStore, 'entries' | 'messages'>
  profiles: Pick<Profiles, 'byIds'>
  blocking: Pick<Blocking, 'among'>
  photos: {
    /** URLs that serve the image, and its thumbnail, as long as the message shows it. */
    messagePhoto(imageId: string, messageId: string): { url: string; thumb_url: string }
  }
  presence: Presence
  now: () => number
}

/** Chats and messages as their members see them. */
export function openChatViews({ store, profiles, blocking, photos, presence, now }: Deps) {
  function photoOf({ id, photo_id, photo_width, photo_height, photo_placeholder }: Message) {
    if (photo_id === null || photo_width === null || photo_height === null || photo_placeholder === null) return null
    return {
      id: photo_id,
      ...photos.messagePhoto(photo_id, id),
      width: photo_width,
      height: photo_height,
      placeholder: photo_placeholder,
    }
  }

  /** The message as a member sees it. Only the sender sees the `client_id`. */
  function message(message: Message, viewerId: string) {
    const visible = message.deleted_at === null ? message : tombstone(message, message.deleted_at)
    return {
      id: message.id,
      chat_id: message.chat_id,
      sender_id: message.sender_id,
      ...contentView(visible),
      photo: photoOf(visible),
      read: message.read_at !== null,
      read_at: isoOrNull(message.read_at),
      edited: message.edited_at !== null,
      edited_at: isoOrNull(message.edited_at),
      deleted: message.deleted_at !== null,
      created_at: iso(message.created_at),
      client_id: message.sender_id === viewerId ? message.client_id : null,
      // Evidence that is older than this field lacks it.
      caution: message.sender_id !== viewerId ? (visible.caution ?? null) : null,
    }
  }

  /** Chats as a member sees them: four queries, however many there are. */
  async function chats(viewerId: string, entries: readonly ChatEntry[]) {
    const others = entries.map(({ chat }) => otherOf(chat, viewerId))
    const [people, hidden, seen] = await Promise.all([
      profiles.byIds(others),
      blocking.among(viewerId, others),
      presence.of(entries.filter(({ both_wrote }) => both_wrote).map(({ chat }) => otherOf(chat, viewerId))),
    ])
    return entries.map(({ chat, last_message, unread_count, muted_until }) => {
      const person = people.get(otherOf(chat, viewerId))
      if (!person) throw new Error('a chat whose other member has no row')
      const shown = hidden.has(person.id) || person.name === null ? undefined : seen.get(person.id)
      return {
        id: chat.id,
        user: hidden.has(person.id) ? nameOnly(person) : person,
        online: shown?.online ?? false,
        last_seen_at: isoOrNull(shown?.last_seen_at ?? null),
        muted_until: isoOrNull(muted_until !== null && muted_until > now() ? muted_until : null),
        last_msg_at: isoOrNull(chat.last_msg_at),
        last_message: last_message && message(last_message, viewerId),
        unread_count: hidden.has(person.id) ? 0 : unread_count,
        created_at: iso(chat.created_at),
      }
    })
  }

  /** Some of a user's chats as they are now, by id. */
  async function chatsOf(viewerId: string, chatIds: readonly string[]) {
    const shown = await chats(viewerId, await store.entries(viewerId, chatIds))
    return new Map(shown.map((chat) => [chat.id, chat]))
  }

  return {
    message,
    chats,
    chatsOf,

    /** One of a user's chats as it is now. The caller has checked that the user is in it. */
    async chat(viewerId: string, chatId: string) {
      const chat = (await chatsOf(viewerId, [chatId])).get(chatId)
      if (!chat) throw new Error('the viewer is not in this chat')
      return chat
    },

    /** Messages as they are now, each for its viewer, for events. */
    async messagesForEvents(shown: readonly Shown[]) {
      const messages = await store.messages([...new Set(shown.map(({ ref }) => ref))])
      const byId = new Map(messages.map((message) => [message.id, message]))
      return shown.map(({ viewer_id, ref }) => {
        const found = byId.get(ref)
        // Only its sender has events about a held message; this check is a second line of defence.
        return found && (found.held !== true || found.sender_id === viewer_id) ? message(found, viewer_id) : undefined
      })
    },

    /** Chats as they are now, each for its viewer, for events. */
    async chatsForEvents(shown: readonly Shown[]) {
      const byViewer = new Map(
        await Promise.all(
          [...Map.groupBy(shown, ({ viewer_id }) => viewer_id)].map(
            async ([viewerId, ofViewer]) =>
              [viewerId, await chatsOf(viewerId, [...new Set(ofViewer.map(({ ref }) => ref))])] as const,
          ),
        ),
      )
      return shown.map(({ viewer_id, ref }) => byViewer.get(viewer_id)?.get(ref))
    },
  }
}

/** What remains visible of the other member across a block: the name, so that the chat's history stays readable. */
const nameOnly = ({
  id,
  name,
}: PublicProfile): Omit<PublicProfile, 'language' | 'created_at'> & { language: null; created_at: null } => ({
  id,
  name,
  city: null,
  bio: null,
  gender: null,
  age: null,
  photo: null,
  photo_thumb: null,
  drinks: [],
  activities: [],
  purposes: [],
  language: null,
  rating_avg: null,
  reviews_count: 0,
  created_at: null,
})
