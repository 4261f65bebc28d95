import loaders from 'texts:app'
import { translator, type Translation } from '../../shared/texts.ts'
import type { en } from '../../app/texts/en.ts'
import { entriesOf, type State } from '../book.ts'
import { show } from '../frame.ts'
import { tell } from '../network.ts'
import { app } from './screens.ts'
import { device } from '../device.ts'
import { now, type World, worldOf } from './world.ts'

const [, id = ''] = /^\/book\/app\/(.+)$/.exec(decodeURIComponent(location.pathname)) ?? []
const asked = new URLSearchParams(location.search).get('lang') ?? 'en'
const language = asked in loaders ? asked : 'en'

function prepare(state: State, world: World) {
  localStorage.clear()
  sessionStorage.clear()
  localStorage.setItem('convene:language', language)
  const user = { ...world.me, ...state.me }
  const reason = state.session === 'out' || state.session === undefined ? null : state.session
  const tokens = { access_token: 'made-up', refresh_token: '', good_until: now + 3_600_000 }
  if (state.session !== 'out')
    device.setItem(
      'convene:session',
      JSON.stringify({
        id: 'made-up',
        user,
        tokens: reason === null || reason === 'suspended' ? tokens : null,
        reason,
      }),
    )
  for (const [key, value] of Object.entries(state.kept ?? {})) device.setItem(`convene:${key}`, JSON.stringify(value))
  const brand = {
    name: 'Convene',
    logo: null,
    colors: { light: null, dark: null },
    texts: {},
    messenger: null,
    map_style_url: null,
    version: '0.6.0',
    ...state.brand,
  }
  localStorage.setItem('convene:brand', JSON.stringify(brand))
  return { user, brand }
}

const found = entriesOf(app).find((entry) => entry.id === id)
if (!found) document.documentElement.dataset.book = `there is no ${id}`
else {
  const world = worldOf(language)
  const state = (found.made as unknown as (world: World) => State)(world)
  const { user, brand } = prepare(state, world)
  // The app recognises Telegram by launch parameters in the URL and by an object in the page.
  if (state.telegram) {
    const dark = state.telegram === 'dark'
    const theme = dark
      ? {
          bg_color: '#17212b',
          text_color: '#f5f5f5',
          hint_color: '#b1c3d5',
          link_color: '#62bcf9',
          button_color: '#50a8eb',
          button_text_color: '#0b1720',
          secondary_bg_color: '#232e3c',
        }
      : {
          bg_color: '#ffffff',
          text_color: '#000000',
          hint_color: '#5b6470',
          link_color: '#0b6bb5',
          button_color: '#1670b5',
          button_text_color: '#ffffff',
          secondary_bg_color: '#f0f0f0',
        }
    const data = new URLSearchParams({
      user: JSON.stringify({ id: 7, first_name: world.me.name, language_code: language }),
      auth_date: String(Math.round(now / 1000)),
      hash: 'made-up',
      signature: 'made-up',
    })
    const launch = new URLSearchParams({
      tgWebAppData: String(data),
      tgWebAppVersion: '8.0',
      tgWebAppPlatform: 'ios',
      tgWebAppThemeParams: JSON.stringify(theme),
    })
    state.path += `#${launch}`
    Object.assign(globalThis, { TelegramWebviewProxy: { postEvent() {} } })
  }
  // Lets measurements send messages one after the other.
  const tellMessage = (number: number) => {
    const { chat } = world
    const data = world.message(chat.id, 1000 + number, chat.user.id, `${number}. ${world.words.lasts[number % 4]}`, 0)
    tell({ type: 'message', seq: number + 2, at: data.created_at, data: { ...data, read: false, read_at: null } })
  }
  const texts = (await loaders[language]?.()) as Translation<typeof en>
  void show({
    more: { tellMessage },
    state,
    answers: { ...world.answers, '/api/v1/me': { get: user, put: user } },
    pages: { '/app.json': brand },
    now,
    place: world.center,
    t: translator(language, texts) as (key: string, values?: Record<string, string | number>) => string,
    isLoading: () =>
      [...document.querySelectorAll(`[role=status][aria-label="${texts['app.loading']}"]`)].some((one) =>
        one.checkVisibility(),
      ),
    start: () => import('../../app/app.tsx'),
  })
}
