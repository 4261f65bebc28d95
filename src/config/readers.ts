import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { codeOf } from '../lib/errors.ts'
import { type Environment, setting, textOf } from '../lib/settings.ts'

export function key(name: string, help: string, isSecret = true) {
  const row = setting({ name, type: 'text', default: null, help, read: (value: string) => value })
  return isSecret ? { ...row, secret: true as const } : row
}

export function hostName(value: string): string {
  if (isIP(value) === 0 && !/^(?=.{1,253}$)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(value))
    throw new Error('must be an address or a host name, such as 0.0.0.0, without scheme or port')
  return value
}

export function key32(value: string): Uint8Array {
  if (/^[0-9a-f]{64}$/i.test(value)) return Buffer.from(value, 'hex')
  if (/^[A-Za-z0-9+/]{43}=$/.test(value)) return Buffer.from(value, 'base64')
  throw new Error('must be 32 bytes, as 64 hexadecimal digits or as base64')
}

/** An http or https URL without credentials. */
export function webUrl(value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new Error('must be an http or https URL without user and password')
  return url
}

export function originOf(value: string): string {
  const { origin } = webUrl(value)
  if (origin !== value) throw new Error('must be a list of origins, such as https://web.telegram.org')
  return origin
}

/** Throws if one of the settings is missing. */
export function comesWith(env: Environment, names: string[]) {
  const missing = names.filter((name) => textOf(env, name) === null)
  if (missing.length === 0) return
  const listed = missing.join(', ').replace(/, (\w+)$/, ' and $1')
  throw new Error(`must come with ${listed}, which ${missing.length === 1 ? 'is' : 'are'} not set`)
}

export function keyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`must name a file that can be read (${codeOf(error)})`)
  }
}

/** An http or https URL, without a slash at the end. */
export function serverUrl(value: string): string {
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new Error('must be an http or https URL without a user or a query, such as http://127.0.0.1:9000')
  return url.href.replace(/\/+$/, '')
}

export function hostNames(value: string): string[] {
  return value.split(',').map((part) => {
    const name = part.trim().toLowerCase()
    if (!/^(?=.{1,253}$)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name) || URL.parse(`https://${name}/`)?.hostname !== name)
      throw new Error('must be a list of host names between commas, for example t.me,telegram.org')
    return name
  })
}
