import { useCallback, useEffect, useRef, useState } from 'react'
import { type Failure, outcomeOf } from '../shared/requests.ts'
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
    case 'forbidden':
    case 'conflict':
    case 'validation_failed':
      // The server says why, in English.
      return t('console.failure.refused', { why: failure.detail })
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
  /** Reads the first page again. The old items stay until it has loaded. */
  reload: () => Promise<void>
  /** Changes the items without asking the server. */
  change: (change: (items: Item[]) => Item[]) => void
}

type ListState<Item> = { key: string; items: Item[] | null; next: string | null; failure: Failure | null }

/** A paged list. It is read again when `key` changes, which must contain everything that `ask` depends on. */
export function useList<Item>(ask: Ask<Item>, key: string): List<Item> {
  const empty: ListState<Item> = { key, items: null, next: null, failure: null }
  const [state, setState] = useState(empty)
  const [loading, setLoading] = useState(true)
  const asked = useRef(ask)
  asked.current = ask
  // Answers of older requests are ignored.
  const latest = useRef(0)
  const read = useCallback(
    async (cursor?: string) => {
      const own = ++latest.current
      setLoading(true)
      const { data, failure } = await outcomeOf(asked.current(cursor))
      if (own !== latest.current) return
      setLoading(false)
      setState((before) => {
        const known = before.key === key ? before : { key, items: null, next: null }
        if (failure) return { ...known, failure }
        const items = cursor === undefined ? data.items : [...(known.items ?? []), ...data.items]
        return { key, items, next: data.next_cursor, failure: null }
      })
    },
    [key],
  )
  useEffect(() => {
    void read()
    return () => void latest.current++
  }, [read])
  const shown = state.key === key ? state : empty
  const { next } = shown
  return {
    items: shown.items,
    failure: shown.failure,
    hasMore: next !== null,
    loading,
    loadMore: useCallback(async () => {
      if (next !== null) await read(next)
    }, [next, read]),
    reload: useCallback(() => read(), [read]),
    change: useCallback(
      (change) => setState((before) => (before.items ? { ...before, items: change(before.items) } : before)),
      [],
    ),
  }
}

const reloadEveryMs = 30_000

/**
 * Reads a list again now and then, because others change it meanwhile. Returns a function that does so at once. A user who has
 * loaded further pages keeps them: then nothing is read.
 */
export function useRefresh<Item>({ items, reload }: List<Item>, pageSize: number): () => void {
  const isFirstPage = (items?.length ?? 0) <= pageSize
  useEffect(() => {
    if (!isFirstPage) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void reload()
    }, reloadEveryMs)
    return () => clearInterval(timer)
  }, [isFirstPage, reload])
  return useCallback(() => {
    if (isFirstPage) void reload()
  }, [isFirstPage, reload])
}
