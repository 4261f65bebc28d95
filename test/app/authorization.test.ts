import { derivedIdentityId } from '../../src/features/identities/rules.ts'
import { sign } from '@tma.js/init-data-node'
import { beforeAll, describe, expect, test } from 'bun:test'
import { nodesOfApps } from '../engines.ts'
import swagger from 'swagger-ui-dist/package.json'
import type { Answer, Person } from '../app.ts'
import { consents, password, start, testApp } from '../app.ts'
import { botToken, type Community, community, imageForm, metricsToken, truth, unknown } from '../community.ts'
import { passkeyOf } from '../authenticator.ts'
import { hours } from '../../src/lib/time.ts'
import { granted } from '../rows.ts'

/**
 * Everything that a row is about is Ada's, the owner. Bob is the other member of their chat, Cleo a stranger. Dan is
 * blocked by Ada, with whom he has a chat too. Sue, who has one as well, is suspended, and Mo is a moderator.
 */
const roles = ['owner', 'other', 'stranger', 'blocked', 'suspended', 'anonymous', 'moderator'] as const
type Role = (typeof roles)[number]

const aRule = { name: 'a', on: true, applies_to: ['message'], match: { type: 'link' }, action: 'flag' }

type Ask = { path: string; body?: unknown; headers?: Record<string, string> }
type Asker = { role: Role; me: Person | null }
/** What is asked, and the answer to each role, in their order: a status, and the code of a refusal. */
type Row = [what: string, ask: (world: Community, asker: Asker) => Ask | string, ...answers: string[]]

const none = '401 unauthenticated'
const halted = '403 suspended'
const outsider = '403 not_a_member'
const hidden = '404 not_found'
const block = '403 blocked'
const noMod = '403 forbidden'
const bad = '422 validation_failed'
const wrong = '401 invalid_credentials'
const noLink = '401 link_invalid'
const noPasskey = '401 passkey_invalid'

/** For what is the same for everybody who is signed in, as each sees or changes their own. */
const own = (answer: string) => [answer, answer, answer, answer, halted, none, answer]
const forAll = (answer: string) => Array<string>(7).fill(answer)
const forModerators = (answer: string) => [noMod, noMod, noMod, noMod, halted, none, answer]

/** The caller's chat with Ada. Callers without one try the chat of Ada and Bob. */
function chatOf({ chats }: Community, { role }: Asker) {
  if (role === 'blocked') return chats.dan
  if (role === 'suspended') return chats.sue
  return chats.bob
}

/** Ada's message, or the asker's own in their chat with her, where that is what they might be allowed. */
const messageOf = (world: Community, asker: Asker) =>
  asker.role === 'blocked' || asker.role === 'suspended' ? chatOf(world, asker).ofOther : chatOf(world, asker).ofOne

const initData = (messengerId: number, token = botToken) =>
  sign({ user: { id: messengerId, first_name: 'Ada' } } as never, token, new Date(start))

/** A credential in the form of one, to add and to show. */
const madeUp = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA', attestationObject: 'oA' },
}

const upgrade = {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

/** Ada's account with her password, or with a wrong one for everybody but her. Sue tries hers. */
function login({ ada, sue }: Community, { role }: Asker) {
  if (role === 'suspended') return { email: sue.email, password }
  return { email: ada.email, password: role === 'owner' ? password : `not ${password}` }
}

// prettier-ignore
const table: Record<string, Row[]> = {
  //                                                  owner, other, stranger, blocked, suspended, anonymous, moderator
  'POST /api/v1/auth/register': [
    ['anybody', (_, { role }) => ({ path: 'auth/register',
        body: { email: `${role}@example.com`, password, name: 'New', consents } }),
      ...forAll('201')],
    ['an e-mail that is taken', ({ ada }) => ({ path: 'auth/register',
        body: { email: ada.email, name: 'New', password: 'password', consents } }),
      ...forAll(bad)],
  ],
  'POST /api/v1/auth/login': [
    ['with one’s own password, or a wrong one', (world, asker) => ({ path: 'auth/login', body: login(world, asker) }),
      '200', wrong, wrong, wrong, halted, wrong, wrong],
  ],
  'POST /api/v1/auth/messenger': [
    ['as oneself', (_, { me }) => ({ path: 'auth/messenger', body: { init_data: initData(me ? messengerIdOf(me) : 999) } }),
      '200', '200', '200', '200', halted, '201', '200'],
    ['as Ada, vouched for by nobody', ({ ada }) => ({ path: 'auth/messenger',
        body: { init_data: initData(messengerIdOf(ada), '1:another-bot') } }),
      ...forAll('401 init_data_invalid')],
  ],
  'POST /api/v1/messenger/updates/:path': [
    ['by whoever does not know the secrets', () => ({ path: 'messenger/updates/nothing', body: { update_id: 1 } }),
      ...forAll(hidden)],
  ],
  'POST /api/v1/auth/refresh': [
    ['own token', (_, { me }) => ({ path: 'auth/refresh', body: { refresh_token: me?.refresh ?? 'none' } }),
      '200', '200', '200', '200', halted, none, '200'],
    ['the access token', ({ ada }) => ({ path: 'auth/refresh', body: { refresh_token: ada.token } }), ...forAll(none)],
  ],
  'POST /api/v1/auth/appeals': [
    ['with one’s own password, or a wrong one', (world, asker) => ({ path: 'auth/appeals',
        body: { ...login(world, asker), text: 'Why?' } }),
      '409 conflict', wrong, wrong, wrong, '201', wrong, wrong],
  ],
  'POST /api/v1/auth/logout': [
    ['own session', () => 'auth/logout', '204', '204', '204', '204', '204', none, '204'],
  ],
  'POST /api/v1/auth/consents': [
    ['own', () => ({ path: 'auth/consents', body: { consents: { marketing: true } } }), ...own('201')],
  ],
  'GET /api/v1/me/sessions': [
    ['own', () => 'me/sessions', ...own('200')],
  ],
  'DELETE /api/v1/me/sessions/:id': [
    ['Ada’s', ({ second }) => `me/sessions/${second}`, '204', hidden, hidden, hidden, halted, none, hidden],
  ],
  'DELETE /api/v1/me/sessions': [
    ['own', () => 'me/sessions', ...own('204')],
  ],
  'PUT /api/v1/me/password': [
    ['with the password, or a wrong one', (_, { role }) => ({ path: 'me/password',
        body: { current_password: role === 'owner' ? password : 'not this one', new_password: 'thirteen green bottles' } }),
      '204', '403 wrong_password', '403 wrong_password', '403 wrong_password', halted, none, '403 wrong_password'],
  ],
  'GET /api/v1/me/identities': [
    ['own', () => 'me/identities', ...own('200')],
  ],
  'POST /api/v1/me/identities/messenger': [
    ['that of Ada’s messenger', ({ ada }) => ({ path: 'me/identities/messenger',
        body: { init_data: initData(messengerIdOf(ada)) } }),
      '200', ...Array<string>(3).fill('409 identity_taken'), halted, none, '409 identity_taken'],
  ],
  'POST /api/v1/me/identities/oidc/:provider': [
    ['of a provider that is not configured', () => ({ path: 'me/identities/oidc/acme', body: { id_token: 'a.b.c' } }),
      ...own('503 provider_not_configured')],
  ],
  'POST /api/v1/me/identities/oidc/:provider/start': [
    ['of a provider that is not configured', () => ({ path: 'me/identities/oidc/acme/start', body: {} }),
      ...own('503 provider_not_configured')],
  ],
  'POST /api/v1/auth/oidc/:provider': [
    ['of a provider that is not configured', () => ({ path: 'auth/oidc/acme', body: { id_token: 'a.b.c', consents } }),
      ...forAll('503 provider_not_configured')],
  ],
  'POST /api/v1/auth/oidc/:provider/start': [
    ['of a provider that is not configured', () => ({ path: 'auth/oidc/acme/start', body: {} }),
      ...forAll('503 provider_not_configured')],
  ],
  'GET /api/v1/auth/oidc/:provider/start': [
    ['of a provider that is not configured', () => 'auth/oidc/acme/start', ...forAll('503 provider_not_configured')],
  ],
  'GET /api/v1/auth/oidc/:provider/callback': [
    ['of a provider that is not configured', () => 'auth/oidc/acme/callback', ...forAll('503 provider_not_configured')],
  ],
  'POST /api/v1/auth/oidc/:provider/callback': [
    ['without a form', () => ({ path: 'auth/oidc/acme/callback', body: {} }), ...forAll('415 unsupported_media_type')],
  ],
  'DELETE /api/v1/me/identities/:id': [
    ['Ada’s password', ({ ada }) => `me/identities/${derivedIdentityId(ada.id, 'password')}`,
      '204', hidden, hidden, hidden, halted, none, hidden],
  ],
  'POST /api/v1/auth/password/forgot': [
    ['Ada’s, where no mail is sent', ({ ada }) => ({ path: 'auth/password/forgot', body: { email: ada.email } }),
      ...forAll('503 mail_not_configured')],
  ],
  'POST /api/v1/auth/password/reset': [
    ['with a made-up token', () => ({ path: 'auth/password/reset', body: { token: 'x'.repeat(43), password } }),
      ...forAll(noLink)],
  ],
  'POST /api/v1/auth/email/verify': [
    ['with a made-up token', () => ({ path: 'auth/email/verify', body: { token: 'x'.repeat(43) } }), ...forAll(noLink)],
  ],
  'POST /api/v1/auth/email/undo': [
    ['with a made-up token', () => ({ path: 'auth/email/undo', body: { token: 'x'.repeat(43) } }), ...forAll(noLink)],
  ],
  'POST /api/v1/auth/passkey/options': [
    ['anybody', () => ({ path: 'auth/passkey/options', body: {} }), ...forAll('200')],
  ],
  'POST /api/v1/auth/passkey': [
    ['with a made-up passkey', () => ({ path: 'auth/passkey', body: { credential: madeUp } }), ...forAll(noPasskey)],
  ],
  'POST /api/v1/auth/passkey/confirm': [
    ['with a made-up passkey', () => ({ path: 'auth/passkey/confirm', body: { credential: madeUp } }), ...own(noPasskey)],
  ],
  'POST /api/v1/me/passkeys/options': [
    ['own', () => ({ path: 'me/passkeys/options', body: {} }), ...own('200')],
  ],
  'POST /api/v1/me/passkeys': [
    ['a made-up one', () => ({ path: 'me/passkeys', body: { label: 'Phone', credential: madeUp } }), ...own(noPasskey)],
  ],
  'GET /verify': [['the page', () => '/verify', ...forAll('200')]],
  'GET /reset': [['the page', () => '/reset', ...forAll('200')]],
  'GET /email-undo': [['the page', () => '/email-undo', ...forAll('200')]],
  'GET /unsubscribe': [['the page', () => '/unsubscribe', ...forAll('200')]],
  'POST /unsubscribe': [['by a link that is none', () => '/unsubscribe?token=made-up', ...forAll(noLink)]],
  'POST /api/v1/notifications/unsubscribe': [
    ['by a link that is none', () => ({ path: 'notifications/unsubscribe', body: { token: 'made-up' } }), ...forAll(noLink)],
  ],
  'GET /api/v1/notifications/keys': [['all', () => 'notifications/keys', ...forAll('200')]],
  'GET /api/v1/me/notifications': [['own', () => 'me/notifications', ...own('200')]],
  'PUT /api/v1/me/notifications': [
    ['own', () => ({ path: 'me/notifications', body: { preview: 'none' } }), ...own('200')],
  ],
  'GET /api/v1/me/channels': [['own', () => 'me/channels', ...own('200')]],
  'POST /api/v1/me/channels': [
    ['own, where no provider is set up', () => ({ path: 'me/channels', body: { kind: 'fcm', token: 'a-token-of-a-phone' } }),
      ...own('503 provider_not_configured')],
  ],
  'POST /api/v1/me/channels/:id/test': [
    ['none', () => `me/channels/${unknown}/test`, ...own(hidden)],
  ],
  'DELETE /api/v1/me/channels/:id': [['none', () => `me/channels/${unknown}`, ...own(hidden)]],
  'GET /api/v1/auth/providers': [
    ['all', () => 'auth/providers', ...forAll('200')],
  ],
  'POST /api/v1/me/email/verify': [
    ['own, where no mail is sent', () => 'me/email/verify', ...own('503 mail_not_configured')],
  ],
  'PUT /api/v1/me/email': [
    ['own, where no mail is sent', () => ({ path: 'me/email', body: { email: 'new@example.com', password } }),
      ...own('503 mail_not_configured')],
  ],
  'GET /api/v1/legal/:kind': [
    ['terms', () => 'legal/terms', ...forAll('200')],
    ['no such text', () => 'legal/passwords', ...forAll(hidden)],
  ],
  'GET /api/v1/me': [
    ['own', () => 'me', ...own('200')],
  ],
  'PUT /api/v1/me': [
    ['own', () => ({ path: 'me',
        body: { name: 'Anew', role: 'admin', id: unknown, email: 'new@example.com' } }), ...own('200')],
    ['Ada’s image as the photo', ({ spare }) => ({ path: 'me', body: { photo: spare.id } }),
      '200', bad, bad, bad, halted, none, bad],
  ],
  'DELETE /api/v1/me': [
    ['with the password, or a wrong one', (_, { role }) => ({ path: 'me',
        body: { password: role === 'owner' ? password : 'not this one' } }),
      '204', '403 wrong_password', '403 wrong_password', '403 wrong_password', halted, none, '403 wrong_password'],
  ],
  'GET /api/v1/me/export': [
    ['own', () => 'me/export', ...own('200')],
  ],
  'GET /api/v1/me/prefs': [
    ['own', () => 'me/prefs', ...own('200')],
  ],
  'PUT /api/v1/me/prefs': [
    ['own', () => ({ path: 'me/prefs', body: { drinks: ['cider'] } }), ...own('200')],
  ],
  'GET /api/v1/users/:id': [
    ['Ada', ({ ada }) => `users/${ada.id}`, '200', '200', '200', hidden, halted, none, '200'],
    ['nobody', () => `users/${unknown}`, ...own(hidden)],
  ],
  'GET /api/v1/media/:id': [
    ['Ada’s photo by its signed URL', ({ photos }) => photos.bob.photo.url, ...forAll('200')],
    ['the same unsigned', ({ photos }) => `media/${photos.bob.photo.id}`, ...forAll(hidden)],
    ['another image by that signature', ({ photos: { bob }, spare }) => bob.photo.url.replace(bob.photo.id, spare.id), ...forAll(hidden)],
    ['as the photo of another message', ({ photos: { bob }, chats }) => bob.photo.url.replace(bob.id, chats.bob.ofOne), ...forAll(hidden)],
  ],
  'POST /api/v1/media': [
    ['own', () => ({ path: 'media', body: imageForm() }), ...own('201')],
  ],
  'GET /api/v1/me/location': [
    ['own', () => 'me/location', ...own('200')],
  ],
  'PUT /api/v1/me/location': [
    ['own', () => ({ path: 'me/location', body: truth }), ...own('200')],
  ],
  'PUT /api/v1/me/visibility': [
    ['own', () => ({ path: 'me/visibility', body: { visible: false } }), ...own('200')],
  ],
  'GET /api/v1/search/nearby': [
    ['where they all are', () => 'search/nearby?lat=52.5&lng=13.4', ...own('200')],
    ['from a forged place in the list', () => `search/nearby?lat=52.5&lng=13.4&cursor=${forged('nearby', -1, '')}`, ...own(bad)],
  ],
  'POST /api/v1/chats': [
    ['with Ada', ({ ada }) => ({ path: 'chats', body: { user_id: ada.id } }),
      '422 self_not_allowed', '200', '201', '200', halted, none, '201'],
    ['with Eve, whom Ada has blocked', ({ eve }) => ({ path: 'chats', body: { user_id: eve.id } }),
      block, '201', '201', '201', halted, none, '201'],
  ],
  'GET /api/v1/chats': [
    ['own', () => 'chats', ...own('200')],
    ['from a forged place in the list', () => `chats?cursor=${forged('chats', 9e15, '')}`, ...own(bad)],
  ],
  'GET /api/v1/chats/:id': [
    ['the chat with Ada', (world, asker) => `chats/${chatOf(world, asker).id}`, '200', '200', outsider, '200', halted, none, outsider],
    ['that of Ada and Bob', ({ chats }) => `chats/${chats.bob.id}`, '200', '200', outsider, outsider, halted, none, outsider],
    ['none', () => `chats/${unknown}`, ...own(hidden)],
  ],
  'GET /api/v1/chats/:id/messages': [
    ['the chat with Ada', (world, asker) => `chats/${chatOf(world, asker).id}/messages`,
      '200', '200', outsider, '200', halted, none, outsider],
    ['that of Ada and Bob', ({ chats }) => `chats/${chats.bob.id}/messages`, '200', '200', outsider, outsider, halted, none, outsider],
    ['from a forged place', ({ chats }) => `chats/${chats.bob.id}/messages?cursor=${forged(`messages:${chats.bob.id}`, 9e15)}`,
      bad, bad, outsider, outsider, halted, none, outsider],
    ['after a message of another chat', (world, asker) => `chats/${chatOf(world, asker).id}/messages?after=${
        chatOf(world, asker) === world.chats.bob ? world.chats.dan.ofOne : world.chats.bob.ofOne}`,
      hidden, hidden, outsider, hidden, halted, none, outsider],
  ],
  'POST /api/v1/chats/:id/messages': [
    ['into the chat with Ada', (world, asker) => ({ path: `chats/${chatOf(world, asker).id}/messages`,
        body: { text: 'Hello' } }),
      '201', '201', outsider, block, halted, none, outsider],
    ['Ada’s image', (world, asker) => ({ path: `chats/${chatOf(world, asker).id}/messages`,
        body: { kind: 'photo', photo: world.spare.id } }),
      '201', bad, outsider, block, halted, none, outsider],
    ['Ada’s client_id', (world, asker) => ({ path: `chats/${chatOf(world, asker).id}/messages`,
        body: { text: 'Hello', client_id: world.secrets.get(world.ada)!.client_id! + chatOf(world, asker).id } }),
      '200', '201', outsider, block, halted, none, outsider],
  ],
  'PUT /api/v1/chats/:id/read': [
    ['the chat with Ada', (world, asker) => `chats/${chatOf(world, asker).id}/read`, '200', '200', outsider, '200', halted, none, outsider],
  ],
  'PUT /api/v1/chats/:id/mute': [
    ['the chat with Ada', (world, asker) => ({ path: `chats/${chatOf(world, asker).id}/mute`, body: { until: 'forever' } }),
      '200', '200', outsider, '200', halted, none, outsider],
  ],
  'PUT /api/v1/messages/:id': [
    ['Ada’s, or one’s own', (world, asker) => ({ path: `messages/${messageOf(world, asker)}`, body: { text: 'Anew' } }),
      '200', '403 not_the_owner', outsider, block, halted, none, outsider],
    ['Ada’s', (world, asker) => ({ path: `messages/${chatOf(world, asker).ofOne}`, body: { text: 'Anew' } }),
      '200', '403 not_the_owner', outsider, '403 not_the_owner', halted, none, outsider],
  ],
  'DELETE /api/v1/messages/:id': [
    ['Ada’s, or one’s own', (world, asker) => `messages/${messageOf(world, asker)}`,
      '204', '403 not_the_owner', outsider, '204', halted, none, outsider],
    ['Ada’s', (world, asker) => `messages/${chatOf(world, asker).ofOne}`,
      '204', '403 not_the_owner', outsider, '403 not_the_owner', halted, none, outsider],
  ],
  'POST /api/v1/blocks': [
    ['Tom', ({ tom }) => ({ path: 'blocks', body: { user_id: tom.id } }), ...own('201')],
    ['Ada', ({ ada }) => ({ path: 'blocks',
        body: { user_id: ada.id } }), '422 self_not_allowed', '201', '201', '201', halted, none, '201'],
  ],
  'GET /api/v1/blocks': [
    ['own', () => 'blocks', ...own('200')],
    ['from a forged place in the list', () => `blocks?cursor=${forged('blocks', 9e15, '')}`, ...own(bad)],
  ],
  'DELETE /api/v1/blocks/:id': [
    ['Ada’s of Dan', ({ blocks }) => `blocks/${blocks.dan}`, '204', hidden, hidden, hidden, halted, none, hidden],
  ],
  'POST /api/v1/reports': [
    ['Ada', ({ ada }) => ({ path: 'reports', body: { user_id: ada.id, reason: 'spam' } }),
      '422 self_not_allowed', '201', '201', '201', halted, none, '201'],
    ['Ada’s message to Bob', ({ chats }) => ({ path: 'reports', body: { message_id: chats.bob.ofOne, reason: 'spam' } }),
      '422 self_not_allowed', '201', outsider, outsider, halted, none, outsider],
    ['a review, which is public', ({ reviews }) => ({ path: 'reports', body: { review_id: reviews.ada, reason: 'spam' } }),
      ...own('201')],
  ],
  'GET /api/v1/reports': [
    ['own', () => 'reports', ...own('200')],
    ['from a forged place in the list', () => `reports?cursor=${forged('reports', 9e15, '')}`, ...own(bad)],
  ],
  'GET /api/v1/users/:id/reviews': [
    ['Ada’s', ({ ada }) => `users/${ada.id}/reviews`, '200', '200', '200', hidden, '200', '200', '200'],
    ['Bob’s, one of which is anonymous', ({ bob }) => `users/${bob.id}/reviews`, ...forAll('200')],
    ['from a forged place in the list', ({ bob }) => `users/${bob.id}/reviews?cursor=${forged(`reviews:${bob.id}`, 9e15, '')}`, ...forAll(bad)],
    ['nobody’s', () => `users/${unknown}/reviews`, ...forAll(hidden)],
  ],
  'GET /api/v1/users/:id/stats': [
    ['Ada’s', ({ ada }) => `users/${ada.id}/stats`, '200', '200', '200', hidden, '200', '200', '200'],
    ['nobody’s', () => `users/${unknown}/stats`, ...forAll(hidden)],
  ],
  'POST /api/v1/reviews': [
    ['of the chat with Ada', (world, asker) => ({ path: 'reviews', body: { chat_id: chatOf(world, asker).id, rating: 5 } }),
      '201', '201', outsider, block, halted, none, outsider],
  ],
  'GET /api/v1/me/notices': [
    ['own', () => 'me/notices', '200', '200', '200', '200', '200', none, '200'],
  ],
  'POST /api/v1/appeals': [
    ['against the decision about Ada', ({ notice }) => ({ path: 'appeals', body: { notice_id: notice, text: 'Why?' } }),
      '201', hidden, hidden, hidden, hidden, none, hidden],
  ],
  'GET /api/v1/appeals': [
    ['own', () => 'appeals', '200', '200', '200', '200', '200', none, '200'],
  ],
  'GET /api/v1/admin/reports': [
    ['all', () => 'admin/reports', ...forModerators('200')],
  ],
  'GET /api/v1/admin/reports/:id': [
    ['Ada’s of a message', ({ reports }) => `admin/reports/${reports.message}`, ...forModerators('200')],
    ['none', () => `admin/reports/${unknown}`, ...forModerators(hidden)],
  ],
  'POST /api/v1/admin/reports/:id/resolve': [
    ['Ada’s', ({ reports }) => ({ path: `admin/reports/${reports.message}/resolve`,
        body: { action: 'warn', note: 'Be kind.' } }),
      ...forModerators('200')],
  ],
  'POST /api/v1/admin/reports/next': [
    ['any', () => ({ path: 'admin/reports/next', body: {} }), ...forModerators('200')],
    ['a bad kind', () => ({ path: 'admin/reports/next', body: { kind: 'odd' } }), ...forModerators(bad)],
  ],
  'POST /api/v1/admin/reports/:id/claim': [
    ['Ada’s', ({ reports }) => `admin/reports/${reports.message}/claim`, ...forModerators('200')],
    ['none', () => `admin/reports/${unknown}/claim`, ...forModerators(hidden)],
  ],
  'DELETE /api/v1/admin/reports/:id/claim': [
    ['Ada’s', ({ reports }) => `admin/reports/${reports.message}/claim`, ...forModerators('204')],
    ['none', () => `admin/reports/${unknown}/claim`, ...forModerators(hidden)],
  ],
  'DELETE /api/v1/admin/reports/:id/resolve': [
    ['Ada’s, about which nothing waits', ({ reports }) => `admin/reports/${reports.message}/resolve`,
      ...forModerators('409 conflict')],
  ],
  'GET /api/v1/admin/stats': [
    ['all', () => 'admin/stats', ...forModerators('200')],
  ],
  'GET /api/v1/admin/transparency': [
    ['as JSON', () => 'admin/transparency', ...forModerators('200')],
    ['as CSV', () => 'admin/transparency?format=csv', ...forModerators('200')],
  ],
  'GET /api/v1/legal/child-safety': [['', () => 'legal/child-safety', ...forAll('200')]],
  'GET /api/v1/admin/settings': [
    ['all', () => 'admin/settings', ...forModerators(noMod)],
  ],
  'GET /api/v1/tags': [
    ['drinks', () => 'tags?kind=drinks', ...own('200')],
    ['of no kind', () => 'tags', ...own(bad)],
  ],
  'GET /api/v1/admin/announcements': [
    ['all', () => 'admin/announcements', ...forModerators(noMod)],
  ],
  'POST /api/v1/admin/announcements': [
    ['one', () => ({ path: 'admin/announcements', body: { text: 'We are closed on Sunday.' } }), ...forModerators(noMod)],
  ],
  'DELETE /api/v1/admin/announcements/:id': [
    ['none', () => `admin/announcements/${unknown}`, ...forModerators(noMod)],
  ],
  'GET /api/v1/admin/templates': [
    ['all', () => 'admin/templates', ...forModerators('200')],
  ],
  'POST /api/v1/admin/templates': [
    ['one', () => ({ path: 'admin/templates', body: { name: 'Insults', language: 'en', text: 'Be kind.' } }),
      ...forModerators(noMod)],
  ],
  'PUT /api/v1/admin/templates/:id': [
    ['none', () => ({ path: `admin/templates/${unknown}`, body: { name: 'Insults', language: 'en', text: 'Be kind.' } }),
      ...forModerators(noMod)],
  ],
  'DELETE /api/v1/admin/templates/:id': [
    ['none', () => `admin/templates/${unknown}`, ...forModerators(noMod)],
  ],
  'POST /api/v1/admin/users/:id/warn': [
    ['Ada', ({ ada }) => ({ path: `admin/users/${ada.id}/warn`, body: { reason: 'Insults.' } }), ...forModerators('200')],
    ['Mo', ({ mo }) => ({ path: `admin/users/${mo.id}/warn`, body: { reason: 'Insults.' } }), ...forModerators(noMod)],
  ],
  'POST /api/v1/admin/users/:id/suspend': [
    ['Ada', ({ ada }) => ({ path: `admin/users/${ada.id}/suspend`, body: { reason: 'Insults.' } }), ...forModerators('200')],
    ['Mo', ({ mo }) => ({ path: `admin/users/${mo.id}/suspend`, body: { reason: 'Insults.' } }), ...forModerators(noMod)],
  ],
  'POST /api/v1/admin/users/:id/unsuspend': [
    ['Sue', ({ sue }) => ({ path: `admin/users/${sue.id}/unsuspend`, body: {} }), ...forModerators('200')],
  ],
  'GET /api/v1/admin/appeals': [
    ['all', () => 'admin/appeals', ...forModerators('200')],
  ],
  'POST /api/v1/admin/appeals/:id/resolve': [
    ['Tom’s', ({ appeal }) => ({ path: `admin/appeals/${appeal}/resolve`,
        body: { decision: 'uphold', note: 'You are right.' } }),
      ...forModerators('200')],
  ],
  'GET /api/v1/admin/audit': [
    ['all', () => 'admin/audit?limit=100', ...forModerators('200')],
    ['as a file', () => 'admin/audit?format=csv', ...forModerators('200')],
  ],
  'GET /api/v1/admin/users': [
    ['all', () => 'admin/users', ...forModerators(noMod)],
    ['with a bad filter', () => 'admin/users?standing=sitting', ...forModerators(noMod)],
  ],
  'GET /api/v1/admin/users/:id': [
    ['Ada', ({ ada }) => `admin/users/${ada.id}`, ...forModerators('200')],
    ['Mo', ({ mo }) => `admin/users/${mo.id}`, ...forModerators(noMod)],
    ['nobody', () => `admin/users/${unknown}`, ...forModerators(hidden)],
  ],
  'POST /api/v1/admin/users/:id/sessions/end': [
    ['Ada’s', ({ ada }) => `admin/users/${ada.id}/sessions/end`, ...forModerators(noMod)],
  ],
  'POST /api/v1/admin/users/:id/password-reset': [
    ['Ada’s', ({ ada }) => `admin/users/${ada.id}/password-reset`, ...forModerators(noMod)],
  ],
  'POST /api/v1/admin/users/:id/role': [
    ['Ada', ({ ada }) => ({ path: `admin/users/${ada.id}/role`, body: { role: 'admin' } }), ...forModerators(noMod)],
    ['oneself', (_, { me }) => ({ path: `admin/users/${me?.id ?? unknown}/role`, body: { role: 'admin' } }),
      ...forModerators(noMod)],
  ],
  'POST /api/v1/admin/invites': [
    ['one', () => ({ path: 'admin/invites', body: { uses: 1 } }), ...forModerators(noMod)],
    ['a bad one', () => ({ path: 'admin/invites', body: { uses: 0 } }), ...forModerators(noMod)],
  ],
  'GET /api/v1/admin/invites': [
    ['all', () => 'admin/invites', ...forModerators(noMod)],
  ],
  'DELETE /api/v1/admin/invites/:id': [
    ['none', () => `admin/invites/${unknown}`, ...forModerators(noMod)],
  ],
  'GET /api/v1/admin/rules': [
    ['all', () => 'admin/rules', ...forModerators(noMod)],
  ],
  'POST /api/v1/admin/rules': [
    ['one', () => ({ path: 'admin/rules', body: aRule }), ...forModerators(noMod)],
    ['a bad one', () => ({ path: 'admin/rules', body: { ...aRule, action: 'burn' } }), ...forModerators(noMod)],
  ],
  'PUT /api/v1/admin/rules/:id': [
    ['none', () => ({ path: `admin/rules/${unknown}`, body: aRule }), ...forModerators(noMod)],
  ],
  'DELETE /api/v1/admin/rules/:id': [
    ['none', () => `admin/rules/${unknown}`, ...forModerators(noMod)],
  ],
  'GET /api/v1/admin/rules/versions': [
    ['all', () => 'admin/rules/versions', ...forModerators(noMod)],
  ],
  'POST /api/v1/admin/rules/try': [
    ['a text', () => ({ path: 'admin/rules/try', body: { text: 'hi', applies_to: 'message' } }), ...forModerators(noMod)],
  ],
  'GET /api/v1/admin/image-bank': [['all', () => 'admin/image-bank', ...forModerators(noMod)]],
  'POST /api/v1/admin/image-bank': [
    ['one', () => ({ path: 'admin/image-bank', body: { hash: 'f'.repeat(64), reason: 'Spam' } }), ...forModerators(noMod)],
    ['a bad one', () => ({ path: 'admin/image-bank', body: { hash: 'f' } }), ...forModerators(noMod)],
  ],
  'DELETE /api/v1/admin/image-bank/:id': [['none', () => `admin/image-bank/${unknown}`, ...forModerators(noMod)]],
  'GET /api/v1/sync': [
    ['own', () => 'sync?since=0&limit=100', ...own('200')],
    ['from a forged place', () => `sync?cursor=${forged('sync', 0)}`, ...own(bad)],
  ],
  // In-process there is no connection to upgrade, so 400 means that the guard has let the request pass.
  'GET /ws': [
    ['own token', (_, { me }) => ({ path: `/ws?token=${me?.token ?? ''}`, headers: upgrade }), ...own('400 bad_request')],
    ['no token but the header', () => ({ path: '/ws', headers: upgrade }), ...forAll(none)],
    ['no token but the cookie', (_, { me }) => ({ path: '/ws', headers: { ...upgrade, cookie: `app_at=${me?.token ?? ''}` } }), ...forAll(none)],
  ],
  'GET /': [['', () => '/', ...forAll('200')]],
  'GET /health': [['', () => '/health', ...forAll('200')]],
  'GET /ready': [['', () => '/ready', ...forAll('200')]],
  'GET /metrics': [
    ['with an access token', () => '/metrics', ...forAll('403 forbidden')],
    ['with the operator’s', () => ({ path: '/metrics', headers: { authorization: `Bearer ${metricsToken}` } }), ...forAll('200')],
  ],
  'GET /openapi': [['', () => '/openapi', ...forAll('200')]],
  'GET /openapi/json': [['', () => '/openapi/json', ...forAll('200')]],
  'GET /asyncapi.json': [['', () => '/asyncapi.json', ...forAll('200')]],
  [`GET /openapi/${swagger.version}/page.js`]: [['', () => `/openapi/${swagger.version}/page.js`, ...forAll('200')]],
  [`GET /openapi/${swagger.version}/page.css`]: [['', () => `/openapi/${swagger.version}/page.css`, ...forAll('200')]],
}

/** A cursor like ours, except for the key of its HMAC. */
function forged(list: string, ...key: (string | number)[]) {
  return Buffer.from('0123456789abcdef' + JSON.stringify([list, ...key])).toString('base64url')
}

let messengerIds = new Map<Person, number>()
const messengerIdOf = (person: Person) => messengerIds.get(person)!

type Cell = {
  cell: string
  expected: string
  got: string
  changed: string[]
  asker: Asker
  sent: string
  answer: Answer
}

let world: Community
const cells: Cell[] = []
let routes: string[] = []
let nobodys: string[] = []

beforeAll(async () => {
  world = await community()
  messengerIds = new Map([...world.secrets].map(([person, { messenger_id }]) => [person, Number(messenger_id)]))
  const { app, ada, bob, cleo, dan, sue, mo } = world
  routes = app.app.routes.map(({ method, path }) => `${method} ${path}`)
  const hashes = await app.rows<{ password_hash: string }>('SELECT password_hash FROM users')
  nobodys = [...hashes.map(({ password_hash }) => password_hash), metricsToken, botToken]
  nobodys.push(...Object.values(truth).map(String))
  const people: Record<Role, Person | null> = {
    ...{ owner: ada, other: bob, stranger: cleo, blocked: dan, suspended: sue, anonymous: null, moderator: mo },
  }
  for (const [route, rows] of Object.entries(table)) {
    for (const [what, ask, ...answers] of rows) {
      for (const [i, role] of roles.entries()) {
        const asker = { role, me: people[role] }
        const asked = ask(world, asker)
        const { path, body, headers }: Ask = typeof asked === 'string' ? { path: asked } : asked
        // On a cluster, requests use a real connection, and this one would become a socket.
        if (nodesOfApps > 1 && headers && 'upgrade' in headers) continue
        const answer = await app.request(route.split(' ')[0]!, path, {
          body,
          headers: { ...(asker.me && { authorization: `Bearer ${asker.me.token}` }), ...headers },
        })
        const changed = await world.changed()
        if (changed.length > 0) await world.restore()
        cells.push({
          cell: `${route} (${what}) by ${role}`,
          expected: answers[i]!,
          got: [answer.status, answer.status >= 400 && answer.body?.code].filter(Boolean).join(' '),
          ...{ changed, asker, answer },
          sent: path + JSON.stringify(body ?? null),
        })
      }
    }
  }
}, 180_000)

test('the table contains every route and nothing else', () => {
  expect(routes.filter((route) => !table[route])).toEqual([])
  expect(Object.keys(table).filter((route) => !routes.includes(route))).toEqual([])
  for (const [route, rows] of Object.entries(table))
    for (const [what, , ...answers] of rows) expect([route, what, answers.length]).toEqual([route, what, roles.length])
})

test('every route answers each role as in the table', () => {
  const differ = cells.filter(({ expected, got }) => expected !== got)
  expect(differ.map(({ cell, expected, got }) => `${cell}: ${got} instead of ${expected}`)).toEqual([])
})

test('a refused request changes nothing', () => {
  const refused = cells.filter(({ answer }) => answer.status >= 400)
  expect(refused.length).toBeGreaterThan(150)
  // A failed attempt may add an entry to the audit log.
  const changes = refused.filter(({ changed }) => changed.some((table) => table !== 'audit_log'))
  expect(changes.map(({ cell, changed }) => [cell, changed])).toEqual([])
  // Allowed requests do change something, so the comparison above can fail.
  const removal = cells.find(({ cell }) => cell === 'DELETE /api/v1/messages/:id (Ada’s) by owner')
  expect(removal!.changed).toContain('messages')
})

test('no answer contains data that are only for somebody else, or for nobody', () => {
  expect(cells.length).toBeGreaterThan(400)
  const found: unknown[] = []
  for (const { cell, asker, sent, answer } of cells) {
    const said = answer.text + JSON.stringify([...answer.headers])
    for (const secret of nobodys) if (said.includes(secret)) found.push([cell, secret])
    for (const [person, theirs] of world.secrets)
      for (const [kind, secret] of Object.entries(theirs))
        if (person !== asker.me && said.includes(secret) && !sent.includes(secret))
          found.push([cell, person.name, kind])
  }
  expect(found).toEqual([])
  // Their owners can read them, so the search would find them.
  const { token: _, refresh: __, ...shown } = world.secrets.get(world.ada)!
  for (const secret of Object.values(shown))
    expect(cells.some(({ asker, answer }) => asker.me === world.ada && answer.text.includes(secret))).toBe(true)
})

test('only moderators see the author of an anonymous review, in a report about it', () => {
  const { bob, nora, reviews } = world
  const naming = cells.filter(({ answer }) => answer.text.includes(nora.id))
  // Bob has a chat with her, in which he sees her name.
  expect(naming.map(({ cell }) => cell)).toEqual([
    'GET /api/v1/me/export (own) by other',
    'GET /api/v1/chats (own) by other',
    'GET /api/v1/sync (own) by other',
  ])
  const bobs = naming.filter(({ asker }) => asker.me === bob).map(({ answer: { body } }) => body)
  const { chats: _, ...exported } = bobs[0]
  const events = bobs[2].items.filter((item: { type: string }) => item.type === 'review')
  const aboutReviews = JSON.stringify([exported, events])
  expect(aboutReviews.split(reviews.bob).length - 1).toBeGreaterThan(2)
  expect(aboutReviews).not.toContain(nora.id)
})

test('a moderator can neither read nor decide a case that concerns them, nor find it in the audit log', async () => {
  const app = await testApp()
  const [mo, other, bob, nora] = [
    await app.person('Mo'),
    await app.person('Root'),
    await app.person(),
    await app.person(),
  ]
  await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
  await app.services.storage.users.setRole(other.id, 'admin', granted(other.id, app.clock.now))
  const chat = await app.met(nora, mo)
  const review = (await nora.post('reviews', { chat_id: chat, rating: 1, anonymous: true })).body.id
  const reports = [
    (await bob.post('reports', { user_id: mo.id, reason: 'harassment' })).body.id,
    (await mo.post('reports', { review_id: review, reason: 'spam' })).body.id,
  ]
  await other.post(`admin/users/${mo.id}/suspend`, { reason: 'Insults.', note: 'For us alone' })
  const notice = (await mo.get('me/notices')).body.items[0].id
  const appeal = (await mo.post('appeals', { notice_id: notice, text: 'Why?' })).body.id
  await app.rows('UPDATE users SET suspended_until = NULL WHERE id = ?', mo.id)
  app.forget(mo.id)

  const idsOf = (answer: Answer) => answer.body.items.map(({ id }: { id: string }) => id)
  expect(idsOf(await other.get('admin/reports'))).toEqual(reports)
  expect(idsOf(await other.get('admin/appeals'))).toEqual([appeal])
  expect(idsOf(await mo.get('admin/reports'))).toEqual([])
  expect(idsOf(await mo.get('admin/appeals'))).toEqual([])
  const refused = [
    ...(await Promise.all(reports.map((id) => mo.get(`admin/reports/${id}`)))),
    ...(await Promise.all(
      reports.map((id) => mo.post(`admin/reports/${id}/resolve`, { action: 'dismiss', note: 'No.' })),
    )),
    await mo.post(`admin/appeals/${appeal}/resolve`, { decision: 'uphold', note: 'Yes.' }),
  ]
  for (const { status, body } of refused) expect([status, body.code]).toEqual([403, 'forbidden'])
  expect((await mo.get('admin/audit?limit=100')).text).not.toContain(nora.id)
  expect((await other.get(`admin/reports/${reports[1]}`)).body.evidence.review).toMatchObject({ reviewer_id: nora.id })
})

test.each(['suspended', 'signed out'])(
  'who is %s while their request’s body comes does nothing with it',
  async (end) => {
    const app = await testApp()
    const [ada, bob, mo] = [await app.person(), await app.person(), await app.person()]
    await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
    const chat = (await ada.post('chats', { user_id: bob.id })).body.id
    const base = await app.listen()
    const [begun, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const encoder = new TextEncoder()
    const body = new ReadableStream({
      async start(stream) {
        stream.enqueue(encoder.encode('{"text":'))
        begun.resolve()
        await rest.promise
        stream.enqueue(encoder.encode('"Late"}'))
        stream.close()
      },
    })
    const pending = fetch(new URL(`/api/v1/chats/${chat}/messages`, base), {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
    })
    await begun.promise
    await Bun.sleep(100) // until the guard has seen its head
    if (end === 'suspended') await mo.post(`admin/users/${ada.id}/suspend`, { reason: 'Insults.' })
    else await ada.post('auth/logout')
    rest.resolve()
    expect((await pending).status).toBe(end === 'suspended' ? 403 : 401)
    expect((await bob.get(`chats/${chat}/messages`)).body.items).toEqual([])
  },
)

describe('with STAFF_PASSKEY, each route answers each role according to how its session was opened', () => {
  const second = '403 second_factor_required'
  const sessions = [
    'a password',
    'a passkey',
    'a passkey later',
    'a passkey 12 hours ago',
    'a passkey, removed since',
  ] as const
  const asked: Record<'user' | 'moderator' | 'admin', string[]> = {
    user: ['403 forbidden', '403 forbidden', '403 forbidden', '403 forbidden', '403 forbidden'],
    moderator: [second, 'passes', 'passes', second, second],
    admin: [second, 'passes', 'passes', second, second],
  }

  test.each(['user', 'moderator', 'admin'] as const)('%s', async (role) => {
    const app = await testApp({ STAFF_PASSKEY: 'required' })
    const [mo, ada] = [await app.person('Mo'), await app.person('Ada')]
    if (role !== 'user') await app.services.storage.users.setRole(mo.id, role, granted(mo.id, app.clock.now))
    app.forget(mo.id)
    const passkey = passkeyOf((await mo.post('me/passkeys/options', {})).body.options)
    const { id } = (await mo.post('me/passkeys', { label: 'Phone', credential: passkey.registration })).body
    const show = async () =>
      passkey.answer((await app.request('POST', 'auth/passkey/options', { body: {} })).body.options)
    const opened = async () =>
      (await app.request('POST', 'auth/passkey', { body: { credential: await show() } })).body.access_token as string
    const loggedIn = async () =>
      (await app.request('POST', 'auth/login', { body: { email: mo.email, password } })).body.access_token as string

    const staffs = app.app.routes.filter(({ path }) => path.startsWith('/api/v1/admin/'))
    expect(staffs.length).toBeGreaterThan(7)
    for (const [i, session] of sessions.entries()) {
      const token =
        session === 'a passkey' || session === 'a passkey, removed since' ? await opened() : await loggedIn()
      const as = app.as(token)
      if (session === 'a passkey later' || session === 'a passkey 12 hours ago')
        expect((await as.post('auth/passkey/confirm', { credential: await show() })).status).toBe(204)
      if (session === 'a passkey 12 hours ago') {
        const before = app.clock.now - 12 * hours
        await app.rows('UPDATE sessions SET passkey_at = ? WHERE passkey_at = ?', before, app.clock.now)
        app.forget(mo.id)
      }
      if (session === 'a passkey, removed since') expect((await as.delete(`me/identities/${id}`)).status).toBe(204)
      for (const { method, path } of staffs) {
        const body =
          method === 'GET' ? undefined : { reason: 'Insults.', note: 'No.', action: 'dismiss', decision: 'uphold' }
        const { status, body: answer } = await app.request(method, path.replaceAll(/:\w+/g, ada.id), {
          body,
          headers: { authorization: `Bearer ${token}` },
        })
        const got = [status, answer?.code].filter(Boolean).join(' ')
        // Some routes are only for admins, as the table says.
        const isForAdmins = role === 'moderator' && got === '403 forbidden'
        const isKept = got === second || (got === '403 forbidden' && !isForAdmins)
        expect([session, method, path, isKept ? got : 'passes']).toEqual([session, method, path, asked[role][i]!])
      }
      // Routes for everybody work for them in any session.
      for (const path of ['me', 'me/identities', 'chats', 'me/sessions']) expect((await as.get(path)).status).toBe(200)
    }
  })
})
