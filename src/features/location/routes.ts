import { Elysia } from 'elysia'
import type { SignedIn } from '../../http/signed-in.ts'
import { tidy } from '../../text.ts'
import * as model from './model.ts'
import type { Locations } from './service.ts'
import type { NearbyFilters } from './store.ts'

const filterNames = ['drinks', 'activities', 'purposes', 'language', 'gender'] as const

/** The filters of a query, read by hand: Elysia would split a value at its commas. */
function filtersOf(url: string): NearbyFilters {
  // Not as a URL: its host is whatever the client wrote.
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  return Object.fromEntries(filterNames.map((name) => [name, query.getAll(name).map(tidy)]))
}

export const locationRoutes = ({ signedIn, locations }: { signedIn: SignedIn; locations: Locations }) =>
  new Elysia({ name: 'location' })
    .use(signedIn)
    .put('/api/v1/me/location', ({ caller, body }) => locations.publish(caller, body), {
      limit: 'write',
      body: model.reading,
      response: { 200: model.location },
      detail: {
        summary: 'Publish a position',
        description:
          'Answers the published position, some 300 m from the one sent, which is not kept. The same place is always published alike.',
        tags: ['location'],
      },
    })
    .put('/api/v1/me/visibility', ({ caller, body }) => locations.setVisible(caller, body.visible), {
      limit: 'write',
      body: model.visibility,
      response: { 200: model.visibility },
      detail: {
        summary: 'Show or hide on the map',
        description: 'At once.',
        tags: ['location'],
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
            'Filters are repeatable: any value of one, all of the different ones. An account may search in 500 different cells of 0.01° a day.',
          tags: ['location'],
        },
      },
    )
