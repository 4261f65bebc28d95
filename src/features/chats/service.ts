import type { Ids } from '../../ids.ts'
import { keyOf, type Page, pageOf } from '../../paging.ts'
import type { Push } from '../../realtime/events.ts'
import type { Shown } from '../../realtime/replay.ts'
import { invalid, Refusal, type RefusalCode } from '../../refusal.ts'
import { isVisible, tidy } from '../../text.ts'
import { iso, isoOrNull } from '../../time.ts'
import type { Caller } from '../auth/callers.ts'
import { noSuchUser, type Profiles, type PublicProfile } from '../profile/service.ts'
import { blocked, type Blocking } from '../safety/blocking.ts'
import { hasLink } from './links.ts'
import type { Chat, ChatEntry, ChatStore, EventNumbers, Message } from './store.ts'

export type Chats = ReturnType<typeof chatService>

/** What chats need of images. */
export type MessagePhotos = {
  /** A URL that serves the image as long as the message shows it. */
  messagePhotoUrl(imageId: string, messageId: string): string
  /** Removes those of the images that nothing shows any more. */
  drop(imageIds: readonly string[]): Promise<void>
}

export type NewText = {
  kind?: 'text' | 'photo' | null
  text?: string | null
  photo?: string | null
  client_id?: string | null
}

type Deps = {
  store: ChatStore
  profiles: Profiles
  blocking: Blocking
  photos: MessagePhotos
  push: Push
  ids: Ids
  now: () => number
  firstContact: 'open' | 'guarded'
}

// Why a message is not stored that may have been stored before, when the same was sent.
const settled: RefusalCode[] = ['blocked', 'awaiting_reply', 'conflict']

// What a stranger may send before the other one answers, where the first contact is guarded.
const textsBeforeReply = 3

// Each edit keeps the text before it, and a report makes evidence of all of them: thousands would hold up the server, and
// the moderators who read them.
const maxEdits = 100

export function chatService({ store, profiles, blocking, photos, push, ids, now, firstContact }: Deps) {
  /** The chat, for its members: 404 where there is none, 403 `not_a_member` for everybody else. */
  async function chatOf(caller: Caller, chatId: string): Promise<Chat> {
    const chat = await store.byId(chatId)
    if (!chat) throw new Refusal('not_found', 'There is no such chat.')
    if (!isMember(chat, caller.id)) throw new Refusal('not_a_member', 'You are not in this chat.')
    return chat
  }

  /** The message and its chat, by the same rule. */
  async function messageOf(caller: Caller, messageId: string): Promise<{ message: Message; chat: Chat }> {
    const message = await store.message(messageId)
    if (!message) throw new Refusal('not_found', 'There is no such message.')
    return { message, chat: await chatOf(caller, message.chat_id) }
  }

  async function ownMessageOf(caller: Caller, messageId: string) {
    const found = await messageOf(caller, messageId)
    if (found.message.sender_id !== caller.id) throw new Refusal('not_the_owner', 'This message is not yours.')
    return found
  }

  /** The message as a member sees it. Only the sender sees the `client_id`. */
  function view(message: Message, viewerId: string) {
    const shown = message.deleted_at === null
    return {
      id: message.id,
      chat_id: message.chat_id,
      sender_id: message.sender_id,
      kind: message.kind,
      text: shown ? message.text : null,
      photo: shown ? photoOf(message) : null,
      read: message.read_at !== null,
      read_at: isoOrNull(message.read_at),
      edited: message.edited_at !== null,
      edited_at: isoOrNull(message.edited_at),
      deleted: !shown,
      created_at: iso(message.created_at),
      client_id: message.sender_id === viewerId ? message.client_id : null,
    }
  }

  function photoOf({ id, photo_id, photo_width, photo_height, photo_placeholder }: Message) {
    if (photo_id === null || photo_width === null) return null
    return {
      id: photo_id,
      url: photos.messagePhotoUrl(photo_id, id),
      width: photo_width,
      height: photo_height!,
      placeholder: photo_placeholder!,
    }
  }

  /** Chats as a member sees them: three queries, however many there are. */
  async function views(viewerId: string, entries: readonly ChatEntry[]) {
    const others = entries.map(({ chat }) => otherOf(chat, viewerId))
    const [people, hidden] = await Promise.all([profiles.byIds(others), blocking.among(viewerId, others)])
    return entries.map(({ chat, last_message, unread_count }, i) => {
      const person = people.get(others[i]!)
      if (!person) throw new Error('a chat with nobody')
      return {
        id: chat.id,
        user: hidden.has(person.id) ? nameOnly(person) : person,
        last_msg_at: isoOrNull(chat.last_msg_at),
        last_message: last_message && view(last_message, viewerId),
        unread_count: hidden.has(person.id) ? 0 : unread_count,
        created_at: iso(chat.created_at),
      }
    })
  }

  /** Hands each member what they see of it. */
  function tell(events: EventNumbers, type: string, at: number, dataFor: (userId: string) => unknown) {
    push.events(
      events.map(({ user_id, seq }) => {
        const data = push.isConnected(user_id) ? dataFor(user_id) : undefined
        return { user_id, seq, type, at, data }
      }),
    )
  }

  /** What a stranger may say before the other one has answered, where the operator guards the first contact. */
  async function guardFirstContact(chat: Chat, otherId: string, kind: 'text' | 'photo', text: string | null) {
    if (firstContact === 'open' || (await store.hasWritten(chat.id, otherId))) return null
    if (kind === 'photo' || hasLink(text ?? '')) throw awaitingReply()
    return textsBeforeReply
  }

  /** Stores a message, unless that `client_id` was used before, and tells both. */
  async function sendNew(caller: Caller, chat: Chat, body: NewText, client_id: string | null) {
    const otherId = otherOf(chat, caller.id)
    const content = contentOf(body)
    const untilReply = await guardFirstContact(chat, otherId, content.kind, content.text)
    const sent = await store.append(
      {
        id: ids.next(),
        chat_id: chat.id,
        sender_id: caller.id,
        ...content,
        client_id,
        created_at: now(),
      },
      otherId,
      untilReply,
    )
    if (sent === 'blocked') throw blocked()
    if (sent === 'awaiting_reply') throw awaitingReply()
    if (sent === 'no_such_photo') throw notYourPhoto()
    if (sent === 'nobody_there') throw new Refusal('conflict', 'The other one’s account is gone.')
    const message = view(sent.message, caller.id)
    tell(sent.events, 'message', sent.message.created_at, (userId) =>
      userId === caller.id ? message : view(sent.message, userId),
    )
    return { message, created: sent.created }
  }

  function contentOf(body: NewText) {
    const kind = body.kind ?? 'text'
    const text = tidy(body.text ?? '') || null
    const photo_id = body.photo ?? null
    if (kind === 'text') {
      if (photo_id !== null) throw invalid('/photo', 'Expected no photo in a text message')
      if (text === null || !isVisible(text)) throw invalid('/text', 'Expected text of 1 to 4000 characters')
      return { kind, text, photo_id: null }
    }
    if (photo_id === null) throw notYourPhoto()
    return { kind, text, photo_id }
  }

  return {
    /** The chat with another user, made where there is none. */
    async ensure(caller: Caller, userId: string) {
      if (userId === caller.id) throw new Refusal('self_not_allowed', 'A chat takes two.')
      const [user_a, user_b] = caller.id < userId ? [caller.id, userId] : [userId, caller.id]
      const existing = await store.ofPair(user_a, user_b)
      if (!existing) {
        const other = (await profiles.byIds([userId])).get(userId)
        if (!other || other.name === null) throw new Refusal('not_found', noSuchUser)
        await blocking.refuseFirstContact(caller.id, userId)
      }
      const at = now()
      const ensured = existing
        ? { chat: existing, created: false, events: [] }
        : await store.ensure({ id: ids.next(), user_a, user_b, created_at: at })
      if (ensured === 'blocked') {
        // It came in between.
        await blocking.refuseFirstContact(caller.id, userId)
        throw blocked()
      }
      const byMember = new Map<string, unknown>()
      for (const { user_id } of ensured.events)
        if (push.isConnected(user_id))
          byMember.set(user_id, (await this.chatsFor(user_id, [ensured.chat.id])).get(ensured.chat.id))
      tell(ensured.events, 'chat', at, (userId) => byMember.get(userId))
      const chat = (await this.chatsFor(caller.id, [ensured.chat.id])).get(ensured.chat.id)!
      return { chat, created: ensured.created }
    },

    async list(caller: Caller, { limit = 30, cursor }: Page) {
      const key = keyOf('chats', cursor, ['number', 'string'])
      const entries = await store.list(caller.id, limit + 1, key && { at: key[0], id: key[1] })
      const shown = await views(caller.id, entries.slice(0, limit))
      const page = pageOf(
        'chats',
        entries,
        limit,
        ({ chat }) => [chat.last_msg_at ?? chat.created_at, chat.id],
        () => null,
      )
      return { items: shown, next_cursor: page.next_cursor }
    },

    async byId(caller: Caller, chatId: string) {
      const chat = await chatOf(caller, chatId)
      return (await this.chatsFor(caller.id, [chat.id])).get(chat.id)!
    },

    /** Newest first; with `after`, what came after that message, oldest first. */
    async messages(caller: Caller, chatId: string, { limit = 30, cursor, after }: Page & { after?: string }) {
      const chat = await chatOf(caller, chatId)
      const show = (message: Message) => view(message, caller.id)
      if (after === undefined) {
        const list = `messages:${chat.id}`
        const from = keyOf(list, cursor, ['number'])?.[0] ?? Number.MAX_SAFE_INTEGER
        return pageOf(list, await store.before(chat.id, from, limit + 1), limit, ({ seq }) => [seq], show)
      }
      const message = await store.message(after)
      if (message?.chat_id !== chat.id) throw new Refusal('not_found', 'There is no such message.')
      const list = `messages-after:${chat.id}`
      const from = keyOf(list, cursor, ['number'])?.[0] ?? message.seq
      return pageOf(list, await store.after(chat.id, from, limit + 1), limit, ({ seq }) => [seq], show)
    },

    /** Sends once per `client_id`: a retry answers the first message, with `created` false, whatever happened since. */
    async send(caller: Caller, chatId: string, body: NewText) {
      const chat = await chatOf(caller, chatId)
      const client_id = tidy(body.client_id ?? '') || null
      try {
        return await sendNew(caller, chat, body, client_id)
      } catch (error) {
        // Or the photo, which goes with its message.
        const isSettled =
          error instanceof Refusal &&
          (settled.includes(error.code) || (body.photo && error.errors?.[0]?.path === '/photo'))
        const first = isSettled && client_id !== null ? await store.byClientId(caller.id, client_id) : null
        if (!first) throw error
        return { message: view(first, caller.id), created: false }
      }
    },

    /**
     * Marks the other one's messages read. Where nothing was unread, nothing changes and nobody is told; nor across a
     * block, where a read mark would tell the one when the other was there.
     */
    async markRead(caller: Caller, chatId: string) {
      const chat = await chatOf(caller, chatId)
      if (await blocking.between(caller.id, otherOf(chat, caller.id))) return { read: 0, read_at: null }
      const at = now()
      const { count, last_read_message_id, events } = await store.markRead(chat, caller.id, at)
      const read_at = count === 0 ? null : iso(at)
      tell(events, 'message_read', at, () => ({
        chat_id: chat.id,
        reader_id: caller.id,
        read_at,
        last_read_message_id,
        count,
      }))
      return { read: count, read_at }
    },

    async edit(caller: Caller, messageId: string, text: string) {
      const { chat, message } = await ownMessageOf(caller, messageId)
      const otherId = otherOf(chat, caller.id)
      await blocking.refuseContact(caller.id, otherId)
      const tidied = tidy(text)
      await guardFirstContact(chat, otherId, message.kind, tidied)
      const at = now()
      const edited = await store.edit(chat, messageId, tidied, at, maxEdits)
      if (!edited) throw new Refusal('message_deleted', 'This message is deleted.')
      if (edited === 'blocked') throw blocked()
      if (edited === 'edited_too_often')
        throw new Refusal('conflict', `A message may be edited ${maxEdits} times: send another one.`)
      tell(edited.events, 'message_edited', at, (userId) => view(edited.message, userId))
      return view(edited.message, caller.id)
    },

    /** Leaves a tombstone. Doing it again changes nothing. */
    async remove(caller: Caller, messageId: string) {
      const { chat } = await ownMessageOf(caller, messageId)
      const at = now()
      const removed = await store.remove(chat, messageId, at)
      if (!removed) return
      tell(removed.events, 'message_deleted', at, (userId) => view(removed.message, userId))
      if (removed.photo_id !== null) await photos.drop([removed.photo_id])
    },

    /** Messages as they are now, each for its viewer, for a replay of events. */
    async messagesFor(shown: readonly Shown[]) {
      const messages = await store.messages([...new Set(shown.map(({ ref }) => ref))])
      const byId = new Map(messages.map((message) => [message.id, message]))
      return shown.map(({ viewer_id, ref }) => {
        const message = byId.get(ref)
        return message && view(message, viewer_id)
      })
    },

    /** Chats as they are now, each for its viewer, for a replay of events. */
    async chatsForEach(shown: readonly Shown[]) {
      const byViewer = new Map(
        await Promise.all(
          [...Map.groupBy(shown, ({ viewer_id }) => viewer_id)].map(
            async ([viewerId, ofViewer]) =>
              [viewerId, await this.chatsFor(viewerId, [...new Set(ofViewer.map(({ ref }) => ref))])] as const,
          ),
        ),
      )
      return shown.map(({ viewer_id, ref }) => byViewer.get(viewer_id)!.get(ref))
    },

    /** Some of a user's chats as they are now, by id. */
    async chatsFor(viewerId: string, chatIds: readonly string[]) {
      const shown = await views(viewerId, await store.entries(viewerId, chatIds))
      return new Map(shown.map((chat) => [chat.id, chat]))
    },

    /** Whom a user's presence concerns: those with whom there is a chat and no block. */
    peers: (userId: string) => store.peers(userId),

    /** Who is to see that a user types in a chat: nobody across a block. A stranger types in none. */
    async typingTo(userId: string, chatId: string): Promise<{ user_id: string } | 'stranger' | null> {
      const chat = await store.byId(chatId)
      if (!chat || !isMember(chat, userId)) return 'stranger'
      const otherId = otherOf(chat, userId)
      return (await blocking.between(userId, otherId)) ? null : { user_id: otherId }
    },

    view,
  }
}

const isMember = (chat: Chat, userId: string) => chat.user_a === userId || chat.user_b === userId
const otherOf = (chat: Chat, userId: string) => (chat.user_a === userId ? chat.user_b : chat.user_a)

const notYourPhoto = () => invalid('/photo', 'Expected the id of an image that you uploaded')

const awaitingReply = () =>
  new Refusal('awaiting_reply', 'Before they answer you may send three text messages, without links or photos.')

/** What is left of somebody where there is a block: they stay recognizable in the chat's history. */
const nameOnly = ({
  id,
  name,
}: PublicProfile): Omit<PublicProfile, 'language' | 'created_at'> & { language: null; created_at: null } => ({
  id,
  name,
  city: null,
  bio: null,
  gender: null,
  photo: null,
  drinks: [],
  activities: [],
  purposes: [],
  language: null,
  rating_avg: null,
  reviews_count: 0,
  created_at: null,
})
