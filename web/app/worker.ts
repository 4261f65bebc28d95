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

/** Registers the service worker. Calls `onUpdate` when a new version waits, with a function that activates it. */
export function register(onUpdate: (activate: () => void) => void): Promise<ServiceWorkerRegistration | null> {
  const container = navigator.serviceWorker
  if (!container) return Promise.resolve(null)
  return (registering ??= begin(container, onUpdate).catch(() => null))
}

async function begin(container: ServiceWorkerContainer, onUpdate: (activate: () => void) => void) {
  const registration = await container.register(trustedPath(), { updateViaCache: 'none' })
  const offer = (worker: ServiceWorker | null) => {
    // Without a controller, this is the first version and no update.
    if (!worker || !container.controller) return
    onUpdate(() => {
      container.addEventListener('controllerchange', () => location.reload(), { once: true })
      worker.postMessage({ type: 'activate' })
    })
  }
  offer(registration.waiting)
  registration.addEventListener('updatefound', () => {
    const { installing } = registration
    installing?.addEventListener('statechange', () => installing.state === 'installed' && offer(installing))
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void registration.update().catch(() => {})
  })
  return registration
}
