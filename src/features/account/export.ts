import { isUnfetched, uprightHash } from '../media/rules.ts'
import { chunks } from '../../lib/chunks.ts'
import type { Page } from '../../lib/paging.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import type { AuditEntry, AuditStore } from '../audit/store.ts'
import type { Caller } from '../auth/callers.ts'
import type { Consent, Session } from '../auth/store.ts'
import type { BotStore } from '../bot/store.ts'
import type { ChatViews } from '../chats/views.ts'
import type { ChatStore, Message } from '../chats/store.ts'
import type { OutboxStore, Parcel } from '../../outbox/store.ts'
import type { EmailStore } from '../email/store.ts'
import type { IdentityStore } from '../identities/store.ts'
import type { PasskeyStore } from '../passkeys/store.ts'
import type { LastSeenStore } from '../../realtime/store.ts'
import type { LocationStore } from '../location/store.ts'
import type { Media } from '../media/service.ts'
import type { Notices } from '../moderation/notices.ts'
import type { Notifications } from '../notifications/service.ts'
import type { Profiles } from '../profile/service.ts'
import type { UserStore } from '../profile/store.ts'
import { type Reviews, reviewView } from '../reviews/service.ts'
import type { Safety } from '../safety/service.ts'
import type { HoldingsStore, OwnImage } from './store.ts'
import { batches } from '../../lib/batches.ts'

export type Exporter = ReturnType<typeof openExporter>

type Deps = {
  store: HoldingsStore
  auditLog: Pick<AuditStore, 'list'>
  messages: Pick<ChatStore, 'after'>
  locations: Pick<LocationStore, 'of'>
  lastSeen: Pick<LastSeenStore, 'of'>
  emails: Pick<EmailStore, 'linksOf'>
  identities: Pick<IdentityStore, 'ofUser'>
  outbox: Pick<OutboxStore, 'ofUser'>
  bot: Pick<BotStore, 'ofUser'>
  passkeys: Pick<PasskeyStore, 'ofUser'>
  profiles: Pick<Profiles, 'me' | 'preferences' | 'byIds'>
  users: Pick<UserStore, 'byId'>
  chats: Pick<ChatViews, 'message'>
  media: Pick<Media, 'ownImage'>
  safety: Pick<Safety, 'blocks' | 'reports'>
  notices: Pick<Notices, 'withStrikes' | 'appeals'>
  notifications: Pick<Notifications, 'holdings'>
  reviews: Pick<Reviews, 'ofUser'>
  now: () => number
}

const batch = 200

/** Streams everything that is stored about a user: a chat may have a hundred thousand messages. */
export function openExporter(deps: Deps) {
  const {
    store,
    auditLog,
    messages,
    locations,
    lastSeen,
    emails,
    identities,
    outbox,
    bot,
    passkeys,
    profiles,
    users,
    chats,
    media,
    safety,
    notices,
    notifications,
    reviews,
    now,
  } = deps

  const consentView = ({ id: _, user_id: __, recorded_at, ...consent }: Consent) => ({
    ...consent,
    recorded_at: iso(recorded_at),
  })
  const sessionView = ({ id, user_agent, created_at, last_used_at, ended_at, passkey_at }: Session) => ({
    id,
    user_agent,
    created_at: iso(created_at),
    last_used_at: iso(last_used_at),
    ended_at: isoOrNull(ended_at),
    passkey_at: isoOrNull(passkey_at),
  })
  const imageView = ({ created_at, hashes, ...image }: OwnImage) => ({
    ...image,
    hash: hashes == null ? null : uprightHash(hashes),
    ...media.ownImage(image.id),
    created_at: iso(created_at),
  })
  // Without subject and metadata, which may concern other people.
  const actionView = ({ at, action }: AuditEntry) => ({ at: iso(at), action })

  /** The profile shows this photo to nobody, not even its owner. */
  async function messengerPhotoOf(userId: string) {
    const photo = (await users.byId(userId))?.photo ?? null
    return photo !== null && isUnfetched(photo) ? photo : null
  }

  async function locationOf(userId: string) {
    const { published, visible, updated_at } = await locations.of(userId)
    return {
      latitude: published && published.latitude,
      longitude: published && published.longitude,
      visible,
      updated_at: isoOrNull(updated_at),
      // Only the count: the codes would tell the holder of a stolen token which place the user returns to most.
      recognised_places: await store.places(userId),
    }
  }

  const mailsAmong = (parcels: readonly Parcel[]) =>
    parcels.flatMap(({ payload, created_at }) =>
      'to' in payload ? [{ about: payload.about, to: payload.to, created_at: iso(created_at) }] : [],
    )
  const notificationsAmong = (parcels: readonly Parcel[]) =>
    parcels.flatMap(({ kind, payload, created_at }) =>
      'to' in payload || !('about' in payload) ? [] : [{ by: kind, about: payload.about, created_at: iso(created_at) }],
    )

  async function notificationsOf(userId: string) {
    const { channels, preferences, mutes } = await notifications.holdings(userId)
    return { preferences, channels, muted_chats: mutes }
  }

  async function botPermissionOf(userId: string) {
    const stored = await bot.ofUser(userId)
    return stored && { ...stored, changed_at: iso(stored.changed_at) }
  }

  async function* messagesOf(caller: Caller, chatId: string) {
    const read = (last: Message | null) => messages.after(chatId, last?.seq ?? 0, batch, caller.id)
    for await (const rows of batches(batch, read)) {
      const own = rows.filter(({ sender_id }) => sender_id === caller.id).map(({ id }) => id)
      const versions = Map.groupBy(await store.versions(own), ({ message_id }) => message_id)
      for (const row of rows)
        yield {
          ...chats.message(row, caller.id),
          earlier_versions: (versions.get(row.id) ?? []).map(({ text, at }) => ({ text, until: iso(at) })),
        }
    }
  }

  /** Shows only the name of a chat's other member, blocked or not. */
  async function* chatsOf(caller: Caller): AsyncGenerator<string> {
    const all = await store.chats(caller.id)
    for (let i = 0; i < all.length; i += batch) {
      const some = all.slice(i, i + batch)
      const people = await profiles.byIds(some.map(({ other_id }) => other_id))
      for (const [j, { id, other_id, created_at }] of some.entries()) {
        const user = { id: other_id, name: people.get(other_id)?.name ?? null }
        const head = JSON.stringify({ id, user, created_at: iso(created_at) })
        yield `${i + j === 0 ? '' : ','}${head.slice(0, -1)},"messages":`
        yield* array(messagesOf(caller, id))
        yield '}'
      }
    }
  }

  async function* document(caller: Caller): AsyncGenerator<string> {
    const { id } = caller
    const waiting = await outbox.ofUser(id)
    const single: Record<string, () => unknown> = {
      account: () => profiles.me(id),
      messenger_photo_url: () => messengerPhotoOf(id),
      preferences: () => profiles.preferences(caller),
      location: () => locationOf(id),
      last_seen_at: async () => isoOrNull((await lastSeen.of([id])).get(id) ?? null),
      identities: async () =>
        (await identities.ofUser(id)).map(({ created_at, last_used_at, ...identity }) => ({
          ...identity,
          created_at: iso(created_at),
          last_used_at: isoOrNull(last_used_at),
        })),
      email_links: async () =>
        (await emails.linksOf(id)).map(({ expires_at, ...link }) => ({ ...link, expires_at: iso(expires_at) })),
      mails_waiting: () => mailsAmong(waiting),
      notifications_waiting: () => notificationsAmong(waiting),
      notifications: () => notificationsOf(id),
      bot: () => botPermissionOf(id),
      passkeys: async () =>
        (await passkeys.ofUser(id)).map(({ user_id: _, created_at, last_used_at, ...passkey }) => ({
          ...passkey,
          created_at: iso(created_at),
          last_used_at: isoOrNull(last_used_at),
        })),
      reviews_written: async () => (await store.reviewsBy(id)).map(reviewView),
    }
    yield `{"exported_at":${JSON.stringify(iso(now()))}`
    for (const [name, read] of Object.entries(single)) yield `,"${name}":${JSON.stringify(await read())}`
    const lists: Record<string, AsyncIterable<unknown>> = {
      reviews_received: pages((page) => reviews.ofUser(caller, id, page)),
      blocks: pages((page) => safety.blocks(caller, page)),
      reports: pages((page) => safety.reports(caller, page)),
      notices: pages((page) => notices.withStrikes(caller, page)),
      appeals: pages((page) => notices.appeals(caller, page)),
      consents: rows((last) => store.consents(id, batch, last), consentView),
      sessions: rows((last) => store.sessions(id, batch, last), sessionView),
      images: rows((last) => store.images(id, batch, last), imageView),
      actions: rows((last) => auditLog.list({ actor_id: id }, batch, last), actionView),
    }
    for (const [name, items] of Object.entries(lists)) {
      yield `,"${name}":`
      yield* array(items)
    }
    yield ',"chats":['
    yield* chatsOf(caller)
    yield ']}'
  }

  return {
    /** The document as JSON in UTF-8. At most a few chunks are read ahead of the client. */
    export: (caller: Caller) => chunks(document(caller)),
  }
}

async function* array(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let separator = '['
  for await (const item of items) {
    yield separator + JSON.stringify(item)
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

/** The items of all pages of a list. */
async function* pages<Item>(read: (page: Page) => Promise<{ items: Item[]; next_cursor: string | null }>) {
  for (let cursor: string | undefined; ;) {
    const page = await read({ limit: 100, cursor })
    yield* page.items
    if (page.next_cursor === null) return
    cursor = page.next_cursor
  }
}

async function* rows<Row>(read: (last: Row | null) => Promise<Row[]>, view: (row: Row) => unknown) {
  for await (const found of batches(batch, read)) yield* found.map(view)
}
