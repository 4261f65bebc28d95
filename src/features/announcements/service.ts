import type { Ids } from '../../lib/ids.ts'
import type { Page, Paging } from '../../lib/paging.ts'
import { invalid, Refusal } from '../../lib/refusal.ts'
import { tidy } from '../../lib/text.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import type { EphemeralData } from '../../realtime/events.ts'
import type { Nodes } from '../../realtime/nodes.ts'
import type { Audit } from '../audit/service.ts'
import type { Admin } from '../moderation/moderators.ts'
import type { Announcement, AnnouncementStore } from './store.ts'
import { mostActive } from './rules.ts'

export type Announcements = ReturnType<typeof announcementService>

type Deps = {
  store: AnnouncementStore
  /** Sends to every socket of this node. */
  broadcast(announcement: EphemeralData['announcement']): void
  nodes: Pick<Nodes, 'announced'> | null
  /** Called when the announcements cannot be read. */
  failed(error: unknown): void
  audit: Audit
  paging: Paging
  ids: Ids
  now: () => number
}

/**
 * Messages from admins to everybody. Each is one row, read together with every user's notices, and sockets get a frame that is
 * not stored. Announcing therefore costs the same in a community of any size, and users who come later see it too.
 */
export function announcementService({ store, broadcast, nodes, failed, audit, paging, ids, now }: Deps) {
  const { keyOf, pageOf } = paging
  const startedAt = now()
  /** The announcements that the users of this node's sockets know; null until they are read for the first time. */
  let shown: Map<string, Announcement> | null = null
  let reading: Promise<void> = Promise.resolve()

  /** Sends this node's sockets the new announcements and the withdrawn ones. */
  async function tellNow() {
    const active = new Map((await store.active(now(), mostActive)).map((one) => [one.id, one]))
    // Whoever connects finds among their notices what was announced before the start.
    const before = shown ?? new Map([...active].filter(([, { created_at }]) => created_at <= startedAt))
    shown = active
    for (const one of active.values()) if (!before.has(one.id)) broadcast(announcementView(one))
    for (const one of before.values()) if (!active.has(one.id)) broadcast({ ...announcementView(one), text: null })
  }

  /** Serialised, so that an older state is never sent last. */
  const tell = () => (reading = reading.then(tellNow).catch(failed))

  async function changed() {
    await tell()
    await nodes?.announced()
  }

  return {
    /** Call this when the server begins to listen, and when another node has, or may have, changed the announcements. */
    reread: () => void tell(),

    async list({ limit = 30, cursor }: Page) {
      const key = keyOf('announcements', cursor, ['number', 'string'])
      const rows = await store.list(limit + 1, key && { at: key[0], id: key[1] })
      return pageOf('announcements', rows, limit, ({ created_at, id }) => [created_at, id], announcementView)
    },

    async add(admin: Admin, { text, until }: { text: string; until?: string | null }) {
      const at = now()
      const end = until == null ? null : Date.parse(until)
      if (end !== null && !(end > at)) throw invalid('/until', 'Expected a time in the future', 'out_of_range')
      const announcement = { id: ids.next(), text: tidy(text), until: end, created_at: at }
      const entry = audit.entry('announced', admin.id, announcement.id, { until: isoOrNull(end) })
      if ((await store.add(announcement, mostActive, entry)) === 'full')
        throw new Refusal('conflict', `There are ${mostActive} announcements: delete one first.`)
      await changed()
      return announcementView(announcement)
    },

    async remove(admin: Admin, id: string): Promise<void> {
      if (!(await store.remove(id, audit.entry('announcement_deleted', admin.id, id))))
        throw new Refusal('not_found', 'There is no such announcement.')
      await changed()
    },

    /** The active ones, for everybody's list of notices. */
    active: () => store.active(now(), mostActive),
  }
}

const announcementView = ({ until, created_at, ...announcement }: Announcement) => ({
  ...announcement,
  until: isoOrNull(until),
  created_at: iso(created_at),
})
