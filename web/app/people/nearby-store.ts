import type { components, Convene, Neighbour, Problem } from 'convene-client'
import { useConvene, useStore } from 'convene-client/react'
import type { Kind, Likes } from './common.ts'
import { spellingsOf } from './suggestions.ts'

export type Place = { latitude: number; longitude: number }
/** In full years, both bounds included. */
export type Ages = { min: number; max: number }
export type Filters = { radius: number; ages: Ages | null } & Record<Kind, readonly string[]>
export const noFilters: Filters = { radius: 5000, ages: null, drinks: [], activities: [], purposes: [] }
/** The number of filters in use, without the radius. */
export const countChosen = ({ drinks, activities, purposes, ages }: Filters) =>
  drinks.length + activities.length + purposes.length + (ages === null ? 0 : 1)
/** The age ranges to choose from. The server accepts no age above 150. */
export const ageRanges: readonly Ages[] = [
  { min: 18, max: 25 },
  { min: 26, max: 35 },
  { min: 36, max: 50 },
  { min: 51, max: 150 },
]
/** The radii to choose from, in metres. */
export const radii = [1000, 2000, 5000, 10_000, 25_000, 100_000] as const

type NearbyState = {
  /** The user's published point. `none` until a position was sent. */
  place: Place | 'unknown' | 'none'
  /** What the user has just chosen, until the session's user has it too. */
  visible: boolean | null
  /** The user's preferences, to mark common tags; null until they are read. */
  likes: Likes | null
  filters: Filters
  items: readonly Neighbour[]
  loading: boolean
  loaded: boolean
  hasMore: boolean
  /** What went wrong: the server's problem, or `offline` if there was no answer. */
  failed: Problem | 'offline' | null
  view: 'list' | 'around'
  /** The id of the person who is selected on the radar or the map. */
  chosen: string | null
  scrollTop: number
}

const first: NearbyState = {
  place: 'unknown',
  visible: null,
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

const noAnswer = () => ({ data: undefined, error: undefined, response: undefined })

function openNearby({ api, session }: Convene) {
  let state = first
  let cursor: string | null = null
  let search = 0
  /** The number of choices about visibility, and the request for the latest one. */
  let choices = 0
  let showing: Promise<unknown> = Promise.resolve()
  let owner = session.get().user?.id
  const listeners = new Set<() => void>()

  function set(change: Partial<NearbyState>) {
    state = { ...state, ...change }
    for (const listener of [...listeners]) listener()
  }

  // Never show one user's data to the next one.
  session.subscribe(() => {
    const user = session.get().user?.id
    if (user === owner) return
    owner = user
    search++
    choices++
    showing = Promise.resolve()
    cursor = null
    set(first)
  })

  async function readPlace(): Promise<Problem | 'offline' | null> {
    const own = owner
    const { data, error, response } = await api.GET('/api/v1/me/location').catch(noAnswer)
    if (own !== owner) return null
    if (!data && response?.status !== 404) return error ?? 'offline'
    if (data) take(data)
    else set({ place: 'none' })
    return null
  }

  /** Renews the user of the session, in all tabs, after a change that its screens show. */
  async function readUser() {
    const { data } = await api.GET('/api/v1/me').catch(noAnswer)
    return data !== undefined
  }

  async function readLikes() {
    const own = owner
    const { data } = await api.GET('/api/v1/me/prefs').catch(noAnswer)
    if (data && own === owner) set({ likes: data })
  }

  /**
   * Reads the people around the published point. The server knows that point, so no URL contains a position. A first page
   * replaces the list, once the place is known.
   */
  async function read(isFirst: boolean, placed: Promise<unknown> | null = null) {
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
            drinks: spellingsOf(tags.drinks),
            activities: spellingsOf(tags.activities),
            purposes: spellingsOf(tags.purposes),
            ...(ages !== null && { age_min: ages.min, age_max: ages.max }),
            ...(cursor !== null && { cursor }),
          },
        },
      })
      .catch(noAnswer)
    const [{ data, error }] = await Promise.all([asked, placed])
    if (own !== search) return
    // Without a place, nobody is shown; if reading the place has failed, `load` has set `failed`.
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
    await read(true, state.place === 'unknown' ? readPlace().then((failed) => failed && set({ failed })) : null)
  }

  return {
    get: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    load,
    /** Loads the list unless it is loaded or loading. */
    begin: () => (state.loaded || state.loading ? Promise.resolve() : load()),
    loadMore: () => (state.hasMore && !state.loading && !state.failed ? read(false) : Promise.resolve()),
    readLikes,
    readPlace,
    /** Sends a position. Returns the server's problem, `offline` if there was no answer, or null on success. */
    async publish(position: Place): Promise<Problem | 'offline' | null> {
      const own = owner
      const { data, error } = await api.PUT('/api/v1/me/location', { body: position }).catch(noAnswer)
      if (own !== owner) return null
      if (!data) return error ?? 'offline'
      take(data)
      set({ failed: null })
      await read(true)
      return null
    },
    /** Shows or hides the user at once, and reverts that if the server refuses. */
    async show(visible: boolean): Promise<Problem | 'offline' | null> {
      const own = owner
      const choice = ++choices
      set({ visible })
      // One after the other: two requests at once may arrive in either order.
      const sent = showing.then(() =>
        own === owner ? api.PUT('/api/v1/me/visibility', { body: { visible } }).catch(noAnswer) : noAnswer(),
      )
      showing = sent
      const { data, error } = await sent
      if (own !== owner) return null
      // If the session's user could not be renewed, the choice is newer.
      if ((!data || (await readUser())) && choice === choices) set({ visible: null })
      return data ? null : (error ?? 'offline')
    },
    filter(filters: Filters) {
      set({ filters, chosen: null, scrollTop: 0, loaded: false, items: [] })
      return read(true)
    },
    see: (view: NearbyState['view']) => set({ view }),
    choose: (chosen: string | null) => set({ chosen }),
    /** Removes a blocked person from the list. */
    forget: (userId: string) => set({ items: state.items.filter(({ user }) => user.id !== userId) }),
    keepScroll(scrollTop: number) {
      state = { ...state, scrollTop }
    },
  }

  function take({ latitude, longitude, visible }: components['schemas']['Location']) {
    set({ place: latitude === null || longitude === null ? 'none' : { latitude, longitude } })
    // Chosen on another device.
    if (visible !== session.get().user?.visible) void readUser()
  }
}

const stores = new WeakMap<Convene, ReturnType<typeof openNearby>>()

/** The people nearby. The store outlives the screen, so that the user returns to the same position in the list. */
export function nearbyOf(client: Convene) {
  const store = stores.get(client) ?? openNearby(client)
  stores.set(client, store)
  return store
}

export const useNearbyStore = () => nearbyOf(useConvene())

export const useNearbyState = <S = NearbyState>(select?: (state: NearbyState) => S): S =>
  useStore(useNearbyStore(), select)
