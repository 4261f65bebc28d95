/**
 * How the lane of a provider begins that users have named, unlike those that this server knows. All of these lanes together
 * get the places of one, because a user can name any number of them.
 */
export const otherLane = 'other '

// The push services of browsers. Some have hosts below these names, such as those of Edge by region.
const known = ['fcm.googleapis.com', 'push.services.mozilla.com', 'notify.windows.com', 'push.apple.com']

/**
 * One lane for each push service. A subscription may name any host, as push services can be self-hosted; null if the endpoint
 * is no URL.
 */
export function laneOfEndpoint(endpoint: string): string | null {
  // It contains the port unless that is 443, so that nobody can slow a known service's lane down by another port of its host.
  const host = URL.parse(endpoint)?.host
  if (host === undefined) return null
  return known.some((name) => host === name || host.endsWith(`.${name}`)) ? host : otherLane + host
}
