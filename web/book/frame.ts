import type { Answers, State } from './book.ts'
import { handsOf, settled } from './hands.ts'
import { installNetwork, unanswered, unknownRequests, waiting } from './network.ts'

type Fiber = { type: unknown; child: Fiber | null; sibling: Fiber | null }

/** The names of the components that were rendered. The book's build registers their functions in `bookComponents`. */
const drawn = new Set<string>()

/** Hooks into React's interface for developer tools to record rendered components, so that a test finds those that no state renders. */
function watchComponents() {
  const names = () => (globalThis as { bookComponents?: Map<unknown, string> }).bookComponents
  const walk = (fiber: Fiber | null) => {
    for (let at = fiber; at; at = at.sibling) {
      const name = names()?.get(at.type)
      if (name !== undefined) drawn.add(name)
      walk(at.child)
    }
  }
  Object.assign(globalThis, {
    __REACT_DEVTOOLS_GLOBAL_HOOK__: {
      supportsFiber: true,
      renderers: new Map(),
      inject: () => 1,
      checkDCE() {},
      onCommitFiberRoot: (_: number, root: { current: Fiber }) => walk(root.current),
      onCommitFiberUnmount() {},
      onPostCommitFiberRoot() {},
    },
  })
}

/** Sets the page's clock to a fixed time, from which it runs on. */
function setClock(start: number) {
  const Real = Date
  const begun = performance.now()
  const at = () => start + Math.round(performance.now() - begun)
  globalThis.Date = new Proxy(Real, {
    construct: (target, given) => (given.length === 0 ? new target(at()) : Reflect.construct(target, given)),
    get: (target, key) => (key === 'now' ? at : Reflect.get(target, key)),
  })
}

const errorOf: Record<string, number> = { denied: 1, unavailable: 2, timeout: 3 }

function installDevice(state: State, place: { latitude: number; longitude: number }) {
  const { position = 'granted', push = 'unsupported' } = state
  const define = (name: string, value: unknown) => Object.defineProperty(navigator, name, { value, configurable: true })
  // The page checks whether these exist, so delete them instead of overriding them.
  for (const name of ['serviceWorker', ...(position === 'unsupported' ? ['geolocation'] : [])])
    Reflect.deleteProperty(Navigator.prototype, name)
  if (position !== 'unsupported')
    define('geolocation', {
      getCurrentPosition(found: (position: unknown) => void, failed: (error: unknown) => void) {
        const code = errorOf[position]
        const error = Object.create(GeolocationPositionError.prototype, { code: { value: code } })
        setTimeout(() => (code === undefined ? found({ coords: place }) : failed(error)))
      },
    })
  if (push !== 'unsupported') {
    const registration = {
      addEventListener() {},
      pushManager: { getSubscription: async () => null },
      getNotifications: async () => [],
      update: async () => {},
    }
    define('serviceWorker', {
      ready: Promise.resolve(registration),
      register: async () => registration,
      getRegistration: async () => registration,
      addEventListener() {},
      removeEventListener() {},
    })
    Object.assign(globalThis, {
      PushManager: class {},
      Notification: { permission: push, requestPermission: async () => push },
    })
  }
}

export type Given = {
  state: State
  answers: Answers
  /** The server's answers outside of its API, by path. */
  pages: Record<string, unknown>
  now: number
  place: { latitude: number; longitude: number }
  /** The texts of the face, for `Hands`. */
  t: (key: string, values?: Record<string, string | number>) => string
  /** Further fields of `globalThis.book`. */
  more?: Record<string, unknown>
  /** Whether a skeleton is shown. */
  isLoading: () => boolean
  /** Loads the face, which renders itself. */
  start: () => Promise<unknown>
}

/** Shows one state in this page. When it is complete, `data-book` of the root element is `ready`, or the error. */
export async function show({ state, answers, pages, now, place, t, more, isLoading, start }: Given): Promise<void> {
  const page = document.documentElement
  const asked = new URLSearchParams(location.search)
  const scheme = asked.get('scheme')
  const size = asked.get('text')
  if (scheme) page.dataset.scheme = scheme
  if (size) page.style.fontSize = `${size}%`
  const book: Record<string, unknown> = { drawn, unknownRequests, ...more }
  Object.assign(globalThis, { book })
  try {
    watchComponents()
    setClock(now)
    installNetwork(state, answers, pages)
    installDevice(state, place)
    history.replaceState(null, '', state.path)
    state.begin?.()
    await start()
    await document.fonts.ready
    // A screen has no heading until its code has loaded. A skeleton may stay only if an answer never arrives.
    const isBusy = () => waiting > 0 || !document.querySelector('h1') || (unanswered === 0 && isLoading())
    await settled(isBusy)
    await state.act?.(handsOf(t))
    await settled(isBusy)
    book.settled = () => settled(isBusy)
    page.dataset.book = 'ready'
  } catch (error) {
    page.dataset.book = String(error)
  }
}
