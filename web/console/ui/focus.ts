import { useLayoutEffect } from 'react'
import { flushSync } from 'react-dom'

const isLost = () => document.activeElement === null || document.activeElement === document.body

/** If nothing has the focus, the heading of what is open gets it, or else that of the screen. */
export function focusHeading() {
  const screen = isLost() ? document.getElementById('screen') : null
  const heading = screen?.querySelector<HTMLElement>('article h1') ?? screen?.querySelector<HTMLElement>('h1')
  heading?.focus()
}

/** Calls `remove`, which removes a row of a list. If the row had the focus, the next one gets it, or else the one before. */
export function removeRow(remove: () => void) {
  const row = document.activeElement?.closest('#screen :is(li, tr)')
  const neighbour = row?.nextElementSibling ?? row?.previousElementSibling
  flushSync(remove)
  if (row?.isConnected !== false) return
  neighbour?.querySelector<HTMLElement>('button')?.focus()
  focusHeading()
}

/** If this component disappears with the focus in it, the heading gets it. */
export function useFocusAfter() {
  useLayoutEffect(
    () => () => {
      const focused = document.activeElement
      setTimeout(() => {
        if (focused?.isConnected === false) focusHeading()
      })
    },
    [],
  )
}
