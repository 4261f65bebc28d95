import loaders from 'texts:console'
import type { en } from '../../console/texts/en.ts'
import { translator, type Translation } from '../../shared/texts.ts'
import { now } from '../app/world.ts'
import { entriesOf, type State } from '../book.ts'
import { device } from '../device.ts'
import { show } from '../frame.ts'
import { console as face } from './screens.ts'
import { type World, worldOf } from './world.ts'

const [, id = ''] = /^\/book\/console\/(.+)$/.exec(decodeURIComponent(location.pathname)) ?? []
const asked = new URLSearchParams(location.search).get('lang') ?? 'en'
const language = asked in loaders ? asked : 'en'

const found = entriesOf(face).find((entry) => entry.id === id)
if (!found) document.documentElement.dataset.book = `there is no ${id}`
else {
  const world = worldOf(language)
  const state = (found.made as unknown as (world: World) => State)(world)
  const user = { ...world.me, ...state.me }
  localStorage.clear()
  sessionStorage.clear()
  localStorage.setItem('convene:language', language)
  const scheme = new URLSearchParams(location.search).get('scheme')
  if (scheme) localStorage.setItem('convene:scheme', scheme)
  const reason = state.session === 'out' || state.session === undefined ? null : state.session
  const tokens = { access_token: 'made-up', refresh_token: '', good_until: now + 3_600_000 }
  if (state.session !== 'out')
    device.setItem(
      'convene:session',
      JSON.stringify({ id: 'made-up', user, tokens: reason === null ? tokens : null, reason }),
    )
  const texts = (await loaders[language]?.()) as Translation<typeof en>
  void show({
    state,
    answers: { ...world.answers, '/api/v1/me': { get: user } },
    pages: {
      '/app.json': { name: 'Convene', logo: null, version: '0.6.0', ...state.brand },
      '/ready': world.ready,
    },
    now,
    place: { latitude: 0, longitude: 0 },
    t: translator(language, texts) as (key: string, values?: Record<string, string | number>) => string,
    isLoading: () =>
      [...document.querySelectorAll(`[role=status][aria-label="${texts['console.loading']}"]`)].some((one) =>
        one.checkVisibility(),
      ),
    start: () => import('../../console/console.tsx'),
  })
}
