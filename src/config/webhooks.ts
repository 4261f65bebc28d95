import { readSocketAddress } from '../lib/outbound.ts'
import { type Context, setting, textOf } from '../lib/settings.ts'

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
    help: 'Your server that [looks at every image](docs/moderation.md#your-own-checker) before it is stored; needs `IMAGE_CHECK_SECRET` too.',
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

/** Addresses that users may have the server call. */
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
  if (textOf(env, 'IMAGE_CHECK_SECRET') === null) throw new Error('must come with IMAGE_CHECK_SECRET, which is not set')
  return url.href
}

function imageCheckSecret(value: string, { env }: Context): string {
  const secret = webhookSecret(value)
  if (textOf(env, 'IMAGE_CHECK_URL') === null) throw new Error('must come with IMAGE_CHECK_URL, which is not set')
  return secret
}

function imageCheck(value: string, { env }: Context): 'optional' | 'required' {
  if (value !== 'optional' && value !== 'required') throw new Error('must be optional or required')
  if (value === 'required' && textOf(env, 'IMAGE_CHECK_URL') === null)
    throw new Error('must come with IMAGE_CHECK_URL, which is not set')
  return value
}

function webhookUrl(value: string, { env }: Context): string {
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new Error('must be an http or https URL without a user, such as https://crm.example.org/convene')
  if (textOf(env, 'WEBHOOK_SECRET') === null) throw new Error('must come with WEBHOOK_SECRET, which is not set')
  return url.href
}

function webhookSecret(value: string): string {
  const [, base64 = ''] = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? []
  const bytes = Buffer.from(base64, 'base64')
  // A receiver decodes it strictly.
  if (bytes.toString('base64') !== base64 || bytes.length < 24 || bytes.length > 64)
    throw new Error('must be whsec_ and 24 to 64 bytes as base64, as of: echo whsec_$(openssl rand -base64 32)')
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
