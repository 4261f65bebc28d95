import type { Convene } from 'convene-client'
import type { ComponentType } from 'react'

/** The module of a screen. `prepare` requests its data before it is rendered. */
type Screen = { default: ComponentType; prepare?: (client: Convene) => void }

const files = {
  welcome: () => import('./account/welcome.tsx'),
  signIn: () => import('./account/sign-in.tsx'),
  signUp: () => import('./account/sign-up.tsx'),
  forgot: () => import('./account/forgot.tsx'),
  nearby: () => import('./people/nearby.tsx'),
  person: () => import('./people/person.tsx'),
  conversations: () => import('./chats/conversations.tsx'),
  me: () => import('./settings/me.tsx'),
  settings: () => import('./settings/settings.tsx'),
} satisfies Record<string, () => Promise<Screen>>

/** Screens that need nothing but the path. Each is a separate file, fetched when it is first shown. */
export type ScreenName = keyof typeof files

const fetched = new Map<ScreenName, ComponentType>()

export async function fetchScreen(name: ScreenName): Promise<Screen> {
  const file: Screen = await files[name]()
  fetched.set(name, file.default)
  return file
}

/** A screen that has been fetched already. */
export const fetchedScreen = (name: ScreenName): ComponentType | undefined => fetched.get(name)

/** The screens by the first segment of the path. */
const first: Record<string, ScreenName> = {
  '': 'welcome',
  'sign-in': 'signIn',
  'sign-up': 'signUp',
  'forgot-password': 'forgot',
  nearby: 'nearby',
  people: 'person',
  chats: 'conversations',
  me: 'me',
  settings: 'settings',
}

/** Fetches the screen of the current path. Null if that fails; the app then shows the failure in its place. */
export async function fetchFirst(): Promise<Screen | null> {
  const name = first[location.pathname.split('/')[1] ?? '']
  return name === undefined ? null : fetchScreen(name).catch(() => null)
}
