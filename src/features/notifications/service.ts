import type { Ids } from '../../lib/ids.ts'
import type { Page, Paging } from '../../lib/paging.ts'
import type { Limits } from '../../lib/rate-limits.ts'
import { invalid, Refusal } from '../../lib/refusal.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import { isDeviceToken } from '../../outbox/apns/device-token.ts'
import { readUnsubscribeToken } from '../../outbox/mail/links.ts'
import type { ChannelKind, ChannelTargets } from '../../outbox/push.ts'
import type { Kind, OutboxStore } from '../../outbox/store.ts'
import { type Caller, forever } from '../auth/callers.ts'
import type { Client } from '../auth/consents.ts'
import { notSignedIn } from '../auth/tokens.ts'
import type { Membership } from '../chats/membership.ts'
import type { ChatViews } from '../chats/views.ts'
import { lastingAt, laneOf } from './carriers.ts'
import type { Providers } from './providers.ts'
import {
  channelsOfUser,
  isTimeZone,
  minutesOf,
  type NotificationPreferences,
  type PreferencesChange,
  type Quiet,
  tagOf,
  timeOf,
} from './rules.ts'
import type { Channel, NotificationStore } from './store.ts'

export type Notifications = ReturnType<typeof notificationService>

type NewChannel =
  { kind: 'webpush'; subscription: unknown } | { kind: 'fcm' | 'apns'; token: string } | { kind: 'telegram' }

type AskedPreferences = Omit<PreferencesChange, 'quiet'> & { quiet?: AskedQuiet | null }
type AskedQuiet = { from: string; to: string; time_zone: string }

type Deps = {
  store: NotificationStore
  outbox: Pick<OutboxStore, 'add'>
  membership: Membership
  chats: Pick<ChatViews, 'chat'>
  providers: Providers
  limits: Pick<Limits, 'take'>
  paging: Pick<Paging, 'pageOfAll'>
  /** Derives the tokens of links in mails. */
  linkKey: Uint8Array
  wake(kind: Kind): void
  ids: Ids
  now: () => number
}

const noSuchChannel = () => new Refusal('not_found', 'There is no such channel.')

/** Preferences, muted chats and the channels of users. */
export function notificationService(deps: Deps) {
  const { store, outbox, membership, chats, providers, limits, paging, linkKey, wake, ids, now } = deps

  const preferencesView = ({ quiet, ...chosen }: NotificationPreferences) => ({
    ...chosen,
    quiet: quiet && { from: timeOf(quiet.from), to: timeOf(quiet.to), time_zone: quiet.time_zone },
  })

  const channelView = ({ id, kind, label, created_at, last_delivered_at, failing_since }: Channel) => ({
    id,
    kind,
    label,
    created_at: iso(created_at),
    last_delivered_at: isoOrNull(last_delivered_at),
    failing_since: isoOrNull(failing_since),
  })

  const channelsOf = (userId: string) => store.channels(userId, lastingAt(now()))

  async function targetOf(caller: Caller, asked: NewChannel): Promise<ChannelTargets[ChannelKind]> {
    switch (asked.kind) {
      case 'webpush': {
        const target = providers.readSubscription(asked.subscription)
        if ('problem' in target) throw invalid('/subscription', target.problem, 'format')
        return target
      }
      case 'apns':
        if (!isDeviceToken(asked.token)) throw invalid('/token', 'Expected the device token as hexadecimal', 'format')
        // Apps write the same token in either case, and a device must have one channel only.
        return { token: asked.token.toLowerCase(), since: now() }
      case 'fcm':
        return { token: asked.token }
      case 'telegram': {
        const messenger_id = (await store.account(caller.id))?.messenger_id ?? null
        if (messenger_id === null)
          throw new Refusal(
            'conflict',
            'This account has no messenger: connect it first, with /me/identities/messenger.',
          )
        if (!(await providers.botMayWriteTo(caller.id, messenger_id)))
          throw new Refusal('conflict', 'The bot may not write to this account: start it in the messenger first.')
        return { messenger_id }
      }
    }
  }

  return {
    preferences: async (caller: Caller) => preferencesView(await store.preferences(caller.id)),

    /** Absent fields keep their values. */
    async savePreferences(caller: Caller, { quiet, ...change }: AskedPreferences) {
      const saved = await store.savePreferences(caller.id, { ...change, quiet: quiet && quietOf(quiet) })
      if (saved === null) throw notSignedIn()
      return preferencesView(saved)
    },

    /** Mutes a chat until a time or `forever`; null unmutes it. */
    async mute(caller: Caller, chatId: string, until: string | null) {
      const chat = await membership.chatOf(caller, chatId)
      const end = until === null ? null : until === 'forever' ? forever : Date.parse(until)
      if (end !== null && !(end > now()))
        throw invalid('/until', 'Expected a time in the future, forever, or null', 'out_of_range')
      await store.mute(chat.id, caller.id, end === null ? null : Math.min(end, forever))
      return chats.chat(caller.id, chat.id)
    },

    async channels(caller: Caller, page: Page) {
      return paging.pageOfAll('channels', await channelsOf(caller.id), page, channelView)
    },

    /** Adds the device of this session. A known device gets the same channel again, with `created` false. */
    async addChannel(caller: Caller, asked: NewChannel, client: Client) {
      const { kind } = asked
      if (providers.senders[kind] === undefined)
        throw new Refusal('provider_not_configured', `This server sends no notifications by ${kind}.`)
      const target = await targetOf(caller, asked)
      const added = await store.addChannel(
        {
          ...{ id: ids.next(), user_id: caller.id, session_id: caller.session_id, kind, target },
          target_hash: hashOfTarget(kind, target),
          label: labelOf(kind, client),
          ...{ created_at: now(), last_delivered_at: null, failing_since: null },
        },
        lastingAt(now()),
        channelsOfUser,
      )
      if (added === 'no_session') throw notSignedIn()
      if (added === 'too_many')
        throw new Refusal('conflict', `An account has ${channelsOfUser} channels at most: remove one.`)
      return { channel: channelView(added.channel), created: added.created }
    },

    async removeChannel(caller: Caller, id: string): Promise<void> {
      if (!(await store.removeChannel(id, caller.id))) throw noSuchChannel()
    },

    /** Sends a test to a channel at once, regardless of the preferences. 3 an hour. */
    async testChannel(caller: Caller, id: string): Promise<void> {
      const channel = (await channelsOf(caller.id)).find((own) => own.id === id)
      if (channel === undefined) throw noSuchChannel()
      if (providers.senders[channel.kind] === undefined)
        throw new Refusal('provider_not_configured', `This server sends no notifications by ${channel.kind} any more.`)
      await limits.take('channel_test', caller.id)
      const at = now()
      const payload = { about: 'test' as const, channel_id: id }
      const slot = `${id} ${tagOf(payload)}`
      const { kind } = channel
      const lane = laneOf(channel)
      await outbox.add([{ id: ids.next(), kind, user_id: caller.id, payload, created_at: at, due_at: at, slot, lane }])
      wake(kind)
    },

    /** The keys that a client needs to register a device. */
    async keys() {
      const { senders, vapidPublicKey, botName } = providers
      return {
        webpush: senders.webpush ? vapidPublicKey : null,
        fcm: senders.fcm !== undefined,
        apns: senders.apns !== undefined,
        telegram: senders.telegram ? await botName() : null,
      }
    },

    /** Ends the digest by the link of a mail. Repeating it changes nothing. Refuses with 401 `link_invalid`. */
    async unsubscribe(token: string): Promise<void> {
      const userId = readUnsubscribeToken(linkKey, token)
      if (userId === null) throw new Refusal('link_invalid', 'This link is not complete: use that of the mail.')
      await store.endDigest(userId)
    },

    /** Everything stored about a user, for the export. Without the addresses of devices, which would allow sending to them. */
    async holdings(userId: string) {
      const [preferences, own, mutes] = await Promise.all([
        store.preferences(userId),
        store.channelsStored(userId),
        store.mutes(userId),
      ])
      return {
        preferences: preferencesView(preferences),
        channels: own.map(channelView),
        mutes: mutes.map(({ chat_id, until }) => ({ chat_id, muted_until: iso(until) })),
      }
    },
  }
}

function quietOf(asked: AskedQuiet): Quiet {
  const [from, to] = [minutesOf(asked.from), minutesOf(asked.to)]
  if (from === null) throw invalid('/quiet/from', 'Expected a time of the day, such as 22:00', 'format')
  if (to === null) throw invalid('/quiet/to', 'Expected a time of the day, such as 08:00', 'format')
  if (from === to) throw invalid('/quiet/to', 'Expected another time than from', 'not_allowed')
  if (!isTimeZone(asked.time_zone))
    throw invalid('/quiet/time_zone', 'Expected a time zone of the IANA database, such as Europe/Berlin', 'unknown')
  return { from, to, time_zone: asked.time_zone }
}

function hashOfTarget(kind: ChannelKind, target: ChannelTargets[ChannelKind]): string {
  const address = 'endpoint' in target ? target.endpoint : 'token' in target ? target.token : target.messenger_id
  return new Bun.CryptoHasher('sha256').update(`${kind}\0${address}`).digest('hex')
}

const names: Record<ChannelKind, string> = { webpush: 'Browser', fcm: 'Android', apns: 'iOS', telegram: 'Telegram' }

const labelOf = (kind: ChannelKind, { user_agent }: Pick<Client, 'user_agent'>): string =>
  kind === 'telegram' || user_agent === null ? names[kind] : user_agent.slice(0, 200)
