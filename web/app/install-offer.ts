/** Chromium lets the page choose when to offer the installation. The event fires once, early. */
type InstallEvent = Event & { prompt(): Promise<unknown> }
let offered: InstallEvent | null = null
const listeners = new Set<() => void>()

addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault()
  offered = event as InstallEvent
  for (const listener of listeners) listener()
})
addEventListener('appinstalled', () => {
  offered = null
  for (const listener of listeners) listener()
})

/** The browser's offer to install the app; null if there is none. */
export const installOffer = {
  get: () => offered,
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}
