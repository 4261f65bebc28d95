import { useCallback, useEffect, useRef, useState } from 'react'
import { type Failure, type Outcome, outcomeOf } from '../shared/requests.ts'
import { excessOf } from '../shared/text-length.ts'
import type { T } from './language.tsx'

export * from '../shared/requests.ts'

/** The text of a failure: what happened, and what to do. */
export function failureText(t: T, failure: Failure): string {
  if (failure === 'offline') return t('console.failure.offline')
  switch (failure.code) {
    case 'rate_limited':
      return t('console.failure.rateLimited')
    case 'invalid_credentials':
      return t('console.failure.wrongLogin')
    case 'wrong_password':
      return t('console.failure.wrongPassword')
    case 'passkey_invalid':
      return t('console.failure.passkey')
    case 'consents_required':
      return t('console.failure.consents')
    case 'email_not_verified':
      return t('console.failure.unverified')
    case 'suspended':
      return t('console.failure.suspended')
    case 'claimed':
      return t('console.failure.claimed')
    case 'not_found':
      return t('console.failure.notFound')
    case 'payload_too_large':
      return t('console.failure.tooLarge')
    case 'mail_not_configured':
      return t('console.failure.noMail')
    case 'maintenance':
    case 'content_refused':
      // The operator has written this text.
      return failure.detail
    case 'forbidden':
      return t('console.failure.forbidden')
    case 'conflict':
      return t('console.failure.conflict')
    case 'validation_failed':
      return t('console.failure.fields')
  }
  return failure.status >= 500 ? t('console.failure.server') : t('console.failure.other')
}

/** The text for a field of which the server takes `limit` characters at most; null if what is written fits. */
export function excessText(t: T, text: string, limit: number): string | null {
  const excess = excessOf(text, limit)
  return excess > 0 ? t('console.tooLongBy', { count: excess }) : null
}

/** Whether the user has to do something in the app first, to which a link leads. */
export const isSolvedInApp = (failure: Failure): boolean =>
  failure !== 'offline' && (failure.code === 'consents_required' || failure.code === 'email_not_verified')

type Page<Item> = { items: Item[]; next_cursor: string | null }
type Ask<Item> = (cursor: string | undefined) => Promise<{ data?: Page<Item>; error?: unknown; response: Response }>

export type List<Item> = {
  /** Null until the first page has loaded. */
  items: Item[] | null
  failure: Failure | null
  hasMore: boolean
  loading: boolean
  loadMore: () => Promise<void>
  /** Reads the loaded pages again, at most ten of them. The old items stay until then. */
  reload: () => Promise<void>
  /** Changes the items without asking the server. */
  change: (change: (items: Item[]) => Item[]) => void
}

type ListState<Item> = { key: string; items: Item[] | null; next: string | null; failure: Failure | null }

// A user who has loaded more pages keeps the others as they are.
const mostReadAgain = 10

type Identified = { id: string } | { version: number }
const idOf = (item: Identified) => ('id' in item ? item.id : item.version)

/** The items after those that have been read again. No item of a list changes its place. */
function unreadTail<Item extends Identified>(before: readonly Item[], fresh: readonly Item[]): Item[] {
  const ids = new Set(fresh.map(idOf))
  const last = before.findLastIndex((item) => ids.has(idOf(item)))
  return last < 0 ? [] : before.slice(last + 1)
}

/** A paged list. It is read again when `key` changes, which must contain everything that `ask` depends on. */
export function useList<Item extends Identified>(ask: Ask<Item>, key: string): List<Item> {
  const empty: ListState<Item> = { key, items: null, next: null, failure: null }
  const [state, setState] = useState(empty)
  const [loading, setLoading] = useState(true)
  const asked = useRef(ask)
  asked.current = ask
  // Answers of older requests are ignored.
  const latest = useRef(0)
  // The pages that the user has asked for.
  const pages = useRef(1)
  const begin = () => {
    const own = ++latest.current
    setLoading(true)
    return () => own !== latest.current
  }
  const fail = useCallback(
    (failure: Failure) => {
      setLoading(false)
      setState((before) => ({ ...(before.key === key ? before : { key, items: null, next: null }), failure }))
    },
    [key],
  )
  const reload = useCallback(async () => {
    const isOld = begin()
    const fresh: Item[] = []
    let next: string | null = null
    let read = 0
    do {
      const { data, failure }: Outcome<Page<Item>> = await outcomeOf(asked.current(next ?? undefined))
      if (isOld()) return
      if (failure) return fail(failure)
      fresh.push(...data.items)
      next = data.next_cursor
      read++
    } while (next !== null && read < Math.min(pages.current, mostReadAgain))
    setLoading(false)
    setState((before) => {
      const tail =
        before.key === key && next !== null && read < pages.current ? unreadTail(before.items ?? [], fresh) : []
      return tail.length > 0
        ? { ...before, items: [...fresh, ...tail], failure: null }
        : { key, items: fresh, next, failure: null }
    })
  }, [key, fail])
  const { next } = state.key === key ? state : empty
  const loadMore = useCallback(async () => {
    if (next === null) return
    const isOld = begin()
    // If the list is read again meanwhile, then with this page.
    pages.current++
    const { data, failure } = await outcomeOf(asked.current(next))
    if (isOld()) return
    if (failure) {
      pages.current--
      return fail(failure)
    }
    setLoading(false)
    setState(({ items }) => ({
      ...{ key, items: [...(items ?? []), ...data.items] },
      ...{ next: data.next_cursor, failure: null },
    }))
  }, [key, next, fail])
  useEffect(() => {
    pages.current = 1
    void reload()
    return () => void latest.current++
  }, [reload])
  const shown = state.key === key ? state : empty
  return {
    items: shown.items,
    failure: shown.failure,
    hasMore: next !== null,
    loading,
    loadMore,
    reload,
    change: useCallback(
      (change) => setState((before) => (before.items ? { ...before, items: change(before.items) } : before)),
      [],
    ),
  }
}

const reloadEveryMs = 30_000

/** Reads a list again now and then, because others change it meanwhile. */
export function useRefresh<Item>({ reload, loading }: List<Item>) {
  const isLoading = useRef(loading)
  isLoading.current = loading
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && !isLoading.current) void reload()
    }, reloadEveryMs)
    return () => clearInterval(timer)
  }, [reload])
}
