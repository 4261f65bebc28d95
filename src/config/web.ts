import { resolve } from 'node:path'
import { readBrand } from '../lib/brand.ts'
import { onOrOff, setting } from '../lib/settings.ts'
import { originOf, webUrl } from './readers.ts'

/** The web app and the console. */
export const webSettings = {
  webApp: setting({
    name: 'WEB_APP',
    ...onOrOff,
    default: 'on',
    help: 'The web app at `/`. `off` serves the API alone.',
  }),
  console: setting({
    name: 'CONSOLE',
    ...onOrOff,
    default: 'on',
    help: 'The console for moderators and admins at `/console`. `off` removes it.',
  }),
  /** The operator's design of the app; null for the default one. */
  brand: setting({
    name: 'BRAND_DIR',
    reload: true,
    type: 'directory',
    default: null,
    help: 'Directory with [the name, colours, logo and texts](docs/fork-the-app.md#your-own-look) of your community.',
    read: (value) => readBrand(resolve(value)),
  }),
  frameAncestors: setting({
    name: 'FRAME_ANCESTORS',
    type: 'origins',
    default: '',
    shownDefault: 'none',
    help: 'Origins whose pages may show the app in a frame, such as `https://web.telegram.org`, separated by commas.',
    read: (value) => value.split(',').flatMap((part) => (part.trim() === '' ? [] : [originOf(part.trim())])),
  }),
  mapStyleUrl: setting({
    name: 'MAP_STYLE_URL',
    type: 'URL',
    default: null,
    help: 'Map style for MapLibre, to show people nearby. Without it, the app shows distances without a map.',
    read: webUrl,
  }),
}
