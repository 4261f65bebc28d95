import { setImmediate } from 'node:timers/promises'
import { foldCase, tidyLabel } from '../../lib/text.ts'
import { seconds } from '../../lib/time.ts'
import { type Tag, tagCounter } from './rules.ts'
import type { TagKind, TagStore } from './store.ts'

export type Tags = ReturnType<typeof tagService>

type Deps = { store: TagStore; now: () => number }

const batch = 1000
const mostShown = 50
// After a count, the pause is so many times as long, so that counting takes at most a hundredth of the time.
const restFactor = 100
const leastRestMs = seconds

/** Popular tags, as suggestions for users who choose theirs. */
export function tagService({ store, now }: Deps) {
  const counted = new Map<TagKind, { tags: Promise<Tag[]>; until: number }>()

  async function count(kind: TagKind): Promise<Tag[]> {
    const counter = tagCounter()
    for (let after: string | null = null; ;) {
      const page: { user_id: string; tags: string[] }[] = await store.page(kind, after, batch)
      for (const { tags } of page) counter.add(tags)
      after = page.at(-1)?.user_id ?? null
      if (page.length < batch) return counter.shared()
      // Let requests run in between.
      await setImmediate()
    }
  }

  /** The tags from the last count, which is repeated after a while. Concurrent requests share one count. */
  function tagsOf(kind: TagKind): Promise<Tag[]> {
    const known = counted.get(kind)
    if (known && known.until > now()) return known.tags
    const started = performance.now()
    const entry = { tags: count(kind), until: Number.POSITIVE_INFINITY }
    counted.set(kind, entry)
    entry.tags.then(
      () => {
        entry.until = now() + Math.max(leastRestMs, restFactor * (performance.now() - started))
      },
      () => counted.delete(kind),
    )
    return entry.tags
  }

  return {
    /** The most used tags that enough people share; with `q`, those that begin with it. */
    async list({ kind, q = '' }: { kind: TagKind; q?: string }) {
      const beginning = foldCase(tidyLabel(q))
      const tags = (await tagsOf(kind)).filter(({ folded }) => folded.startsWith(beginning))
      return { items: tags.slice(0, mostShown).map(({ tag, count }) => ({ tag, count })) }
    },
  }
}
