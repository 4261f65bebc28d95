import { isIP, isIPv4, isIPv6 } from 'node:net'

/** The address in a proxy's header, which may have a port or brackets; null if there is none. */
export function addressIn(text: string): string | null {
  const [, bracketed, withPort] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? []
  const address = bracketed ?? withPort ?? text
  return isIP(address) === 0 ? null : address
}

/**
 * The network that an address belongs to, such as `203.0.113.0/24` or `2001:db8:1::/48`; null if it is not an address.
 * `v4` has to be a multiple of 8, `v6` of 16.
 */
export function networkOf(address: string, { v4, v6 }: { v4: number; v6: number }): string | null {
  const mapped = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i, dotted)
  if (isIPv4(mapped)) {
    const bytes = mapped.split('.').map((byte, i) => (i < v4 / 8 ? byte : '0'))
    return `${bytes.join('.')}/${v4}`
  }
  if (!isIPv6(address)) return null
  const [head = '', tail] = address.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array<string>(Math.max(0, zeros)).fill('0'), ...right]
  const kept = groups.slice(0, v6 / 16).map((group) => parseInt(group, 16).toString(16))
  return `${kept.join(':')}::/${v6}`
}

/** The IPv4 address with these hexadecimal halves. */
function dotted(_: string, high: string, low: string): string {
  const [a, b] = [parseInt(high, 16), parseInt(low, 16)]
  return [a >> 8, a & 255, b >> 8, b & 255].join('.')
}
