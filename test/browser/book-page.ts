import type { Page } from 'playwright-core'
import axe from 'axe-core'

// What runs in the page is text: the types here are those of Bun.
const drawn = `(async () => {
  // Parts that are off the screen get new colours only with the next picture.
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
})()`

const everything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const check = (rules: object) => `(async () => {
  ${drawn}
  const { violations } = await axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })
  return violations.map(({ id, nodes }) =>
    id + ': ' + nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 160) + ' ' + failureSummary).join(' | '))
})()`

/** What stands out of the page, or is cut off, as with large text. What is cut with an ellipsis is shown whole elsewhere. */
const overflow = `(() => {
  const found = []
  const page = document.documentElement
  if (page.scrollWidth > innerWidth) found.push('the page scrolls sideways: ' + page.scrollWidth)
  // Whether what is around it ends in an ellipsis instead.
  const isShortened = ({ parentElement: up }) =>
    up !== null && (getComputedStyle(up).textOverflow === 'ellipsis' || isShortened(up))
  const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
  for (const one of scope.querySelectorAll('*')) {
    if (!one.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) continue
    const style = getComputedStyle(one)
    const { left, right, width } = one.getBoundingClientRect()
    const name = one.tagName + '.' + String(one.className.baseVal ?? one.className) + ' ' + (one.textContent ?? '').slice(0, 40)
    const isBeyond = width > 1 && (right > innerWidth + 1 || left < -1) && !one.closest('svg, pre, canvas, .maplibregl-map')
    if (isBeyond && !isShortened(one)) found.push('beyond the edge: ' + name)
    if (one.matches('.unseen, .unseen *, input, textarea')) continue
    const isCut = /hidden|clip/.test(style.overflowX) && style.textOverflow !== 'ellipsis' && width > 1
    if (isCut && one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0) found.push('cut off: ' + name)
  }
  return [...new Set(found)].slice(0, 5)
})()`

/** Every part that takes the focus shows it: by an outline of its own, or of what stands for it. */
const focus = `(async () => {
  const found = []
  const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
  const before = document.activeElement
  for (const one of scope.querySelectorAll('a[href], button, input, textarea, select, summary, [tabindex="0"]')) {
    if (one.disabled || !one.checkVisibility({ visibilityProperty: true })) continue
    one.focus({ focusVisible: true, preventScroll: true })
    if (document.activeElement !== one) continue
    const shows = [one, one.parentElement, one.nextElementSibling].some((part) => {
      if (!part) return false
      const { outlineStyle, outlineWidth } = getComputedStyle(part)
      return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
    })
    if (!shows) found.push((one.getAttribute('aria-label') ?? one.textContent ?? '').slice(0, 60) + ' ' + one.outerHTML.slice(0, 100))
  }
  before?.focus?.({ preventScroll: true })
  return found.slice(0, 5)
})()`

/** What takes the focus on the page, by how often. */
export const focusable = `(() => {
  const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
  const groups = new Set()
  return [...scope.querySelectorAll('a[href], button, input, textarea, select, summary, [tabindex="0"]')].filter((one) => {
    if (one.disabled || !one.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) return false
    if (one.type !== 'radio') return true
    // The keys reach one of a group of radio buttons; the arrows the others.
    const isNew = !groups.has(one.name)
    groups.add(one.name)
    return isNew
  }).length
})()`

type Shown = { book: string; drawn: string[]; unknown: string[] }

/** Opens one state of the book. */
export async function openEntry(page: Page, book: URL, entry: string, query = ''): Promise<Shown> {
  await page.goto(`${book}book/${entry}?${query}`)
  await page.waitForFunction('document.documentElement.dataset.book')
  return page.evaluate(
    '({ book: document.documentElement.dataset.book, drawn: [...(globalThis.book?.drawn ?? [])], unknown: globalThis.book?.unknownRequests ?? [] })',
  )
}

/** Sets the size of the window, and waits until the page has settled in it. */
export async function resize(page: Page, size: { width: number; height: number }) {
  await page.setViewportSize(size)
  await page.evaluate('globalThis.book?.settled?.()')
}

export const axeSource = axe.source
export const violations = (page: Page) => page.evaluate<string[]>(check({ type: 'tag', values: everything }))
/** All but colours, which are the same in each language. */
export const violationsButColours = (page: Page) =>
  page.evaluate<string[]>(
    `(async () => {
      const { violations } = await axe.run(document, {
        runOnly: ${JSON.stringify({ type: 'tag', values: everything })},
        rules: { 'color-contrast': { enabled: false } },
        resultTypes: ['violations'],
      })
      return violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | '))
    })()`,
  )
export const contrast = (page: Page) =>
  page.evaluate<string[]>(check({ type: 'rule', values: ['color-contrast', 'link-in-text-block'] }))
export const overflowing = (page: Page) => page.evaluate<string[]>(overflow)
export const unfocused = (page: Page) => page.evaluate<string[]>(focus)
/** What moves, or will. A movement that has come to its end, or takes no time, is none. */
export const moving = (page: Page) =>
  page.evaluate<string[]>(`document.getAnimations().filter(({ effect }) => {
    const { duration, iterations } = effect.getComputedTiming()
    return duration > 1 || iterations === Infinity
  }).map(({ animationName, transitionProperty, effect }) =>
    (animationName ?? transitionProperty) + ' of ' + effect.target.outerHTML.slice(0, 120))`)
export const enlarge = (page: Page) =>
  page.evaluate(
    `document.documentElement.style.fontSize = '200%'; new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))`,
  )
