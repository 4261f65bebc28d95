import type { Convene, EndReason, Frame, Me, paths, Problem } from 'convene-client'

/**
 * How the fake server fails: with an error, by never answering, or because there is no network. `existing` is the answer of a
 * POST that creates nothing.
 */
export type Outcome =
  | { outcome: 'existing'; body: unknown }
  | { outcome: 'refused'; problem: Partial<Problem> & Pick<Problem, 'code' | 'status'> }
  | { outcome: 'silent' }
  | { outcome: 'lost' }

export const refused = (code: Problem['code'], status: number, more: Partial<Problem> = {}): Outcome => ({
  outcome: 'refused',
  problem: { code, status, ...more },
})
export const existing = (body: unknown): Outcome => ({ outcome: 'existing', body })
/** The answer never arrives, to show the loading state. */
export const silent: Outcome = { outcome: 'silent' }
/** The request fails without a network. */
export const lost: Outcome = { outcome: 'lost' }

type Method = 'get' | 'put' | 'post' | 'delete'
type BodyOf<Operation> = Operation extends { responses: infer Responses }
  ? Responses extends { [Status in 200 | 201 | 202]?: { content: { 'application/json': infer Body } } }
    ? Body
    : unknown
  : never
export type Asked = { query: URLSearchParams; parts: Record<string, string> }
type Answer<Body> = Body | Outcome | null | ((asked: Asked) => Body | Outcome | null)
/** The answers of the fake server, by path and method. Null is an answer without a body. */
export type Answers = {
  [Path in keyof paths]?: { [M in Method]?: Answer<BodyOf<paths[Path][M]>> }
}

/** The user actions that a state can perform once it is shown. Names and labels are texts in the shown language. */
export type Hands = {
  /** The text of a key in the shown language. */
  t(key: string, values?: Record<string, string | number>): string
  /** Presses the element with this accessible name, once it exists. */
  press(name: string): Promise<void>
  type(label: string, text: string): Promise<void>
  choose(label: string): Promise<void>
  give(label: string, file: File): Promise<void>
  /** Waits until a text or an accessible name appears. */
  see(text: string): Promise<void>
  /** Waits until an element without a name appears. */
  find(selector: string): Promise<Element>
}

/** One state of a screen: how device and server behave, and what the user has done. */
export type State = {
  path: string
  /** Without it, the user is signed in. */
  session?: 'out' | EndReason
  me?: Partial<Me>
  answers?: Answers
  /** `stopped`: the server answers requests, but refuses the socket. */
  network?: 'on' | 'off' | 'connecting' | 'stopped'
  /** The frames that the socket sends after `hello`. */
  frames?: Frame[]
  /** Stored values of an earlier visit, by key. */
  kept?: Record<string, unknown>
  /** The device's answer when asked for its position. */
  position?: 'granted' | 'denied' | 'unavailable' | 'timeout' | 'unsupported'
  /** The operator's choices in `GET /app.json`. */
  brand?: Record<string, unknown>
  telegram?: 'light' | 'dark'
  /** The browser's permission for notifications. */
  push?: NotificationPermission | 'unsupported'
  /** Simulates an event of the browser or something else outside of the page. */
  begin?: () => void
  act?: (hands: Hands) => Promise<void>
}

/** The reason why a screen has no such state. */
export type None = string

type Made = (world: never) => State

/** The states that each screen must have. For a state that is impossible, the screen gives the reason. */
export const asked = ['usual', 'empty', 'slow', 'offline', 'error', 'long', 'many'] as const

export type Screen<World> = {
  title: string
  states: Record<(typeof asked)[number], ((world: World) => State) | None> &
    Record<string, ((world: World) => State) | None>
}

export type AnyScreen = Screen<never> & { states: Record<string, Made | None> }

/** The screens of one face. */
export type Face = {
  title: string
  screens: Record<string, AnyScreen>
  /** The states that docs/screens.md shows, with their captions. */
  pictures: Record<string, string>
}

/** The states of a face, by their path in the book: `nearby/usual`. */
export function entriesOf({ screens }: Face): { id: string; screen: string; state: string; made: Made }[] {
  return Object.entries(screens).flatMap(([screen, { states }]) =>
    Object.entries(states).flatMap(([state, made]) =>
      typeof made === 'string' ? [] : [{ id: `${screen}/${state}`, screen, state, made }],
    ),
  )
}

export type { Convene }
