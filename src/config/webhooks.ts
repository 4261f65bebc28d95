import { readSocketAddress } from '../lib/outbound.ts'
import { type Context, oneOf, setting } from '../lib/settings.ts'
import { comesWith } from './readers.ts'

/** Servers of the operator that this one calls. */
export const webhookSettings = {
  webhookUrl: setting({
    name: 'WEBHOOK_URL',
    type: 'URL',
    default: null,
    help: 'Where the server [posts what happens](docs/webhooks.md), such as a new account or report; needs `WEBHOOK_SECRET` too.',
    secret: true,
    read: webhookUrl,
  }),
  webhookSecret: setting({
    name: 'WEBHOOK_SECRET',
    type: 'secret of 24 to 64 bytes',
    default: null,
    help: 'Signs webhooks: `whsec_` and 24 to 64 bytes as base64.',
    secret: true,
    read: webhookSecret,
  }),
  webhookPreviousSecret: setting({
    name: 'WEBHOOK_PREVIOUS_SECRET',
    type: 'secret of 24 to 64 bytes',
    default: null,
    help: 'The secret before `WEBHOOK_SECRET`: webhooks carry both signatures, until the receiver knows the new one.',
    secret: true,
    read: webhookSecret,
  }),
  imageCheckUrl: setting({
    name: 'IMAGE_CHECK_URL',
    type: 'URL',
    default: null,
    help: 'Your server that [checks every image](docs/moderation.md#your-own-checker) before it is stored; needs `IMAGE_CHECK_SECRET` too.',
    secret: true,
    read: imageCheckUrl,
  }),
  imageCheckSecret: setting({
    name: 'IMAGE_CHECK_SECRET',
    type: 'secret of 24 to 64 bytes',
    default: null,
    help: 'Signs requests to `IMAGE_CHECK_URL`, like `WEBHOOK_SECRET`.',
    secret: true,
    read: imageCheckSecret,
  }),
  imageCheck: setting({
    name: 'IMAGE_CHECK',
    type: 'optional, required',
    default: 'optional',
    help: '`required` holds images while `IMAGE_CHECK_URL` does not answer.',
    read: imageCheck,
  }),
}

/** Addresses that users may make the server call. */
export const outboundSettings = {
  outboundAllow: setting({
    name: 'OUTBOUND_ALLOW',
    type: 'addresses with ports, separated by commas',
    default: '',
    help: 'Private addresses that the server may call on behalf of users, such as `127.0.0.1:9000,10.0.0.5:443`.',
    read: socketAddresses,
  }),
}

function imageCheckUrl(value: string, { env }: Context): string {
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new Error('must be an http or https URL without a user, such as https://images.example.org/check')
  comesWith(env, ['IMAGE_CHECK_SECRET'])
  return url.href
}

function imageCheckSecret(value: string, { env }: Context): string {
  const secret = webhookSecret(value)
  comesWith(env, ['IMAGE_CHECK_URL'])
  return secret
}

function imageCheck(value: string, { env }: Context): 'optional' | 'required' {
  const chosen = oneOf('optional', 'required').read(value)
  if (chosen === 'required') comesWith(env, ['IMAGE_CHECK_URL'])
  return chosen
}

function webhookUrl(value: string, { env }: Context): string {
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new Error('must be an http or https URL without a user, such as https://crm.example.org/convene')
  comesWith(env, ['WEBHOOK_SECRET'])
  return url.href
}

function webhookSecret(value: string): string {
  const [, base64 = ''] = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? []
  const bytes = Buffer.from(base64, 'base64')
  // Receivers decode base64 strictly.
  if (bytes.toString('base64') !== base64 || bytes.length < 24 || bytes.length > 64)
    throw new Error('must be whsec_ and 24 to 64 bytes as base64, such as from: echo whsec_$(openssl rand -base64 32)')
  return value
}

function socketAddresses(value: string): string[] {
  if (value === '') return []
  return value.split(',').map((part) => {
    const address = readSocketAddress(part.trim())
    if (address === null)
      throw new Error('must be a list of addresses with ports between commas, for example 127.0.0.1:9000,10.0.0.5:443')
    return address
  })
}
