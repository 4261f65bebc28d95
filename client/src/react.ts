import {
  createContext,
  createElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { haveSameFields } from './same-fields.ts'
import { disconnected, neverSeen, noChats, noMessages, signedOut } from './initial.ts'
import type {
  ChatsState,
  ConnectionState,
  Convene,
  MessagesState,
  Neighbour,
  OpenChat,
  paths,
  Presence,
  Problem,
  SessionState,
  Store,
} from './index.ts'

const Context = createContext<Convene | null>(null)

/** Provides the client to the hooks below it. */
export const ConveneProvider = ({ client, children }: { client: Convene; children?: ReactNode }) =>
  createElement(Context.Provider, { value: client }, children)

/** The client of the nearest provider. */
export function useConvene(): Convene {
  const client = useContext(Context)
  if (!client) throw new Error('There is no ConveneProvider around this component.')
  return client
}

/**
 * The value that `select` returns for a store. The component renders again only when that value has changed. `initial` is the value
 * that a server shows, and the browser while it hydrates that page.
 */
export function useStore<T, S = T>(store: Store<T>, select: (value: T) => S = same, initial: () => T = store.get): S {
  const last = useRef<{ value: S } | null>(null)
  const selected = (get: () => T) => {
    let known: { from: T; value: S } | null = null
    return () => {
      const from = get()
      // React needs the same value as long as the store is unchanged, also where `select` makes a new object each time.
      if (known && Object.is(known.from, from)) return known.value
      const value = select(from)
      if (!last.current || !haveSameFields(last.current.value, value)) last.current = { value }
      known = { from, value: last.current.value }
      return known.value
    }
  }
  return useSyncExternalStore(store.subscribe, selected(store.get), selected(initial))
}

const same = <T, S>(value: T) => value as unknown as S

export const useSession = <S = SessionState>(select?: (session: SessionState) => S): S =>
  useStore(useConvene().session, select, () => signedOut)

export const useConnection = <S = ConnectionState>(select?: (connection: ConnectionState) => S): S =>
  useStore(useConvene().connection, select, () => disconnected)

/** The list of chats: `useChats(({ unreadTotal }) => unreadTotal)` renders only when the number changes. */
export const useChats = <S = ChatsState>(select?: (chats: ChatsState) => S): S =>
  useStore(useConvene().chats.list, select, () => noChats)

/** The operations and stores of a chat. Renders only when somebody else signs in. */
export function useChat(id: string): OpenChat {
  const client = useConvene()
  useSession(({ user }) => user?.id)
  return client.chats.open(id)
}

/** The messages of a chat. The hook loads them. */
export const useMessages = <S = MessagesState>(chatId: string, select?: (messages: MessagesState) => S): S =>
  useStore(useChat(chatId).messages, select, () => noMessages)

/** Whether the other member of a chat is typing. */
export const useTyping = (chatId: string): boolean => useStore(useChat(chatId).isTyping, undefined, () => false)

export const usePresence = (userId: string): Presence =>
  useStore(useConvene().presence(userId), undefined, () => neverSeen)

type NearbyState = {
  /** Who has found the people: nobody else is shown them. */
  me: string | undefined
  items: readonly Neighbour[]
  loading: boolean
  loaded: boolean
  hasMore: boolean
  problem: Problem | null
}
/** Changes a state only where a field changes: otherwise React would render for nothing. */
const unlessSame =
  <T>(change: (before: T) => T) =>
  (before: T): T => {
    const after = change(before)
    return haveSameFields(before, after) ? before : after
  }

const nobodyNear = { items: [], loading: false, loaded: false, hasMore: false, problem: null }

export type NearbyQuery = NonNullable<paths['/api/v1/search/nearby']['get']['parameters']['query']>

/**
 * The people around a place, nearest first. Empty while the place is unknown (null) or nobody is signed in. Nobody is near if it is
 * empty and `loaded`: without a network, it is not.
 */
export function useNearby(query: Omit<NearbyQuery, 'cursor'> | null) {
  const { api } = useConvene()
  const me = useSession(({ user }) => user?.id)
  const key = me && query ? JSON.stringify(query) : null
  const [state, setState] = useState<NearbyState>({ ...nobodyNear, me, loading: key !== null })
  const current = useRef<{ cursor: string | null; isReading?: boolean }>({ cursor: null })

  const read = useCallback(
    async (isFirst: boolean) => {
      const own = isFirst ? (current.current = { cursor: null }) : current.current
      if (!key) return setState(unlessSame<NearbyState>(() => ({ ...nobodyNear, me })))
      // In the state, it stands only after the next render.
      if (own.isReading) return
      own.isReading = true
      setState(unlessSame((before) => ({ ...before, loading: true, problem: null })))
      const { data, error } = await api
        .GET('/api/v1/search/nearby', {
          params: { query: { ...JSON.parse(key), ...(own.cursor !== null && { cursor: own.cursor }) } },
        })
        .catch(() => ({ data: undefined, error: null }))
      // A newer search has begun meanwhile.
      if (own !== current.current) return
      own.isReading = false
      if (data) own.cursor = data.next_cursor
      setState((before) => ({
        ...before,
        items: data ? (isFirst ? data.items : [...before.items, ...data.items]) : before.items,
        loading: false,
        loaded: before.loaded || !!data,
        hasMore: own.cursor !== null,
        problem: error ?? null,
      }))
    },
    [api, key, me],
  )
  useEffect(() => {
    setState(unlessSame((before) => ({ ...(before.me === me ? before : nobodyNear), me, loaded: false })))
    void read(true)
    return () => {
      current.current = { cursor: null }
    }
  }, [read])

  // The same functions until the search changes, so that effects can depend on them.
  const reload = useCallback(() => read(true), [read])
  const loadMore = useCallback(async () => {
    if (current.current.cursor !== null) await read(false)
  }, [read])
  const { me: finder, ...found } = state
  return { ...(finder === me ? found : { ...nobodyNear, loading: key !== null }), reload, loadMore }
}
