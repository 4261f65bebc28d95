import type { Limits } from '../../lib/rate-limits.ts'
import type { Page, Paging } from '../../lib/paging.ts'
import { invalid, Refusal, required } from '../../lib/refusal.ts'
import { foldCase, languageTag } from '../../lib/text.ts'
import { days, hours, iso, isoOrNull } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import { type Caller, requireConsented } from '../auth/callers.ts'
import { notSignedIn } from '../auth/tokens.ts'
import type { Profiles } from '../profile/service.ts'
import { birthsOf } from '../profile/rules.ts'
import { genders } from '../profile/store.ts'
import { follow, placeKey } from './published-point.ts'
import type { SearchBudget } from './search-budget.ts'
import { type Point, roundedUp } from './sphere.ts'
import type { Location, LocationStore, NearbyFilters } from './store.ts'

export type Locations = ReturnType<typeof locationService>

type NearbySearch = Page & Ages & { lat?: number; lng?: number; radius?: number; filters: NearbyFilters }

/** In full years. Without both, people of any age. */
type Ages = { age_min?: number; age_max?: number }

type Deps = {
  store: LocationStore
  profiles: Profiles
  budget: SearchBudget
  limits: Limits
  audit: Audit
  paging: Paging
  /** The key that draws the noise: 32 bytes. */
  locationKey: Uint8Array
  maxAgeDays: number
  consentGate: boolean
  now: () => number
}

export function locationService({
  store,
  profiles,
  budget,
  limits,
  audit,
  paging: { keyOf, pageOf },
  locationKey,
  maxAgeDays,
  consentGate,
  now,
}: Deps) {
  /** The centre of a search: the given point, or the caller's own published one. */
  async function centreOf(caller: Caller, latitude: number | undefined, longitude: number | undefined): Promise<Point> {
    if (latitude !== undefined && longitude !== undefined) return { latitude, longitude }
    if (latitude !== undefined) throw required(['/lng'], 'Send both lat and lng, or neither.')
    if (longitude !== undefined) throw required(['/lat'], 'Send both lat and lng, or neither.')
    const { published } = await store.of(caller.id)
    if (!published) throw required(['/lat', '/lng'], 'Send lat and lng, or publish a position first.')
    return published
  }

  return {
    /** Publishes a position near the reading. The reading is used only to choose that position. */
    async publish(caller: Caller, reading: Point) {
      // The route limits the readings per minute. Both limits keep a stolen token from finding the edge of a place's zone.
      await limits.take('location_hour', caller.id)
      const place = placeKey(locationKey, caller.id)
      const location = await store.follow(caller.id, (before) => follow(place, before, reading), now())
      if (!location) throw notSignedIn()
      return locationView(location)
    },

    /** The caller's own published position. Refuses with 404 if none was published. */
    async published(caller: Caller) {
      const location = await store.of(caller.id)
      if (!location.published) throw new Refusal('not_found', 'No position was published.')
      return locationView(location)
    },

    /** Shows the caller on the map, or hides them at once. */
    async setVisible(caller: Caller, visible: boolean) {
      // Everybody may hide.
      if (visible) requireConsented({ consentGate }, caller)
      if ((await store.of(caller.id)).visible === visible) return { visible }
      if (!(await store.setVisible(caller.id, visible))) throw notSignedIn()
      await audit.fold('visibility', caller.id, caller.id, { visible })
      return { visible }
    },

    /** People around a point, or else around the caller's own published point, nearest first. */
    async nearby(caller: Caller, { lat, lng, radius = 5000, limit = 50, cursor, ...search }: NearbySearch) {
      const filters = { ...checkedFilters(search.filters), born: births(search, now()) }
      const key = keyOf('nearby', cursor, ['number', 'string'])
      const centre = await centreOf(caller, lat, lng)
      const counted = budget.spend(caller.id, centre)
      if (counted) await counted
      return budget.oneAtATime(caller.id, async () => {
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
        const shown = found.slice(0, limit)
        const showable = budget.show(
          caller.id,
          shown.map(({ user_id }) => user_id),
        )
        if (showable) await showable
        const people = await profiles.ofFound(shown)
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
            // Rounded down to the hour, so that it does not reveal when somebody comes and goes.
            updated_at: iso(Math.floor(updated_at / hours) * hours),
          }),
        )
      })
    },
  }
}

const locationView = ({ published, visible, updated_at }: Location) => ({
  latitude: published && published.latitude,
  longitude: published && published.longitude,
  visible,
  updated_at: isoOrNull(updated_at),
})

/** The months of birth to search for. Refuses impossible ages. */
function births({ age_min, age_max }: Ages, now: number): string[] | undefined {
  if (age_min === undefined && age_max === undefined) return undefined
  const ages = { min: age_min ?? 0, max: age_max ?? 150 }
  if (ages.min > ages.max) throw invalid('/age_max', 'Expected at least age_min', 'out_of_range')
  return birthsOf(ages, now)
}

/** The filters in the form in which preferences are stored. Refuses values that nobody can have. */
function checkedFilters(filters: NearbyFilters): NearbyFilters {
  for (const [name, values] of Object.entries(filters))
    if (values.length > 20 || values.some((value) => value.length > 160))
      throw invalid(`/${name}`, 'Expected up to 20 values of up to 40 characters', 'too_long')
  if (filters.gender?.some((value) => !genders.some((gender) => gender === value)))
    throw invalid('/gender', 'Expected female, male or other', 'not_allowed')
  const language = filters.language?.map((value) => {
    const tag = languageTag(value)
    if (tag === null) throw invalid('/language', 'Expected a BCP 47 language tag, such as en or pt-BR', 'format')
    return tag
  })
  return {
    ...filters,
    language,
    drinks: inAnyCase(filters.drinks),
    activities: inAnyCase(filters.activities),
    purposes: inAnyCase(filters.purposes),
  }
}

/** Folded, and also as given: preferences that an older release has written are not folded until a job has done so. */
const inAnyCase = (values: readonly string[] = []) => [...new Set(values.flatMap((value) => [foldCase(value), value]))]
