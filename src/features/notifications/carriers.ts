import { type Carrier, type Carriers, patienceOf, type NotSent, TryLater } from '../../outbox/carrier.ts'
import {
  ChannelGone,
  type ChannelKind,
  channelKinds,
  type ChannelTargets,
  type Notification,
  type PushSender,
  type PushSenders,
} from '../../outbox/push.ts'
import type { Kind, NewParcel, OutboxStore, Parcel, Payloads } from '../../outbox/store.ts'
import { laneOfEndpoint } from '../../outbox/lanes.ts'
import type { Ids } from '../../lib/ids.ts'
import { sessionLifetime } from '../auth/rules.ts'
import type { Moments } from './moments.ts'
import { reportsEveryMs, tagOf } from './rules.ts'
import type { Channel, Lasting, NotificationStore } from './store.ts'

type Deps = {
  store: NotificationStore
  outbox: Pick<OutboxStore, 'replace'>
  moments: Moments
  senders: PushSenders
  /** The id of this process. */
  node: string
  wake(kind: Kind): void
  ids: Ids
  now: () => number
}

// A decision takes some reads of the database.
const decisionsAtOnce = 16

export const lastingAt = (now: number): Lasting => ({
  began: now - sessionLifetime.longest,
  lastUsed: now - sessionLifetime.idle,
})

/** Browsers use the push services of many vendors. */
export const laneOf = ({ kind, target }: Pick<Channel, 'kind' | 'target'>): string | null =>
  kind === 'webpush' && 'endpoint' in target ? laneOfEndpoint(target.endpoint) : null

/**
 * A notification is sent in two steps. The first, when it is due, decides whether there is anything to show and makes a parcel
 * for each device. The second decides again for each device and sends. So a provider that is down delays no other, and a device
 * only gets what its user may read at that moment.
 */
export function notificationCarriers({ store, outbox, moments, senders, node, wake, ids, now }: Deps): Carriers {
  /** The parcels for all devices of a user or, unless `isShown`, for those that show something to take back. */
  async function parcelsFor(parcel: Parcel<'notification'>, isShown: boolean): Promise<NewParcel[]> {
    const { user_id, payload } = parcel
    if (user_id === null) return []
    const channels = await store.channels(user_id, lastingAt(now()))
    const shown = await store.shownFor(user_id, tagOf(payload))
    const showing = new Set(shown.map(({ channel_id }) => channel_id))
    return channels.flatMap((channel) => {
      const { id, kind } = channel
      if (senders[kind] === undefined || (!isShown && !showing.has(id))) return []
      // The bot reminds moderators of reports itself.
      if (kind === 'telegram' && payload.about === 'report') return []
      return parcelOf(channel, payload)
    })
  }

  function parcelOf(
    channel: Pick<Channel, 'id' | 'user_id' | 'kind' | 'target'>,
    occasion: Parcel<'notification'>['payload'] | { about: 'test' },
  ): NewParcel {
    const at = now()
    return {
      id: ids.random(),
      kind: channel.kind,
      user_id: channel.user_id,
      payload: { ...occasion, channel_id: channel.id },
      created_at: at,
      due_at: at,
      slot: `${channel.id} ${tagOf(occasion)}`,
      lane: laneOf(channel),
    }
  }

  const decider: Carrier<'notification'> = {
    atOnce: decisionsAtOnce,
    patienceMs: patienceOf.notification,
    async deliver(parcel): Promise<NotSent | 'replaced'> {
      const { user_id, payload } = parcel
      const found = user_id === null ? null : await moments.of(user_id, payload)
      if (user_id === null || found === null || found.verdict === 'leave') return 'withheld'
      if (payload.about === 'report' && found.verdict !== 'take_back') {
        const last = Math.max(0, ...(await store.shownFor(user_id, tagOf(payload))).map(({ at }) => at))
        if (last + reportsEveryMs > now()) return { dueAt: last + reportsEveryMs }
      }
      const parcels = await parcelsFor(parcel, found.verdict !== 'take_back')
      if (parcels.length === 0) return 'withheld'
      if (await outbox.replace(parcel.id, node, parcels)) for (const { kind } of parcels) wake(kind)
      return 'replaced'
    },
  }

  const carrierOf = <K extends ChannelKind>(kind: K, sender: PushSender<K>): Carrier<K> => {
    /** Shows a notification, unless the device shows it already with the same content. */
    async function show(channel: Channel<K>, notification: Notification, ref: string): Promise<void | NotSent> {
      const { tag } = notification
      const before = await store.shown(channel.id, tag)
      const { unread: _, ...seen } = notification
      const content_hash = new Bun.CryptoHasher('sha256').update(JSON.stringify(seen)).digest('hex')
      if (before?.ref === ref && before.content_hash === content_hash) return 'withheld'
      const shown = await sender.show(channel.target, notification, before?.shown ?? null)
      const at = now()
      await store.delivered(channel, at, { channel_id: channel.id, tag, ref, content_hash, shown, at })
    }

    async function takeBack(channel: Channel<K>, tag: string): Promise<void | NotSent> {
      const shown = await store.shown(channel.id, tag)
      if (shown === null) return 'withheld'
      await sender.takeBack?.(channel.target, tag, shown.shown)
      await store.forgetShown(channel.id, tag)
      if (sender.takeBack === undefined) return 'withheld'
    }

    async function attempt(channel: Channel<K>, payload: Payloads[ChannelKind]): Promise<void | NotSent> {
      const { channel_id: _, ...occasion } = payload
      if (occasion.about === 'test') {
        const notification = await moments.test(channel.user_id)
        return notification === null ? 'withheld' : show(channel, notification, ids.random())
      }
      const found = await moments.of(channel.user_id, occasion)
      if (found === null || found.verdict === 'leave') return 'withheld'
      if (found.verdict === 'take_back') return takeBack(channel, tagOf(occasion))
      const notSent = await show(channel, await found.render(), found.ref)
      if (notSent !== undefined || sender.takeBack === undefined) return notSent
      // A change during sending could not take it back yet.
      const after = await moments.of(channel.user_id, occasion)
      if (after?.verdict === 'take_back') await takeBack(channel, tagOf(occasion))
    }

    return {
      atOnce: sender.atOnce,
      // If one push service hangs, the others still get half of the places.
      perLane: kind === 'webpush' ? Math.ceil(sender.atOnce / 2) : sender.atOnce,
      patienceMs: patienceOf[kind],
      async deliver({ payload }): Promise<void | NotSent> {
        const channel = await store.channel(payload.channel_id, lastingAt(now()))
        if (channel === null || !isOf(channel, kind)) return 'withheld'
        try {
          if (!(await moments.isOwnMessenger(channel.user_id, kind, channel.target)))
            throw new ChannelGone('the account has another messenger')
          return await attempt(channel, payload)
        } catch (error) {
          if (error instanceof ChannelGone) {
            await store.removeChannel(channel.id)
            return 'withheld'
          }
          // A provider that asks everybody to wait says nothing of this device.
          if (!(error instanceof TryLater && error.isForAll)) await store.failing(channel.id, now())
          throw error
        }
      },
      close: () => sender.close?.(),
    }
  }

  const carriers: Carriers = { notification: decider }
  const add = <K extends ChannelKind>(kind: K) => {
    const sender: PushSender<K> | undefined = senders[kind]
    if (sender) Object.assign(carriers, { [kind]: carrierOf(kind, sender) })
  }
  for (const kind of channelKinds) add(kind)
  return channelKinds.some((kind) => senders[kind]) ? carriers : {}
}

// The kind of a channel determines the type of its target.
const isOf = <K extends ChannelKind>(
  channel: Channel,
  kind: K,
): channel is Channel<K> & { target: ChannelTargets[K] } => channel.kind === kind
