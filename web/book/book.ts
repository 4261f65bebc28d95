import type { Convene, EndReason, Frame, Me, paths, Problem } from 'convene-client'

/** What the made-up server does where it does not answer: an error, silence, or no network. */
export type Outcome =
  | { outcome: 'refused'; problem: Partial<Problem> & Pick<Problem, 'code' | 'status'> }
  | { outcome: 'silent' }
  | { outcome: 'lost' }

export const refused = (code: Problem['code'], status: number, more: Partial<Problem> = {}): Outcome => ({
  outcome: 'refused',
  problem: { code, status, ...more },
})
/** The answer never comes: what is shown while something loads. */
export const silent: Outcome = { outcome: 'silent' }
/** The request finds no network. */
export const lost: Outcome = { outcome: 'lost' }

type Method = 'get' | 'put' | 'post' | 'delete'
type BodyOf<Operation> = Operation extends { responses: infer Responses }
  ? Responses extends { [Status in 200 | 201 | 202]?: { content: { 'application/json': infer Body } } }
    ? Body
    : unknown
  : never
export type Asked = { query: URLSearchParams; parts: Record<string, string> }
type Answer<Body> = Body | Outcome | null | ((asked: Asked) => Body | Outcome | null)
/** What the made-up server answers, by path and method. Null is an answer without a body. */
export type Answers = {
  [Path in keyof paths]?: { [M in Method]?: Answer<BodyOf<paths[Path][M]>> }
}

/** What a state does once it is shown, as its user would: with the texts of the language it is shown in. */
export type Hands = {
  /** The text of a key, so that a state can be acted on in each language. */
  t(key: string, values?: Record<string, string | number>): string
  /** Presses what has this name, once it is there. */
  press(name: string): Promise<void>
  type(label: string, text: string): Promise<void>
  choose(label: string): Promise<void>
  give(label: string, file: File): Promise<void>
  /** Waits until a text or a name is there. */
  see(text: string): Promise<void>
  /** Waits until something that has no name is there. */
  find(selector: string): Promise<Element>
}

/** One picture of a screen: what the device and the server are like, and what was done. */
export type State = {
  path: string
  /** Signed in, unless it says otherwise. */
  session?: 'out' | EndReason
  me?: Partial<Me>
  answers?: Answers
  network?: 'on' | 'off' | 'connecting'
  /** What the socket tells after the greeting. */
  frames?: Frame[]
  /** What the device has kept of an earlier visit, by its key. */
  kept?: Record<string, unknown>
  /** What the device answers to the question where it is. */
  position?: 'granted' | 'denied' | 'unavailable' | 'timeout' | 'unsupported'
  /** What the operator chose: `GET /app.json`. */
  brand?: Record<string, unknown>
  telegram?: 'light' | 'dark'
  /** Whether the browser can be sent notifications. */
  push?: NotificationPermission | 'unsupported'
  /** An event of the browser, or something else outside of the page's reach. */
  begin?: () => void
  act?: (hands: Hands) => Promise<void>
}

/** Why a screen has no such state. */
export type None = string

type Made = (world: never) => State

/** The states that each screen is asked for. One that it cannot have says why. */
export const asked = ['usual', 'empty', 'slow', 'offline', 'error', 'long', 'many'] as const

export type Screen<World> = {
  title: string
  states: Record<(typeof asked)[number], ((world: World) => State) | None> &
    Record<string, ((world: World) => State) | None>
}

export type AnyScreen = Screen<never> & { states: Record<string, Made | None> }

/** The screens of one face, and what mounts it. */
export type Face = {
  title: string
  screens: Record<string, AnyScreen>
  /** The states whose pictures stand in docs/screens.md, and what they are called there. */
  pictures: Record<string, string>
}

/** The states of a face, by their address in the book: `nearby/usual`. */
export function entriesOf({ screens }: Face): { id: string; screen: string; state: string; made: Made }[] {
  return Object.entries(screens).flatMap(([screen, { states }]) =>
    Object.entries(states).flatMap(([state, made]) =>
      typeof made === 'string' ? [] : [{ id: `${screen}/${state}`, screen, state, made }],
    ),
  )
}

export type { Convene }
