import { Elysia } from 'elysia'
import type { SignedIn } from '../../http/signed-in.ts'
import { tidyLabel } from '../../lib/text.ts'
import * as model from './model.ts'
import type { Locations } from './service.ts'
import { namedFilters, type NearbyFilters } from './store.ts'

/**
 * The filters of a query. Elysia's own parser cannot read them: it splits each value of a list at its commas, and cuts off the
 * ends of one that begins with a bracket.
 */
function filtersOf(url: string): NearbyFilters {
  // Not parsed as a URL: its host is whatever the client wrote, and may be invalid.
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  return Object.fromEntries(namedFilters.map((name) => [name, query.getAll(name).map(tidyLabel)]))
}

export const locationRoutes = ({ signedIn, locations }: { signedIn: SignedIn; locations: Locations }) =>
  new Elysia({ name: 'location' })
    .use(signedIn)
    .get('/api/v1/me/location', ({ caller }) => locations.published(caller), {
      response: { 200: model.location },
      detail: {
        summary: 'The published position',
        description: 'As others may see it. The true position is not stored.',
        tags: ['location'],
        refusals: ['not_found'],
      },
    })
    .put('/api/v1/me/location', ({ caller, body }) => locations.publish(caller, body), {
      limit: 'location',
      body: model.reading,
      response: { 200: model.location },
      detail: {
        summary: 'Publish a position',
        description:
          'Returns the published position, some 300 m from the one that was sent, which is not stored. The same place always gets the same published position. 6 a minute and 60 an hour.',
        tags: ['location'],
        refusals: ['rate_limited'],
      },
    })
    .put('/api/v1/me/visibility', ({ caller, body }) => locations.setVisible(caller, body.visible), {
      limit: 'write',
      body: model.visibility,
      response: { 200: model.visibility },
      detail: {
        summary: 'Show or hide on the map',
        description:
          'Takes effect at once, and the choice is stored. A user without the mandatory consents is shown to nobody until they are given.',
        tags: ['location'],
        // Only for showing: everybody may hide.
        refusals: ['consents_gate'],
      },
    })
    .get(
      '/api/v1/search/nearby',
      ({ caller, query, request }) => locations.nearby(caller, { ...query, filters: filtersOf(request.url) }),
      {
        limit: 'search',
        query: model.nearbyQuery,
        response: { 200: model.neighbours },
        detail: {
          summary: 'People around a point, nearest first',
          description:
            'Without `lat` and `lng`, around your own published point, so that no URL contains a position; if you have published none, they are required. Filters are repeatable: people match any value of each filter. `age_min` and `age_max` find only people who show their age. An account may search in 500 different cells of 0.01° a day, and be shown 3,000 different people.',
          tags: ['location'],
        },
      },
    )
