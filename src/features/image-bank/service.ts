import { setTimeout } from 'node:timers/promises'
import { openCurrent } from '../../lib/current.ts'
import type { Ids } from '../../lib/ids.ts'
import type { Page, Paging } from '../../lib/paging.ts'
import { recentMap } from '../../lib/recent-map.ts'
import { invalid, Refusal, unknownId } from '../../lib/refusal.ts'
import { tidy } from '../../lib/text.ts'
import { iso } from '../../lib/time.ts'
import type { Nodes } from '../../realtime/nodes.ts'
import type { Audit } from '../audit/service.ts'
import { uprightHash, usualDistance } from '../media/pdq.ts'
import { type Bank, openBank } from './bank.ts'
import { type BankLine, mostHashes } from './rules.ts'
import type { BankEntry, ImageBankStore } from './store.ts'
import { batches } from '../../lib/batches.ts'

export type ImageBank = ReturnType<typeof imageBankService>

type NewBankEntry = {
  hash?: string | null
  image_id?: string | null
  distance?: number | null
  reason: string
}

/** The hashes of an image; null if it has none, or none that are distinctive. */
export type HashesOf = (imageId: string) => Promise<string | null | 'no_such_image'>

type Deps = {
  store: ImageBankStore
  hashesOf: HashesOf
  nodes: Pick<Nodes, 'rulesChanged'> | null
  audit: Audit
  paging: Paging
  ids: Ids
  now: () => number
}

type Admin = { id: string | null }

const batch = 1000
/** Between two parts of an import, for the writes of servers that wait meanwhile. */
const pauseMs = 20
/** How many images have their distance cached, for the message that soon sends them. */
const mostRemembered = 10_000

/** The bank of hashes of banned images. It is stored in the database, and every node compares images with it. */
export function imageBankService({ store, hashesOf, nodes, audit, paging, ids, now }: Deps) {
  const { keyOf, pageOf } = paging
  const known = openCurrent<Bank>({
    newest: async () => (await store.progress()).version,
    async load() {
      const { version } = await store.progress()
      return openBank(version, await store.hashes(0, version))
    },
    now,
  })

  const remembered = recentMap<{ version: number; distance: number }>(mostRemembered)

  /** Compares an image with the bank and caches the distance. */
  function compare(imageId: string, hashes: string, bank: Bank): number {
    const distance = bank.nearest(hashes, usualDistance)
    remembered.set(imageId, { version: bank.version, distance })
    return distance
  }

  /** Call this after each change. Resolves once the other nodes can know. */
  async function changed() {
    known.forget()
    await nodes?.rulesChanged()
  }

  async function hashFor({ hash, image_id }: NewBankEntry): Promise<string> {
    if (hash != null && image_id != null)
      throw invalid('/image_id', 'Expected either a hash or an image', 'not_allowed')
    if (hash != null) return hash.toLowerCase()
    if (image_id == null) throw invalid('/hash', 'Expected a hash, or the id of an image', 'required')
    const hashes = await hashesOf(image_id)
    if (hashes === 'no_such_image') throw unknownId('/image_id', 'There is no such image.')
    if (hashes === null)
      throw invalid('/image_id', 'Expected an image with enough detail to tell it from others', 'not_allowed')
    return uprightHash(hashes)
  }

  const entryOf = (admin: Admin, { hash, distance, reason }: BankLine): BankEntry => ({
    ...{ id: ids.next(), hash, distance, reason, report_id: null },
    ...{ added_by: admin.id, created_at: now() },
  })

  return {
    /** The bank, at most two seconds old. Returns a promise only if it has to be read. */
    current: known.current,

    /** Call this when another node has, or may have, changed the bank. */
    forget: known.forget,

    changed,
    hashesOf,

    /** Compares an uploaded image in advance: an upload takes much longer, and the message with the image need not wait. */
    uploaded(imageId: string, hashes: string): void {
      const bank = known.current()
      // The message with the image reads the bank itself, and fails itself if that cannot be read.
      if (bank instanceof Promise) return void bank.catch(() => {})
      if (bank.size > 0) compare(imageId, hashes, bank)
    },

    /** The distance to the nearest banned image, as from `Bank.nearest`; Infinity for an image without a hash. */
    async distanceTo(imageId: string, most: number): Promise<number> {
      const now = known.current()
      const bank = now instanceof Promise ? await now : now
      if (bank.size === 0) return Infinity
      const before = remembered.get(imageId)
      if (before?.version === bank.version && most <= usualDistance)
        return before.distance <= most ? before.distance : Infinity
      const hashes = await hashesOf(imageId)
      if (hashes === null || hashes === 'no_such_image') return Infinity
      if (most > usualDistance) return bank.nearest(hashes, most)
      const distance = compare(imageId, hashes, bank)
      return distance <= most ? distance : Infinity
    },

    /** Newest first. */
    async list({ limit = 30, cursor }: Page) {
      const key = keyOf('image-bank', cursor, ['number', 'string'])
      const rows = await store.list(limit + 1, key && { at: key[0], id: key[1] })
      return pageOf('image-bank', rows, limit, ({ created_at, id }) => [created_at, id], entryView)
    },

    async add(admin: Admin, given: NewBankEntry) {
      const hash = await hashFor(given)
      const entry = entryOf(admin, { hash, distance: given.distance ?? null, reason: tidy(given.reason) })
      const { id, reason } = entry
      // The audit entry contains neither the image nor its hash.
      const added = await store.add([entry], mostHashes, audit.entry('image_banned', admin.id, id, { reason }))
      if (added === 'full') throw full()
      await changed()
      return entryView(entry)
    },

    async remove(admin: Admin, id: string): Promise<void> {
      if (!(await store.remove(id, audit.entry('image_allowed', admin.id, id))))
        throw new Refusal('not_found', 'There is no such banned image.')
      await changed()
    },

    /**
     * Adds all entries of a file, or none if there is no room for all. Adds them in parts, because a server cannot write while
     * one is stored: if this is interrupted, the parts that were stored stay.
     */
    async addAll(admin: Admin, lines: readonly BankLine[]): Promise<void> {
      const entries = lines.map((line) => entryOf(admin, line))
      if (!(await store.fits(entries, mostHashes))) throw full()
      for (let i = 0; i < entries.length; i += batch) {
        const part = entries.slice(i, i + batch)
        const entry = audit.entry('images_banned', admin.id, null, { images: part.length })
        if ((await store.add(part, mostHashes, entry)) === 'full') throw full()
        await changed()
        await setTimeout(pauseMs)
      }
    },

    /** All entries, a page at a time. */
    async *all(): AsyncGenerator<readonly BankEntry[]> {
      const pages = batches<BankEntry>(batch, (last) => store.after(last?.id ?? '', batch))
      for await (const page of pages) if (page.length > 0) yield page
    },
  }
}

const full = () => new Refusal('conflict', `There may be ${mostHashes} banned images: remove some first.`)

const entryView = ({ created_at, ...entry }: BankEntry) => ({ ...entry, created_at: iso(created_at) })
