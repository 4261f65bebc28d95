import type { Hands } from './book.ts'

const patienceMs = 20_000

const frame = () => new Promise((drawn) => requestAnimationFrame(drawn))

async function until<Found>(what: string, look: () => Found | null | undefined | false): Promise<Found> {
  const end = performance.now() + patienceMs
  for (;;) {
    const found = look()
    if (found) return found
    if (performance.now() > end) throw new Error(`did not appear: ${what}`)
    await frame()
  }
}

const clean = (text: string | null) => (text ?? '').replace(/\s+/g, ' ').trim()

/** The text of an element as a screen reader reads it: with the alternative texts of images, without hidden parts. */
function wordsOf(node: Node): string {
  if (node instanceof HTMLImageElement) return node.alt
  if (node instanceof Element && node.getAttribute('aria-hidden') === 'true') return ''
  if (node.childNodes.length === 0) return node.textContent ?? ''
  return [...node.childNodes].map(wordsOf).join('')
}

function nameOf(element: Element): string {
  const label = element.getAttribute('aria-label')
  if (label !== null) return clean(label)
  const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName)
  const labelled = isField ? (element as HTMLInputElement).labels?.[0] : element
  return labelled ? clean(wordsOf(labelled)) : ''
}

const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true })
/** The part of the page that can be used: an open dialog makes the rest inert. */
const activePart = () => [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body

function named(selector: string, name: string): Element | undefined {
  const all = [...activePart().querySelectorAll(selector)].filter(isShown)
  return all.find((one) => nameOf(one) === name) ?? all.find((one) => nameOf(one).startsWith(name))
}

function write(box: HTMLInputElement | HTMLTextAreaElement, text: string) {
  const kind = box instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement
  // React ignores values set through its own setter, so use the prototype's.
  Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(box, text)
  box.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Simulates a user of the page. */
export function handsOf(t: Hands['t']): Hands {
  const pressable = 'button, a, summary, label, [role=img]'
  return {
    t,
    async press(name) {
      const found = await until(name, () => named(pressable, name))
      if (found instanceof HTMLElement) found.click()
      await frame()
    },
    async type(label, text) {
      const box = await until(label, () => named('input, textarea', label))
      if (box instanceof HTMLInputElement || box instanceof HTMLTextAreaElement) write(box, text)
      await frame()
    },
    async choose(label) {
      const box = await until(label, () => named('input[type=checkbox], input[type=radio]', label))
      if (box instanceof HTMLElement) box.click()
      await frame()
    },
    async give(label, file) {
      const box = await until(label, () =>
        [...document.querySelectorAll('input[type=file]')].find((one) => nameOf(one) === label),
      )
      const files = new DataTransfer()
      files.items.add(file)
      if (box instanceof HTMLInputElement) box.files = files.files
      box.dispatchEvent(new Event('change', { bubbles: true }))
    },
    async see(text) {
      await until(text, () => clean(activePart().textContent).includes(text) || named('[aria-label]', text))
    },
    find: (selector) => until(selector, () => document.querySelector(selector)),
  }
}

/** Waits until the page is stable: no request is pending, no image loads, and nothing changes for some frames. */
export async function settled(isBusy: () => boolean): Promise<void> {
  let quiet = 0
  const watch = new MutationObserver(() => (quiet = 0))
  watch.observe(document.documentElement, { subtree: true, childList: true, attributes: true, characterData: true })
  const end = performance.now() + patienceMs
  while (quiet < 4) {
    if (performance.now() > end) throw new Error('the page keeps changing')
    const loads = [...document.images].some((image) => !image.complete && isShown(image) && image.loading !== 'lazy')
    quiet = isBusy() || loads ? 0 : quiet + 1
    await frame()
  }
  watch.disconnect()
}
