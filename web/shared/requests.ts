import { type Problem, Refused } from 'convene-client'
import { useCallback, useEffect, useRef, useState } from 'react'

/** Why a request failed: the server's problem, or `offline` if there was no answer. */
export type Failure = Problem | 'offline'

export type Outcome<Data> = { data: Data; failure: null } | { data: null; failure: Failure }

type Answer<Data> = { data?: Data; error?: unknown; response: Response }

export const failureOf = (error: unknown): Failure => {
  if (error instanceof Refused) return error.problem
  if (isProblem(error)) return error
  // `fetch` throws a TypeError if there is no answer.
  if (error instanceof TypeError) return 'offline'
  throw error
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'code' in value && 'status' in value

/** Called for every failure, because a failure may concern the whole page. */
type FailureWatcher = (failure: Failure) => void
const watchers = new Set<FailureWatcher>()

export function watchFailures(watcher: FailureWatcher): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

function reported<F extends Failure>(failure: F): F {
  for (const watcher of watchers) watcher(failure)
  return failure
}

/** Waits for an answer of the API. A lost network is an outcome, not an exception. */
export async function outcomeOf<Data>(request: Promise<Answer<Data>>): Promise<Outcome<Data>> {
  try {
    const { data, error, response } = await request
    if (!response.ok) return { data: null, failure: reported(isProblem(error) ? error : unreadable(response)) }
    // An answer without a body has no data.
    return { data: data as Data, failure: null }
  } catch (error) {
    return { data: null, failure: reported(failureOf(error)) }
  }
}

type Page<Item> = { items: Item[]; next_cursor: string | null }

/** Reads all pages of a list, for screens that show it as a whole. */
export async function allPages<Item>(
  ask: (query: { limit: number; cursor?: string }) => Promise<Answer<Page<Item>>>,
): Promise<Answer<Page<Item>>> {
  const items: Item[] = []
  for (let cursor: string | null = null; ;) {
    const answer: Answer<Page<Item>> = await ask({ limit: 100, ...(cursor !== null && { cursor }) })
    if (!answer.data) return answer
    items.push(...answer.data.items)
    cursor = answer.data.next_cursor
    if (cursor === null) return { ...answer, data: { items, next_cursor: null } }
  }
}

/** The problem for an answer that is not the server's, such as a proxy's. */
function unreadable({ status, statusText }: Response): Problem {
  return { type: 'about:blank', title: statusText, status, detail: '', code: 'internal_error', request_id: '' }
}

/** Data that a screen reads when it is shown. */
export type Resource<Data> = {
  data: Data | null
  failure: Failure | null
  /** Reads again. The old data stay until then. Returns whether it succeeded. */
  reload: () => Promise<boolean>
  /** Replaces the data without asking the server. */
  set: (data: Data) => void
}

/** Reads when the component is shown, and again when `key` changes. Data of another key is never shown. */
export function useResource<Data>(ask: () => Promise<Answer<Data>>, key = ''): Resource<Data> {
  const [state, setState] = useState<{ key: string; data: Data | null; failure: Failure | null }>({
    key,
    data: null,
    failure: null,
  })
  const asked = useRef(ask)
  asked.current = ask
  const shown = useRef<string | null>(null)
  const count = useRef({ asked: 0, newest: 0 })
  const reload = useCallback(async () => {
    const own = ++count.current.asked
    const { data, failure } = await outcomeOf(asked.current())
    if (shown.current !== key) return false
    // A late answer is older than the data that are shown.
    if (own < count.current.newest) return failure === null
    if (failure === null) count.current.newest = own
    setState((before) => {
      const known = before.key === key ? before.data : null
      return failure ? { key, data: known, failure } : { key, data, failure: null }
    })
    return failure === null
  }, [key])
  useEffect(() => {
    shown.current = key
    void reload()
    // Read again when the network is back.
    addEventListener('online', reload)
    return () => {
      shown.current = null
      removeEventListener('online', reload)
    }
  }, [reload, key])
  const set = useCallback(
    (data: Data) => {
      count.current.newest = ++count.current.asked
      setState({ key, data, failure: null })
    },
    [key],
  )
  const { data, failure } = state.key === key ? state : { data: null, failure: null }
  return { data, failure, reload, set }
}

/** Why the last action failed, for several actions whose failures are shown in one place. */
export type LastFailure = [failure: Failure | null, set: (failure: Failure | null) => void]
export const useLastFailure = (): LastFailure => useState<Failure | null>(null)

/** Runs an action, once at a time, and keeps its failure: on its own, or shared with other actions. */
export function useAction<Arguments extends unknown[]>(
  work: (...given: Arguments) => Promise<Failure | null | void>,
  shared?: LastFailure,
) {
  const [busy, setBusy] = useState(false)
  const own = useLastFailure()
  const [failure, setFailure] = shared ?? own
  const current = useRef(work)
  current.current = work
  const running = useRef(false)
  const run = useCallback(
    async (...given: Arguments) => {
      if (running.current) return
      running.current = true
      setBusy(true)
      setFailure(null)
      try {
        setFailure((await current.current(...given)) ?? null)
      } catch (error) {
        setFailure(failureOf(error))
      } finally {
        running.current = false
        setBusy(false)
      }
    },
    [setFailure],
  )
  return { run, busy, failure, setFailure }
}
