import { type Ref, useEffect, useRef } from 'react'

/**
 * Whether a heading takes the focus when it appears. The first one of a page does not: the browser has just opened it, and the
 * user has pressed nothing.
 */
let isHeadingNext = false

/**
 * The `ref` of an element that goes once its button is pressed. It leaves the focus to the conversation that it is part of, or
 * else to the heading of the page, so that the keyboard continues there and screen readers say something. While the page has
 * no heading, as it loads, the next one takes the focus.
 */
export const leaveFocus = (element: HTMLElement | null) => () => {
  if (!element?.contains(document.activeElement)) return
  const next = element.closest<HTMLElement>('[role=log]') ?? document.querySelector('h1')
  if (next) next.focus({ preventScroll: true })
  else isHeadingNext = true
}

/**
 * Focuses the heading of a screen if the one before has taken the focus away with it: so the keyboard continues there, and
 * screen readers say where the user is. While the screen is loading, its own heading is still to come. The heading needs
 * `tabIndex={-1}`.
 */
export function useHeading(isLoading = false): Ref<HTMLHeadingElement> {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isLoading) return
    if (isHeadingNext && document.activeElement === document.body) heading.current?.focus({ preventScroll: true })
    isHeadingNext = true
  }, [isLoading])
  return heading
}
