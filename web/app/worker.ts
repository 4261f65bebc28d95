// Browsers with Trusted Types accept the worker's URL only from a policy.
type Policies = { createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): Policy }
type Policy = { createScriptURL(url: string): string }
const path = '/service-worker.js'

function trustedPath(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies }
  return trustedTypes
    ? trustedTypes.createPolicy('convene-worker', { createScriptURL: () => path }).createScriptURL('')
    : path
}

let registering: Promise<ServiceWorkerRegistration | null> | null = null

/**
 * Registers the service worker. Calls `onUpdate` with a function that loads the new version: when one waits, and in a page of
 * the old version after another tab has loaded the new one.
 */
export function register(onUpdate: (activate: () => void) => void): Promise<ServiceWorkerRegistration | null> {
  const container = navigator.serviceWorker
  if (!container) return Promise.resolve(null)
  return (registering ??= begin(container, onUpdate).catch(() => null))
}

async function begin(container: ServiceWorkerContainer, onUpdate: (activate: () => void) => void) {
  const registration = await container.register(trustedPath(), { updateViaCache: 'none' })
  const reload = () => location.reload()
  // Without a controller, this is the first version and no update.
  let isControlled = container.controller !== null
  let isAccepted = false
  let isOutdated = false
  const offer = (worker: ServiceWorker | null) => {
    if (!worker || !isControlled) return
    onUpdate(() => {
      isAccepted = true
      if (isOutdated) reload()
      else worker.postMessage({ type: 'activate' })
    })
  }
  container.addEventListener('controllerchange', () => {
    if (isAccepted) return reload()
    isOutdated = isControlled
    isControlled = true
    if (isOutdated) look()
  })
  offer(registration.waiting)
  registration.addEventListener('updatefound', () => {
    const { installing } = registration
    installing?.addEventListener('statechange', () => installing.state === 'installed' && offer(installing))
  })
  document.addEventListener('visibilitychange', look)
  return registration

  function look() {
    if (document.visibilityState !== 'visible') return
    if (isOutdated) onUpdate(reload)
    else void registration.update().catch(() => {})
  }
}
