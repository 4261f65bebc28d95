import type { Convene } from 'convene-client'
import type { ComponentType } from 'react'

/** A file of a screen. What it shows first can be asked for before it is drawn. */
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

/** Screens that need nothing but the address. Each is a file of its own, fetched when it is first shown. */
export type ScreenName = keyof typeof files

const fetched = new Map<ScreenName, ComponentType>()

export async function fetchScreen(name: ScreenName): Promise<Screen> {
  const file: Screen = await files[name]()
  fetched.set(name, file.default)
  return file
}

/** A screen that has come already. */
export const fetchedScreen = (name: ScreenName): ComponentType | undefined => fetched.get(name)

/** By the first part of the address. */
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

/** Fetches the screen that the address names; null where it does not come, which the app shows in its place. */
export async function fetchFirst(): Promise<Screen | null> {
  const name = first[location.pathname.split('/')[1] ?? '']
  return name === undefined ? null : fetchScreen(name).catch(() => null)
}
