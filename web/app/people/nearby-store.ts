import type { components, Convene, Neighbour, Problem } from 'convene-client'
import { useConvene, useStore } from 'convene-client/react'
import type { Kind, Likes } from './common.ts'

export type Place = { latitude: number; longitude: number }
/** In full years, both included. */
export type Ages = { min: number; max: number }
export type Filters = { radius: number; ages: Ages | null } & Record<Kind, readonly string[]>
export const noFilters: Filters = { radius: 5000, ages: null, drinks: [], activities: [], purposes: [] }
/** How many things people are chosen by, besides how far they are. */
export const countChosen = ({ drinks, activities, purposes, ages }: Filters) =>
  drinks.length + activities.length + purposes.length + (ages === null ? 0 : 1)
/** What ages can be looked for. The server knows nobody who is older. */
export const ageRanges: readonly Ages[] = [
  { min: 18, max: 25 },
  { min: 26, max: 35 },
  { min: 36, max: 50 },
  { min: 51, max: 150 },
]
/** The steps of the radius in metres. */
export const radii = [1000, 2000, 5000, 10_000, 25_000, 100_000] as const

export type NearbyState = {
  /** Where others find me: the published point. `none` until a position was sent. */
  place: Place | 'unknown' | 'none'
  visible: boolean
  /** What I like, for what is common; null until it is read. */
  likes: Likes | null
  filters: Filters
  items: readonly Neighbour[]
  loading: boolean
  loaded: boolean
  hasMore: boolean
  /** What went wrong: the server's answer, or `offline` where there was none. */
  failed: Problem | 'offline' | null
  view: 'list' | 'around'
  /** Who is chosen in the radar or on the map. */
  chosen: string | null
  scrollTop: number
}

const first: NearbyState = {
  place: 'unknown',
  visible: true,
  likes: null,
  filters: noFilters,
  items: [],
  loading: false,
  loaded: false,
  hasMore: false,
  failed: null,
  view: 'list',
  chosen: null,
  scrollTop: 0,
}

const silent = () => ({ data: undefined, error: undefined, response: undefined })

function openNearby({ api, session }: Convene) {
  let state = first
  let cursor: string | null = null
  let search = 0
  let owner = session.get().user?.id
  const listeners = new Set<() => void>()

  function set(change: Partial<NearbyState>) {
    state = { ...state, ...change }
    for (const listener of [...listeners]) listener()
  }

  // Nothing of one user is shown to the next one.
  session.subscribe(() => {
    const user = session.get().user?.id
    if (user === owner) return
    owner = user
    search++
    cursor = null
    set(first)
  })

  async function readPlace() {
    const own = owner
    const { data, error, response } = await api.GET('/api/v1/me/location').catch(silent)
    if (own !== owner) return
    if (response?.status === 404) return set({ place: 'none', visible: session.get().user?.visible ?? true })
    if (!data) return set({ failed: error ?? 'offline' })
    const { latitude, longitude, visible } = data
    set({ place: latitude === null || longitude === null ? 'none' : { latitude, longitude }, visible })
  }

  async function readLikes() {
    const { data } = await api.GET('/api/v1/me/prefs').catch(silent)
    if (data) set({ likes: data })
  }

  /**
   * Reads the people around the published point, which the server knows: no address contains a position. A first page
   * replaces what is shown, as soon as the place is known.
   */
  async function read(isFirst: boolean, placed: Promise<void> | null = null) {
    const { place, filters } = state
    if (typeof place === 'string' && placed === null) return
    const own = isFirst ? ++search : search
    if (isFirst) cursor = null
    set({ loading: true, failed: null })
    const { radius, ages, ...tags } = filters
    const asked = api
      .GET('/api/v1/search/nearby', {
        params: {
          query: {
            radius,
            drinks: [...tags.drinks],
            activities: [...tags.activities],
            purposes: [...tags.purposes],
            ...(ages !== null && { age_min: ages.min, age_max: ages.max }),
            ...(cursor !== null && { cursor }),
          },
        },
      })
      .catch(silent)
    const [{ data, error }] = await Promise.all([asked, placed])
    if (own !== search) return
    // Without a place there is nobody nearby to be shown, and without an answer about it, that is what has failed.
    if (typeof state.place === 'string') return set({ loading: false })
    if (!data) return set({ loading: false, failed: error ?? 'offline' })
    cursor = data.next_cursor
    set({
      items: isFirst ? data.items : [...state.items, ...data.items],
      loading: false,
      loaded: true,
      hasMore: cursor !== null,
    })
  }

  async function load() {
    if (state.failed) set({ failed: null })
    void readLikes()
    await read(true, state.place === 'unknown' ? readPlace() : null)
  }

  return {
    get: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    load,
    /** Loads what is neither there nor on its way. */
    begin: () => (state.loaded || state.loading ? Promise.resolve() : load()),
    loadMore: () => (state.hasMore && !state.loading && !state.failed ? read(false) : Promise.resolve()),
    readLikes,
    /** Sends a position. Answers what the server said against it, `offline` where it said nothing, and null where it took it. */
    async publish(position: Place): Promise<Problem | 'offline' | null> {
      const { data, error } = await api.PUT('/api/v1/me/location', { body: position }).catch(silent)
      if (!data) return error ?? 'offline'
      take(data)
      await read(true)
      return null
    },
    /** Shows or hides me at once, and takes that back where the server refuses. */
    async show(visible: boolean): Promise<Problem | 'offline' | null> {
      const before = state.visible
      set({ visible })
      const { data, error } = await api.PUT('/api/v1/me/visibility', { body: { visible } }).catch(silent)
      if (data) return null
      set({ visible: before })
      return error ?? 'offline'
    },
    filter(filters: Filters) {
      set({ filters, chosen: null, scrollTop: 0, loaded: false, items: [] })
      return read(true)
    },
    see: (view: NearbyState['view']) => set({ view }),
    choose: (chosen: string | null) => set({ chosen }),
    /** Somebody is blocked: gone from the list at once. */
    forget: (userId: string) => set({ items: state.items.filter(({ user }) => user.id !== userId) }),
    keepScroll(scrollTop: number) {
      state = { ...state, scrollTop }
    },
  }

  function take({ latitude, longitude, visible }: components['schemas']['Location']) {
    if (latitude !== null && longitude !== null) set({ place: { latitude, longitude }, visible, failed: null })
  }
}

const stores = new WeakMap<Convene, ReturnType<typeof openNearby>>()

/** The people nearby, kept while other screens are shown, so that the way back leads to the same place in the list. */
export function nearbyOf(client: Convene) {
  const store = stores.get(client) ?? openNearby(client)
  stores.set(client, store)
  return store
}

export const useNearbyStore = () => nearbyOf(useConvene())

export const useNearbyState = <S = NearbyState>(select?: (state: NearbyState) => S): S =>
  useStore(useNearbyStore(), select)
