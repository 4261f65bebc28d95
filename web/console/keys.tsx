import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { isComposing } from '../shared/composing.ts'
import { readLocal, writeLocal } from '../shared/local-storage.ts'

export type Key = {
  /** `j`, `g q` (one after the other), `Mod+Enter` (Ctrl, on a Mac Command), `Escape`, `?`. */
  keys: string
  /** The text of what the key does. */
  label: string
  run: () => void
  /** Works also while the focus is in a text field. */
  inFields?: boolean
  /** Shown in the line below the screen, and not only in the list of all keys. */
  inLine?: boolean
  /** Works again and again while it is held down. */
  repeats?: boolean
}
type Layer = { group: string; keys: readonly Key[] }

const isMac = /mac/i.test(navigator.userAgent)
const key = 'convene:single-keys'

/** People who dictate or have a tremor can turn off keys that work without Ctrl (WCAG 2.1.4). */
const singleKeysChosen = () => readLocal(key) !== 'off'

function openKeys() {
  let layers: readonly Layer[] = []
  let singleKeys = singleKeysChosen()
  let begun = ''
  const listeners = new Set<() => void>()
  const changed = () => listeners.forEach((listener) => listener())

  const find = (keys: string) => {
    // The component that was shown last has precedence.
    for (const layer of layers.toReversed()) {
      const found = layer.keys.find((key) => key.keys === keys)
      if (found) return found
    }
    return null
  }
  const beginsSequence = (keys: string) =>
    layers.some((layer) => layer.keys.some((key) => key.keys.startsWith(`${keys} `)))

  return {
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    layers: () => layers,
    singleKeys: () => singleKeys,
    begun: () => begun,
    add(layer: Layer) {
      layers = [...layers, layer]
      changed()
      return () => {
        layers = layers.filter((each) => each !== layer)
        changed()
      }
    },
    setSingleKeys(on: boolean) {
      singleKeys = on
      writeLocal(key, on ? 'on' : 'off')
      changed()
    },
    pressed(event: KeyboardEvent) {
      if (event.defaultPrevented || isComposing(event) || event.altKey) return
      const name = nameOf(event)
      if (name === null) return
      // Otherwise one stroke could claim several reports, or decide the next one.
      if (event.repeat && !find(name)?.repeats) return
      const isWriting = writesText(event.target)
      if (name.length === 1 && (!singleKeys || isWriting)) return
      // Enter and the space bar belong to the focused element.
      if ((name === 'Enter' || name === ' ') && event.target !== document.body) return
      const key = find(begun === '' ? name : `${begun} ${name}`) ?? (begun === '' ? null : find(name))
      const begins = begun === '' && !isWriting && beginsSequence(name) ? name : ''
      if (begins !== begun) {
        begun = begins
        changed()
      }
      if (!key) return
      if (isWriting && !key.inFields) {
        // What is written stays: Escape leaves the field, and only the next one the screen.
        if (name === 'Escape' && event.target instanceof HTMLElement) event.target.blur()
        return
      }
      event.preventDefault()
      key.run()
    },
  }
}

/** The name of a key. If the keyboard types a non-Latin letter, it is the Latin letter at the same position. */
function nameOf({ key, code, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string | null {
  if (['Shift', 'Control', 'Meta', 'Alt', 'AltGraph', 'Dead'].includes(key)) return null
  const place = /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase()
  const typed = key.length === 1 && /\p{L}/u.test(key) && !/^[a-z]$/i.test(key) && place ? place : key
  const name = typed.length === 1 ? typed.toLowerCase() : typed
  if (isMac ? metaKey : ctrlKey) return `Mod+${name}`
  if (ctrlKey || metaKey) return null
  return shiftKey && (name.length > 1 || /[a-z]/.test(name)) ? `Shift+${name}` : name
}

const boxes = ['checkbox', 'radio', 'button', 'submit', 'range', 'file']
function writesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !boxes.includes(target.type)
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
}

const KeysContext = createContext<ReturnType<typeof openKeys> | null>(null)

function useKeysStore() {
  const store = useContext(KeysContext)
  if (!store) throw new Error('There is no KeysProvider around this component.')
  return store
}

export function KeysProvider({ children }: { children: ReactNode }) {
  const [store] = useState(openKeys)
  useEffect(() => {
    addEventListener('keydown', store.pressed)
    return () => removeEventListener('keydown', store.pressed)
  }, [store])
  return <KeysContext value={store}>{children}</KeysContext>
}

/** Keys that work while this component is shown. `group` is their heading in the list of all keys. */
export function useKeys(group: string, keys: readonly Key[]) {
  const store = useKeysStore()
  const current = useRef(keys)
  current.current = keys
  // Replace the layer only when its keys change, not whenever their functions do.
  const shape = JSON.stringify(keys.map(({ keys, label, inFields, inLine }) => [keys, label, inFields, inLine]))
  useEffect(() => {
    const layer = current.current.map((key, index) => ({ ...key, run: () => current.current[index]?.run() }))
    return store.add({ group, keys: layer })
  }, [store, group, shape])
}

/** All keys that work now, by group, and whether single-letter keys are on. */
export function useKeyList() {
  const store = useKeysStore()
  const layers = useSyncExternalStore(store.subscribe, store.layers)
  const singleKeys = useSyncExternalStore(store.subscribe, store.singleKeys)
  const begun = useSyncExternalStore(store.subscribe, store.begun)
  const groups = useMemo(() => {
    const found = new Map<string, Key[]>()
    for (const { group, keys } of layers.toReversed())
      if (keys.length > 0) found.set(group, [...(found.get(group) ?? []), ...keys])
    return [...found].map(([group, keys]) => ({ group, keys }))
  }, [layers])
  return { groups, singleKeys, begun, setSingleKeys: store.setSingleKeys }
}

/** Shows a key as it is labelled on the keyboard. */
export function Keys({ keys }: { keys: string }) {
  const names = keys.split(/[ +](?=.)/)
  return (
    <span aria-hidden>
      {names.map((name, index) => (
        <kbd key={index}>{shownNames[name] ?? name}</kbd>
      ))}
    </span>
  )
}

const shownNames: Record<string, string> = {
  Mod: isMac ? '⌘' : 'Ctrl',
  Enter: '↵',
  Escape: 'Esc',
  ArrowDown: '↓',
  ArrowUp: '↑',
  Shift: '⇧',
}
