import { keyOf, type Page, pageOf } from '../../paging.ts'
import { invalid } from '../../refusal.ts'
import { languageTag } from '../../text.ts'
import { days, hours, iso, isoOrNull } from '../../time.ts'
import type { Audit } from '../audit/service.ts'
import type { Caller } from '../auth/callers.ts'
import { notSignedIn } from '../auth/tokens.ts'
import type { Profiles } from '../profile/service.ts'
import type { Gender } from '../profile/store.ts'
import { follow, placeKey } from './published-point.ts'
import type { SearchBudget } from './search-budget.ts'
import { type Point, roundedUp } from './sphere.ts'
import type { LocationStore, NearbyFilters } from './store.ts'

export type Locations = ReturnType<typeof locationService>

export type NearbySearch = Page & { lat: number; lng: number; radius?: number; filters: NearbyFilters }

type Deps = {
  store: LocationStore
  profiles: Profiles
  budget: SearchBudget
  audit: Audit
  /** Draws the noise: 32 bytes. */
  locationKey: Uint8Array
  maxAgeDays: number
  now: () => number
}

export function locationService({ store, profiles, budget, audit, locationKey, maxAgeDays, now }: Deps) {
  return {
    /** Publishes a position near the reading. The reading goes into nothing but the choice of that position. */
    async publish(caller: Caller, reading: Point) {
      const place = placeKey(locationKey, caller.id)
      const location = await store.follow(caller.id, (before) => follow(place, before, reading), now())
      if (!location) throw notSignedIn()
      const { published, visible, updated_at } = location
      return {
        latitude: published && published.latitude,
        longitude: published && published.longitude,
        visible,
        updated_at: isoOrNull(updated_at),
      }
    },

    /** Shows the caller on the map, or hides them at once. */
    async setVisible(caller: Caller, visible: boolean) {
      if (!(await store.setVisible(caller.id, visible))) throw notSignedIn()
      await audit.note('visibility', caller.id, caller.id, { visible })
      return { visible }
    },

    /** People around a point, nearest first. */
    async nearby(caller: Caller, { lat, lng, radius = 5000, limit = 50, cursor, ...search }: NearbySearch) {
      const filters = checkedFilters(search.filters)
      const key = keyOf('nearby', cursor, ['number', 'string'])
      const centre = { latitude: lat, longitude: lng }
      const counted = budget.spend(caller.id, centre)
      if (counted) await counted
      const at = now()
      const found = await store.nearby({
        caller: caller.id,
        centre,
        radius,
        limit: limit + 1,
        filters,
        after: key && { distance: key[0], user_id: key[1] },
        since: at - maxAgeDays * days,
        now: at,
      })
      const people = await profiles.byIds(found.slice(0, limit).map(({ user_id }) => user_id))
      return pageOf(
        'nearby',
        found,
        limit,
        ({ distance, user_id }) => [distance, user_id],
        ({ user_id, latitude, longitude, distance, updated_at }) => ({
          user: people.get(user_id)!,
          latitude,
          longitude,
          distance_m: roundedUp(distance),
          // Finer than the hour it would tell when somebody comes and goes.
          updated_at: iso(Math.floor(updated_at / hours) * hours),
        }),
      )
    },
  }
}

/** The filters, languages in the form in which they are stored. Refuses what nobody could fit. */
function checkedFilters(filters: NearbyFilters): NearbyFilters {
  for (const [name, values] of Object.entries(filters))
    if (values.length > 20 || values.some((value) => value.length > 160))
      throw invalid(`/${name}`, 'Expected up to 20 values of up to 40 characters')
  if (filters.gender?.some((value) => !genders.has(value))) throw invalid('/gender', 'Expected female, male or other')
  const language = filters.language?.map((value) => {
    const tag = languageTag(value)
    if (tag === null) throw invalid('/language', 'Expected a BCP 47 language tag, such as en or pt-BR')
    return tag
  })
  return { ...filters, language }
}

const genders: ReadonlySet<string> = new Set<Gender>(['female', 'male', 'other'])
