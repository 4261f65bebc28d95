import { lookup as lookUpByName } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import type { Agent } from 'node:https'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** Why a request failed. The message never contains the URL, which may be secret. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'

  constructor(
    readonly reason: 'url' | 'host' | 'address' | 'redirect' | 'encoding' | 'too_large' | 'timeout' | 'connection',
    options?: ErrorOptions,
  ) {
    super(`an outbound request failed: ${reason}`, options)
  }
}

export type OutboundRequest = {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: Uint8Array
  /** The only hosts allowed, each with its subdomains, also for redirects. Any host if absent. */
  hosts?: readonly string[]
  /** The maximum length of the body. */
  maxBytes: number
  /** The total time: look-up, connection, redirects and body. */
  timeoutMs: number
  /** How many redirects are followed (0). A redirect that is not followed throws. */
  redirects?: number
  /** Keeps the connection for the next such request to the same host. */
  keepAlive?: boolean
}

type OutboundAnswer = { status: number; headers: IncomingMessage['headers']; body: Buffer }

export type Outbound = ReturnType<typeof openOutbound>

type Options = {
  /** Addresses with ports that are allowed although they are not public: `127.0.0.1:9000`, `[::1]:9000`. */
  allow?: readonly string[]
  /** The addresses of a name. */
  resolve?: (name: string) => Promise<string[]>
  /** A certificate authority besides the usual ones. */
  ca?: string
  /** The addresses of this machine, which count as private. */
  ownAddresses?: () => string[]
}

const systemResolve = async (name: string) =>
  (await lookUpByName(name, { all: true, verbatim: true })).map(({ address }) => address)

const interfaceAddresses = () =>
  Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))

const idleMs = 30_000

/**
 * Requests https URLs from untrusted sources without reaching internal services (SSRF). A name is resolved once, its addresses
 * are checked to be public, and the connection goes to one of them: a second look-up could return another address (DNS
 * rebinding). The certificate must match the name. Proxies of the environment are ignored, as they would resolve the name
 * again.
 */
export function openOutbound({
  allow = [],
  resolve = systemResolve,
  ca,
  ownAddresses = interfaceAddresses,
}: Options = {}) {
  const allowed = new Set(allow)
  // A kept connection leads to an address that was checked. Used only on request, because users choose most of the hosts.
  let kept: Agent | null = null

  const isAllowed = (address: string, port: number, own = ownAddresses()) =>
    (isPublic(address) && !own.includes(address)) || allowed.has(socketAddress(address, port))

  /** The addresses to connect to. Throws if the host has none that is allowed. */
  async function addressesOf(hostname: string, port: number): Promise<[first: Address, ...more: Address[]]> {
    const found = isIP(hostname) ? [hostname] : await resolve(hostname)
    const own = ownAddresses()
    const [first, ...more] = found
      .filter((address) => isAllowed(address, port, own))
      .map((address): Address => ({ address, family: isIP(address) === 6 ? 6 : 4 }))
    if (first === undefined) throw new OutboundError('address')
    return [first, ...more]
  }

  async function call(url: URL, { method, headers, body, maxBytes, ...wanted }: OutboundRequest, signal: AbortSignal) {
    // Loaded at the first request: it takes 10 ms and 2 MiB, and many servers never make one.
    const https = await import('node:https')
    const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const port = Number(url.port || 443)
    const addresses = await beforeAbort(addressesOf(hostname, port), signal)
    const { promise, resolve: done, reject } = Promise.withResolvers<OutboundAnswer>()
    kept ??= new https.Agent({ keepAlive: true, timeout: idleMs, maxFreeSockets: 32 })
    const sent = https.request(
      {
        host: hostname,
        port,
        path: url.pathname + url.search,
        method,
        headers: { ...headers, 'accept-encoding': 'identity' },
        ca,
        agent: wanted.keepAlive ? kept : false,
        signal,
        // Connects only to the addresses that were checked.
        lookup: (_name, options, give) =>
          options.all ? give(null, addresses) : give(null, addresses[0].address, addresses[0].family),
      },
      (answer) => {
        bodyOf(answer, maxBytes).then(
          (read) => done({ status: answer.statusCode ?? 0, headers: answer.headers, body: read }),
          (error) => {
            reject(error)
            sent.destroy()
          },
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
    return beforeAbort(promise, signal)
  }

  async function follow(url: URL, wanted: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> {
    for (let left = wanted.redirects ?? 0; ; left--) {
      refuseUrl(url, wanted.hosts)
      const answer = await call(url, wanted, signal)
      if (![301, 302, 303, 307, 308].includes(answer.status)) return answer
      const next = URL.parse(answer.headers.location ?? '', url.href)
      if (left === 0 || next === null) throw new OutboundError('redirect')
      url = next
    }
  }

  return {
    /** Whether a URL names a private address or this machine, to which no request is sent. Names are not looked up. */
    isPrivate(url: URL): boolean {
      const { address, port } = literalOf(url)
      return isIP(address) !== 0 && !isAllowed(address, port)
    },

    /** Whether a URL names an address with a port that the operator has listed. */
    isListed(url: URL): boolean {
      const { address, port } = literalOf(url)
      return allowed.has(socketAddress(address, port))
    },

    /** Closes the connections that are kept. */
    close: () => kept?.destroy(),

    /** Throws only OutboundError, if there is no response. An error status is a response. */
    async fetch(url: string, wanted: OutboundRequest): Promise<OutboundAnswer> {
      const signal = AbortSignal.timeout(wanted.timeoutMs)
      try {
        const parsed = URL.parse(url)
        if (parsed === null) throw new OutboundError('url')
        return await follow(parsed, wanted, signal)
      } catch (error) {
        if (error instanceof OutboundError) throw error
        throw new OutboundError(signal.aborted ? 'timeout' : 'connection', { cause: error })
      }
    },
  }
}

/** The host of a URL as an address, where it is one. */
function literalOf({ hostname, port }: URL) {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  return { address: /^(.+\.)?localhost$/.test(host) ? '127.0.0.1' : host, port: Number(port || 443) }
}

function refuseUrl(url: URL, hosts: readonly string[] | undefined) {
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') throw new OutboundError('url')
  const hostname = url.hostname.replace(/\.$/, '')
  if (hosts && !hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`)))
    throw new OutboundError('host')
}

type Address = { address: string; family: 4 | 6 }

/** The whole body. Compressed bodies are refused, as a few bytes may expand to gigabytes. */
async function bodyOf(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = answer.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw new OutboundError('encoding')
  if (Number(answer.headers['content-length']) > maxBytes) throw new OutboundError('too_large')
  const chunks: Buffer[] = []
  let bytes = 0
  const body: AsyncIterable<Buffer> = answer
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new OutboundError('too_large')
    chunks.push(chunk)
  }
  if (!answer.complete) throw new OutboundError('connection')
  return Buffer.concat(chunks)
}

/** Rejects when the signal aborts: look-ups, and some stages of a connection, ignore it. */
async function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(new OutboundError('timeout'))
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/**
 * Whether an address is on the public internet. For IPv6 only 2000::/3, without the forms that contain an IPv4 address (mapped,
 * 6to4, Teredo, NAT64), which may be a private one.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed instanceof ipaddr.IPv4) return true
  const [first = 0] = parsed.parts
  return first >> 13 === 1
}

function socketAddress(address: string, port: number): string {
  return ipaddr.isValid(address) ? shownSocketAddress(ipaddr.parse(address).toString(), port) : ''
}

const shownSocketAddress = (address: string, port: number) =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`

/** An entry of `allow` in canonical form; null if it is malformed. */
export function readSocketAddress(text: string): string | null {
  const [, v6, v4, port] = /^(?:\[([0-9a-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(text) ?? []
  const address = v6 ?? v4 ?? ''
  if (isIP(address) !== (v6 === undefined ? 4 : 6) || Number(port) < 1 || Number(port) > 65535) return null
  return socketAddress(address, Number(port))
}
