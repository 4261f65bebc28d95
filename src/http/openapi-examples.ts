import type { Schema } from './openapi-schema.ts'

const id = '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11'
const time = '2026-11-21T08:34:00.000Z'

/** Example values by name of the field, as a name means the same throughout the API. */
const words: Record<string, unknown> = {
  id,
  name: 'Ada',
  city: 'Lisbon',
  bio: 'Walks, espresso, old maps.',
  photo: `/api/v1/media/${id}?for=profile&exp=1795336440&sig=4V0c…`,
  photo_thumb: `/api/v1/media/${id}?for=profile&exp=1795336440&sig=4V0c…&size=320`,
  thumb_url: `/api/v1/media/${id}?for=upload&exp=1795336440&sig=4V0c…&size=320`,
  email: 'ada@example.org',
  phone: '+351912345678',
  password: 'twelve green bottles',
  current_password: 'twelve green bottles',
  new_password: 'thirteen green bottles',
  messenger_id: '279058397',
  language: 'en',
  drinks: ['espresso'],
  activities: ['walking'],
  purposes: ['friendship'],
  visible: true,
  consents_missing: [],
  rating_avg: 4.67,
  reviews_count: 3,
  count: 3,
  rating: 5,
  access_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9…',
  refresh_token: 'qL1n0fHq5nB3…',
  expires_in: 900,
  init_data:
    'query_id=AAHdF6IQAAAAAN0XohDhrOrc&user=%7B%22id%22%3A279058397%7D&auth_date=1795249440&hash=c501b71e775f74ce…',
  id_token: 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ…',
  nonce: 'n-0S6_WzA2Mj',
  provider: 'google',
  label: 'Google',
  subject: '110169484474386276334',
  challenge: 'AAGqVJ1QYAB6…',
  rpId: 'meet.example.org',
  displayName: 'Ada',
  rawId: 'ZcG3b2Fi1xJ0yT7kq5Vw2A',
  clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4u…',
  authenticatorData: 'SZYN5YgOjGh0NBcP…',
  signature: 'MEUCIQDl0p2h…',
  attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10…',
  userHandle: 'AZmjxFLwfMGhpG8fbw8rEQ',
  credential_id: 'ZcG3b2Fi1xJ0…',
  public_key: 'pQECAyYgASFYIM…',
  transports: ['internal'],
  kind: 'terms',
  version: '3f6c0a5d9b12',
  text_hash: '3f6c0a5d9b12e7…',
  accepted: true,
  current: true,
  user_agent: 'Mozilla/5.0',
  address: '203.0.113.0/24',
  latitude: 38.7169,
  longitude: -9.1399,
  lat: 38.7169,
  lng: -9.1399,
  distance_m: 400,
  text: 'Coffee at the river?',
  client_id: 'a1',
  url: `/api/v1/media/${id}?for=profile&exp=1795336440&sig=4V0c…`,
  width: 1280,
  height: 960,
  hash: 'd8f8f1eec0f4a84f0e37022a078f63f0b36e2ed596621e1d33e6239c4e9c9b22',
  placeholder: 'data:image/webp;base64,UklGRhYAAABXRUJQ…',
  start_param: 'chat_0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11',
  unread_count: 1,
  read: 1,
  seq: 42,
  type: 'message',
  details: 'Asked me for money.',
  reason: 'Insults, after a warning.',
  note: 'Insults, after a warning.',
  until: '2030-01-01T00:00:00.000Z',
  waiting_s: 3600,
  resolved_by: id,
  how_to_appeal: 'POST /api/v1/appeals',
  next_cursor: 'WyJjaGF0cyIsMTc5NTI0OTQ0MDAwMF0',
  action: 'suspend',
  data: { id },
  metadata: {},
  public_text: 'Never send money to somebody whom you have not met.',
  caution: 'Never send money to somebody whom you have not met.',
}

/** An example value for a field: the schema's own if it has one. Undefined if none can be made. */
export function exampleOf(schema: Schema, name = ''): unknown {
  if (schema.examples) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (schema.properties)
    return Object.fromEntries(Object.entries(schema.properties).map(([key, field]) => [key, exampleOf(field, key)]))
  const known = words[name]
  if (schema.enum) return schema.enum.includes(known) ? known : schema.enum[0]
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return exampleOf(choices.find((one) => one.type !== 'null') ?? choices[0] ?? {}, name)
  const types = [schema.type ?? typeOf(known)].flat()
  if (known !== undefined && types.includes(typeOf(known))) return known
  if (types.includes('array')) return [exampleOf(schema.items ?? {}, name)]
  if (types.includes('boolean')) return false
  if (types.includes('integer')) return schema.minimum ?? 0
  if (schema.format === 'uuid' || name.endsWith('_id')) return id
  if (schema.format === 'date-time') return time
  return undefined
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
