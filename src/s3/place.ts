/** A place in an S3-compatible store, and the keys to it. Show it by `shownPlace` only. */
export type S3Place = {
  bucket: string
  /** The prefix of every name in it: empty, or ending in a slash. */
  prefix: string
  /** The address of the store, without a slash at the end. */
  endpoint: string
  /** The address at which clients reach the store. */
  publicEndpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** The keys for places whose URL contains none. */
export type S3Keys = { accessKeyId: string | null; secretAccessKey: string | null }

export const isS3Url = (text: string) => /^s3:/i.test(text)

/** A place as logs and messages may show it. */
export const shownPlace = ({ bucket, prefix }: S3Place) => `s3://${bucket}/${prefix}`

const form = 'must be s3://BUCKET/PREFIX?endpoint=https://HOST&region=NAME'

/**
 * Reads `s3://[KEY:SECRET@]BUCKET[/PREFIX][?endpoint=URL&region=NAME&public_endpoint=URL]`. The default region is us-east-1, and
 * the default endpoint is Amazon's for the region. Throws an Error that describes the valid form, and never repeats the value.
 */
export function readS3Url(text: string, keys: S3Keys): S3Place {
  const url = URL.parse(text)
  if (url?.protocol !== 's3:' || url.hash !== '')
    throw new Error(`${form}; a key in it needs / and + written as %2F and %2B`)
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) throw new Error(`${form}, with the name of a bucket`)
  const region = url.searchParams.get('region') ?? 'us-east-1'
  if (!/^[a-z0-9-]{1,64}$/i.test(region)) throw new Error('must have as its region a name such as eu-central-1')
  const known = ['endpoint', 'public_endpoint', 'region']
  for (const name of url.searchParams.keys())
    if (!known.includes(name) || url.searchParams.getAll(name).length > 1)
      throw new Error(`must have only ${known.join(', ')} after the ?, each once`)
  const endpoint = endpointIn(url, 'endpoint') ?? `https://s3.${region}.amazonaws.com`
  return {
    bucket: url.host,
    prefix: prefixOf(url),
    endpoint,
    publicEndpoint: endpointIn(url, 'public_endpoint') ?? endpoint,
    region,
    ...keysOf(url, keys),
  }
}

/** Reads the URL of one object, whose path ends in the object's name. */
export function readS3ObjectUrl(text: string, keys: S3Keys): { place: S3Place; name: string } {
  const place = readS3Url(text, keys)
  const name = place.prefix.split('/').at(-2)
  if (!name || new URL(text).pathname.endsWith('/'))
    throw new Error('must end in the name of an object, such as s3://BUCKET/PREFIX/convene.db')
  return { place: { ...place, prefix: place.prefix.slice(0, -name.length - 1) }, name }
}

/** The URL of an object, without the keys. */
export function s3ObjectUrl({ bucket, prefix, endpoint, region }: S3Place, name: string): string {
  return `s3://${bucket}/${prefix}${name}?${new URLSearchParams({ endpoint, region })}`
}

function endpointIn({ searchParams }: URL, name: string): string | null {
  const value = searchParams.get(name)
  if (value === null) return null
  const url = URL.parse(value)
  const extra = url && `${url.username}${url.password}${url.search}${url.hash}`
  if (!url || !/^https?:$/.test(url.protocol) || extra !== '')
    throw new Error(`must have as its ${name} an http or https URL, such as https://s3.example.org`)
  return url.href.replace(/\/+$/, '')
}

function prefixOf({ pathname }: URL): string {
  const path = pathname.replace(/^\//, '').replace(/\/$/, '')
  if (path === '') return ''
  if (!path.split('/').every((part) => /^(?!\.{1,2}$)[\w.-]+$/.test(part)))
    throw new Error('must have as its path names of letters, digits, - _ and . between slashes')
  return `${path}/`
}

function keysOf({ username, password }: URL, keys: S3Keys): Pick<S3Place, 'accessKeyId' | 'secretAccessKey'> {
  const own = username !== '' || password !== ''
  const accessKeyId = own ? decoded(username) : keys.accessKeyId
  const secretAccessKey = own ? decoded(password) : keys.secretAccessKey
  if (!accessKeyId || !secretAccessKey)
    throw new Error('must come with S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or as s3://KEY:SECRET@BUCKET/PREFIX')
  if (!/^[!-~]+$/.test(accessKeyId + secretAccessKey)) throw new Error('must have its key and secret in plain ASCII')
  return { accessKeyId, secretAccessKey }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('must have its key and secret percent-encoded')
  }
}
