import { searchBudget } from '../features/location/search-budget.ts'
import { locationService } from '../features/location/service.ts'
import { profileService } from '../features/profile/service.ts'
import type { Content } from './content.ts'
import type { Core } from './core.ts'

export type ProfileServices = ReturnType<typeof buildProfiles>

/** Profiles and positions. */
export function buildProfiles({
  config,
  secrets,
  storage,
  shared,
  limits,
  paging,
  audit,
  consents,
  blocking,
  webhooks,
  media,
  filter,
  now,
}: Core & Content) {
  const profiles = profileService({
    store: storage.users,
    filter,
    consents,
    photos: media,
    blocking,
    webhooks,
    audit,
    now,
  })
  const budget = searchBudget({ enabled: config.rateLimit !== null, shared: shared?.budget, now })
  const locations = locationService({
    store: storage.locations,
    profiles,
    budget,
    limits,
    audit,
    paging,
    locationKey: secrets.location,
    maxAgeDays: config.nearbyMaxAgeDays,
    consentGate: config.consentGate,
    now,
  })
  return { profiles, budget, locations }
}
