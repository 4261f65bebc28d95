import type { Logger } from 'pino'
import { type Outbound, OutboundError } from '../../lib/outbound.ts'
import { Refusal } from '../../lib/refusal.ts'
import { seconds } from '../../lib/time.ts'
import { semaphore } from '../../lib/semaphore.ts'
import type { Filter } from '../filter/service.ts'
import type { Verdict } from '../filter/verdicts.ts'
import type { UserStore } from '../profile/store.ts'
import type { Webhooks } from '../webhooks/service.ts'
import { isUnfetched } from './rules.ts'
import type { Media } from './service.ts'

export type MessengerPhotos = ReturnType<typeof messengerPhotos>

type Deps = {
  users: Pick<UserStore, 'byId' | 'replacePhoto'>
  media: Pick<Media, 'upload' | 'drop'>
  filter: Pick<Filter, 'photo' | 'report'>
  webhooks: Webhooks
  outbound: Outbound
  /** The only hosts that photos are fetched from, with their subdomains. */
  hosts: readonly string[]
  log: Logger
  now: () => number
}

const maxBytes = 5 * 1024 * 1024
const timeoutMs = 10 * seconds
// Telegram redirects some photos to another host of its own.
const redirects = 3
const atOnce = 4
const waiting = 100

/** Fetches the photos whose URLs init data contains, so that viewers of a profile contact only this server. */
export function messengerPhotos({ users, media, filter, webhooks, outbound, hosts, log, now }: Deps) {
  const underWay = new Map<string, Promise<void>>()
  const busy = new Error('too many photos of messengers are being fetched')
  const limited = semaphore({ atOnce, waiting, refuse: () => busy })

  /** The image's bytes; null if they cannot be fetched. */
  async function bytesAt(url: string): Promise<Uint8Array | null> {
    const { status, headers, body } = await outbound.fetch(url, { hosts, maxBytes, timeoutMs, redirects })
    return status === 200 && /^image\//i.test(headers['content-type'] ?? '') ? body : null
  }

  async function fetchPhoto(userId: string, url: string): Promise<void> {
    // A user who has chosen another photo, or none, keeps that choice.
    const pending = (await users.byId(userId))?.photo
    if (pending == null || !isUnfetched(pending)) return
    const bytes = await bytesAt(url)
    if (bytes === null) return
    const { id } = await media.upload({ id: userId }, bytes)
    let verdict: Verdict
    try {
      verdict = await filter.photo(userId, id)
    } catch (error) {
      await media.drop([id])
      throw error
    }
    const updated = webhooks.about('user.updated', userId, { user_id: userId, fields: ['photo'] })
    if (await users.replacePhoto(userId, pending, id, now(), updated)) await filter.report('user', userId, verdict)
    else await media.drop([id])
  }

  return {
    /**
     * Starts fetching the photo of a user who has just logged in, unless it was fetched already. If that fails, the next
     * login tries again.
     */
    begin(userId: string, url: string | null): void {
      if (url === null || underWay.has(userId)) return
      const fetched = limited(() => fetchPhoto(userId, url))
        .catch((error: unknown) => {
          const isExpected = error instanceof OutboundError || error instanceof Refusal || error === busy
          log[isExpected ? 'debug' : 'error'](
            { user_id: userId, err: error },
            'the photo of a messenger’s user could not be fetched',
          )
        })
        .finally(() => underWay.delete(userId))
      underWay.set(userId, fetched)
    },

    /** Resolves once nothing is being fetched. */
    async settled(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay.values())
    },
  }
}
