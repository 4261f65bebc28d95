import { sign } from '@tma.js/init-data-node'
import { beforeAll, expect, test } from 'bun:test'
import swagger from 'swagger-ui-dist/package.json'
import { nodesOfApps } from '../engines.ts'
import { type Answer, consents, password, type Person, start, testApp } from '../app.ts'
import { botToken, type Community, community, heldWord, imageForm, truth, unknown } from '../community.ts'
import { haveBothWritten } from '../rows.ts'
import { type Client, connect, ofType } from '../socket-client.ts'

/**
 * What a block makes of a route, for either side of it.
 *
 * - hidden: 404, as for somebody who never was; or an answer without what it `hides`, which it shows where there is no block
 * - refused: 403 `blocked`
 * - untouched: the same as without the block, and `why`; `shows` what must still be there, `tells` the other one by an event
 */
type Outcome =
  | { is: 'hidden'; hides?: (pair: Pair) => string }
  | { is: 'refused' }
  | { is: 'untouched'; why: string; shows?: (pair: Pair) => string; tells?: string }

/** One side of a block, `me`, makes the request; `them` is the other user. */
type Pair = {
  world: Community
  me: Person
  them: Person
  byMe: boolean
  chat: { id: string; mine: string; theirs: string }
}
type Ask = { path: string; body?: unknown; headers?: Record<string, string> } | string
/** One outcome, or one for the blocker and one for the blocked user. */
type Row = [what: string, Outcome | [blocker: Outcome, blocked: Outcome], ask: (pair: Pair) => Ask]

const gone: Outcome = { is: 'hidden' }
const without = (hides: (pair: Pair) => string): Outcome => ({ is: 'hidden', hides })
const refused: Outcome = { is: 'refused' }
const untouched = (why: string, more: { shows?: (pair: Pair) => string; tells?: string } = {}): Outcome => ({
  is: 'untouched',
  why,
  ...more,
})

const oneself = untouched('about oneself')
const nobody = untouched('about nobody')
const operators = untouched('for moderators, who judge what happened between the two')
const saying = ({ them }: Pair) => `${them.name} says`
const bioOf = ({ them }: Pair) => `Bio of ${them.name}`

/** Ada has no chat with Eve, whom she blocks: who makes the request, and about whom. */
const eveOrAda = ({ world, byMe }: Pair) => (byMe ? world.eve : world.ada)

// prettier-ignore
const walk: Record<string, Row[]> = {
  'POST /api/v1/auth/register': [['', oneself,
      ({ me }) => ({ path: 'auth/register', body: { email: `new-${me.email}`, password, name: 'New', consents } })]],
  'POST /api/v1/auth/login': [['', oneself, ({ me }) => ({ path: 'auth/login', body: { email: me.email, password } })]],
  'POST /api/v1/auth/messenger': [['', oneself, ({ world, me }) => ({ path: 'auth/messenger',
    body: { init_data: sign({ user: { id: Number(world.secrets.get(me)!.messenger_id), first_name: 'Me' } } as never, botToken, new Date(start)) } })]],
  'POST /api/v1/auth/refresh': [['', oneself, ({ me }) => ({ path: 'auth/refresh', body: { refresh_token: me.refresh } })]],
  'POST /api/v1/auth/appeals': [['', oneself,
      ({ me }) => ({ path: 'auth/appeals', body: { email: me.email, password, text: 'Why?' } })]],
  'POST /api/v1/auth/logout': [['', oneself, () => 'auth/logout']],
  'POST /api/v1/auth/consents': [['', oneself, () => ({ path: 'auth/consents', body: { consents: { marketing: true } } })]],
  'GET /api/v1/me/sessions': [['', oneself, () => 'me/sessions']],
  'DELETE /api/v1/me/sessions/:id': [['', oneself, ({ world }) => `me/sessions/${world.second}`]],
  'DELETE /api/v1/me/sessions': [['', oneself, () => 'me/sessions']],
  'PUT /api/v1/me/password': [['', oneself,
      () => ({ path: 'me/password', body: { current_password: password, new_password: 'thirteen green bottles' } })]],
  'POST /api/v1/auth/password/forgot': [['', oneself, ({ me }) => ({ path: 'auth/password/forgot', body: { email: me.email } })]],
  'POST /api/v1/auth/password/reset': [['', oneself, () => ({ path: 'auth/password/reset', body: { token: 'none', password } })]],
  'POST /api/v1/auth/email/verify': [['', oneself, () => ({ path: 'auth/email/verify', body: { token: 'none' } })]],
  'POST /api/v1/auth/email/undo': [['', oneself, () => ({ path: 'auth/email/undo', body: { token: 'none' } })]],
  'GET /verify': [['', nobody, () => '/verify']],
  'GET /reset': [['', nobody, () => '/reset']],
  'GET /email-undo': [['', nobody, () => '/email-undo']],
  'GET /api/v1/auth/providers': [['', nobody, () => 'auth/providers']],
  'POST /api/v1/me/email/verify': [['', oneself, () => 'me/email/verify']],
  'PUT /api/v1/me/email': [['', oneself, () => ({ path: 'me/email', body: { email: 'new@example.com', password } })]],
  'GET /api/v1/legal/:kind': [['', nobody, () => 'legal/terms']],
  'GET /api/v1/me': [['', oneself, () => 'me']],
  'PUT /api/v1/me': [['', oneself, () => ({ path: 'me', body: { bio: 'Anew' } })]],
  'DELETE /api/v1/me': [['', untouched('who ends their account ends it for everybody, whose chats then show so', { tells: 'chat' }),
      () => ({ path: 'me', body: { password } })]],
  'GET /api/v1/me/export': [['', untouched('the history stays, and beside it only the name is shown', { shows: saying }),
      () => 'me/export']],
  'GET /api/v1/me/prefs': [['', oneself, () => 'me/prefs']],
  'PUT /api/v1/me/prefs': [['', oneself, () => ({ path: 'me/prefs', body: { drinks: ['cider'] } })]],
  'GET /api/v1/users/:id': [['', gone, ({ them }) => `users/${them.id}`]],
  'GET /api/v1/media/:id': [
    ['a profile photo', untouched('whoever has got the URL may fetch it, signed in or not'),
        ({ world, them }) => world.profilePhotos.get(them)!.url],
    ['a photo of their chat', untouched('the history stays readable'), ({ world }) => world.photos.dan.photo.url],
  ],
  'POST /api/v1/media': [['', oneself, () => ({ path: 'media', body: imageForm() })]],
  'GET /api/v1/me/location': [['', oneself, () => 'me/location']],
  'PUT /api/v1/me/location': [['', oneself, () => ({ path: 'me/location', body: truth })]],
  'PUT /api/v1/me/visibility': [['', oneself, () => ({ path: 'me/visibility', body: { visible: true } })]],
  'GET /api/v1/search/nearby': [
    ['', without(({ them }) => them.id), () => 'search/nearby?lat=52.5&lng=13.4'],
    ['by what only they drink', without(({ them }) => them.id),
        ({ them }) => `search/nearby?lat=52.5&lng=13.4&drinks=Tea of ${them.name}`],
  ],
  'POST /api/v1/chats': [
    ['where there is none', [refused, gone], (pair) => ({ path: 'chats', body: { user_id: eveOrAda(pair).id } })],
    ['where there is one', without(bioOf), ({ them }) => ({ path: 'chats', body: { user_id: them.id } })],
  ],
  'GET /api/v1/chats': [['', without(bioOf), () => 'chats']],
  'GET /api/v1/chats/:id': [['', without(bioOf), ({ chat }) => `chats/${chat.id}`]],
  'GET /api/v1/chats/:id/messages': [['', untouched('the history stays readable', { shows: saying }),
      ({ chat }) => `chats/${chat.id}/messages`]],
  'POST /api/v1/chats/:id/messages': [['', refused,
      ({ chat }) => ({ path: `chats/${chat.id}/messages`, body: { text: 'Hello' } })]],
  'PUT /api/v1/chats/:id/read': [['', without(() => '"read_at":"'), ({ chat }) => `chats/${chat.id}/read`]],
  'PUT /api/v1/messages/:id': [['', refused, ({ chat }) => ({ path: `messages/${chat.mine}`, body: { text: 'Anew' } })]],
  'DELETE /api/v1/messages/:id': [['', untouched('what one said can be taken back at any time, from both', { tells: 'message_deleted' }),
      ({ chat }) => `messages/${chat.mine}`]],
  'POST /api/v1/blocks': [['', untouched('each may block, whatever the other did'),
      ({ them }) => ({ path: 'blocks', body: { user_id: them.id } })]],
  'GET /api/v1/blocks': [['', oneself, () => 'blocks']],
  'DELETE /api/v1/blocks/:id': [['', oneself, ({ world }) => `blocks/${world.blocks.eve}`]],
  'POST /api/v1/reports': [
    ['the other one', untouched('who blocks somebody may well have to report them'),
        ({ them }) => ({ path: 'reports', body: { user_id: them.id, reason: 'spam' } })],
    ['their message', untouched('who blocks somebody may well have to report them'),
        ({ chat }) => ({ path: 'reports', body: { message_id: chat.theirs, reason: 'spam' } })],
  ],
  'GET /api/v1/reports': [['', oneself, () => 'reports']],
  'GET /api/v1/users/:id/reviews': [
    ['of the other one', gone, ({ them }) => `users/${them.id}/reviews`],
    ['of somebody else', untouched('public, whoever wrote them', { shows: ({ them }) => them.id }),
        ({ world }) => `users/${world.ivy.id}/reviews`],
  ],
  'GET /api/v1/users/:id/stats': [['', gone, ({ them }) => `users/${them.id}/stats`]],
  'POST /api/v1/reviews': [['', refused, ({ chat }) => ({ path: 'reviews', body: { chat_id: chat.id, rating: 1 } })]],
  'GET /api/v1/me/notices': [['', oneself, () => 'me/notices']],
  'POST /api/v1/appeals': [['', oneself,
      ({ world }) => ({ path: 'appeals', body: { notice_id: world.notice, text: 'Why?' } })]],
  'GET /api/v1/appeals': [['', oneself, () => 'appeals']],
  'POST /api/v1/auth/oidc/:provider': [['', nobody, () => ({ path: 'auth/oidc/none', body: { id_token: 'none' } })]],
  'POST /api/v1/auth/oidc/:provider/start': [['', nobody, () => ({ path: 'auth/oidc/none/start', body: {} })]],
  'GET /api/v1/auth/oidc/:provider/start': [['', nobody, () => 'auth/oidc/none/start']],
  'GET /api/v1/auth/oidc/:provider/callback': [['', nobody, () => 'auth/oidc/none/callback']],
  'POST /api/v1/auth/oidc/:provider/callback': [['', nobody, () => ({ path: 'auth/oidc/none/callback', body: {} })]],
  'GET /api/v1/me/identities': [['', oneself, () => 'me/identities']],
  'POST /api/v1/me/identities/messenger': [['', oneself, () => ({ path: 'me/identities/messenger', body: { init_data: 'none' } })]],
  'POST /api/v1/me/identities/oidc/:provider': [['', oneself, () => ({ path: 'me/identities/oidc/none', body: { id_token: 'none' } })]],
  'POST /api/v1/me/identities/oidc/:provider/start': [['', oneself, () => ({ path: 'me/identities/oidc/none/start', body: {} })]],
  'DELETE /api/v1/me/identities/:id': [['', oneself, ({ me }) => `me/identities/${me.id}`]],
  // Answers with something new each time, such as a challenge.
  'POST /api/v1/auth/passkey/options': [['', nobody, () => ({ path: 'auth/passkey/options', body: [] })]],
  'POST /api/v1/me/passkeys/options': [['', oneself, () => ({ path: 'me/passkeys/options', body: { password: 5 } })]],
  'POST /api/v1/auth/passkey': [['', nobody, () => ({ path: 'auth/passkey', body: { credential: {} } })]],
  'POST /api/v1/auth/passkey/confirm': [['', oneself, () => ({ path: 'auth/passkey/confirm', body: { credential: {} } })]],
  'POST /api/v1/me/passkeys': [['', oneself, () => ({ path: 'me/passkeys', body: { label: 'Phone', credential: {} } })]],
  'POST /api/v1/messenger/updates/:path': [['', nobody, () => ({ path: 'messenger/updates/none', body: {} })]],
  'GET /api/v1/notifications/keys': [['', nobody, () => 'notifications/keys']],
  'POST /api/v1/notifications/unsubscribe': [['', nobody, () => ({ path: 'notifications/unsubscribe', body: { token: 'none' } })]],
  'GET /unsubscribe': [['', nobody, () => '/unsubscribe']],
  'POST /unsubscribe': [['', nobody, () => ({ path: '/unsubscribe?token=none', body: {} })]],
  'GET /api/v1/me/notifications': [['', oneself, () => 'me/notifications']],
  'PUT /api/v1/me/notifications': [['', oneself, () => ({ path: 'me/notifications', body: { preview: 'none' } })]],
  'PUT /api/v1/chats/:id/mute': [['', without(bioOf),
      ({ chat }) => ({ path: `chats/${chat.id}/mute`, body: { until: 'forever' } })]],
  'GET /api/v1/me/channels': [['', oneself, () => 'me/channels']],
  'POST /api/v1/me/channels': [['', oneself, () => ({ path: 'me/channels', body: { kind: 'fcm', token: 'a-token-of-a-phone' } })]],
  'POST /api/v1/me/channels/:id/test': [['', oneself, ({ me }) => ({ path: `me/channels/${me.id}/test`, body: {} })]],
  'DELETE /api/v1/me/channels/:id': [['', oneself, ({ me }) => `me/channels/${me.id}`]],
  'GET /api/v1/admin/users': [['', operators, () => 'admin/users']],
  'GET /api/v1/admin/users/:id': [['', operators, ({ them }) => `admin/users/${them.id}`]],
  'POST /api/v1/admin/users/:id/sessions/end': [['', operators, ({ them }) => ({ path: `admin/users/${them.id}/sessions/end`, body: {} })]],
  'POST /api/v1/admin/users/:id/password-reset': [['', operators, ({ them }) => ({ path: `admin/users/${them.id}/password-reset`, body: {} })]],
  'POST /api/v1/admin/users/:id/role': [['', operators, ({ them }) => ({ path: `admin/users/${them.id}/role`, body: { role: 'user' } })]],
  'POST /api/v1/admin/invites': [['', operators, () => ({ path: 'admin/invites', body: { uses: 1 } })]],
  'GET /api/v1/admin/invites': [['', operators, () => 'admin/invites']],
  'DELETE /api/v1/admin/invites/:id': [['', operators, ({ me }) => `admin/invites/${me.id}`]],
  'GET /api/v1/legal/child-safety': [['', nobody, () => 'legal/child-safety']],
  'GET /api/v1/tags': [['', nobody, () => 'tags?kind=drinks']],
  'POST /api/v1/admin/reports/next': [['', operators, () => ({ path: 'admin/reports/next', body: {} })]],
  'POST /api/v1/admin/reports/:id/claim': [['', operators,
      ({ world }) => ({ path: `admin/reports/${world.reports.message}/claim`, body: {} })]],
  'DELETE /api/v1/admin/reports/:id/claim': [['', operators, ({ world }) => `admin/reports/${world.reports.message}/claim`]],
  'DELETE /api/v1/admin/reports/:id/resolve': [['', operators,
      ({ world }) => `admin/reports/${world.reports.message}/resolve`]],
  'GET /api/v1/admin/stats': [['', operators, () => 'admin/stats?from=2026-11-01&to=2026-11-02']],
  'GET /api/v1/admin/transparency': [['', operators, () => 'admin/transparency?from=2026-11-01&to=2026-11-02']],
  'GET /api/v1/admin/announcements': [['', operators, () => 'admin/announcements']],
  'POST /api/v1/admin/announcements': [['', operators,
      () => ({ path: 'admin/announcements', body: { text: 'x' } })]],
  'DELETE /api/v1/admin/announcements/:id': [['', operators, ({ me }) => `admin/announcements/${me.id}`]],
  'GET /api/v1/admin/templates': [['', operators, () => 'admin/templates']],
  'POST /api/v1/admin/templates': [['', operators,
      () => ({ path: 'admin/templates', body: { name: 'x', language: 'en', text: 'x' } })]],
  'PUT /api/v1/admin/templates/:id': [['', operators,
      ({ me }) => ({ path: `admin/templates/${me.id}`, body: { name: 'x', language: 'en', text: 'x' } })]],
  'DELETE /api/v1/admin/templates/:id': [['', operators, ({ me }) => `admin/templates/${me.id}`]],
  'GET /api/v1/admin/settings': [['', operators, () => 'admin/settings']],
  'GET /api/v1/admin/image-bank': [['', operators, () => 'admin/image-bank']],
  'POST /api/v1/admin/image-bank': [['', operators, () => ({ path: 'admin/image-bank', body: {} })]],
  'DELETE /api/v1/admin/image-bank/:id': [['', operators, ({ me }) => `admin/image-bank/${me.id}`]],
  'GET /api/v1/admin/rules': [['', operators, () => 'admin/rules']],
  'POST /api/v1/admin/rules': [['', operators, () => ({ path: 'admin/rules', body: {} })]],
  'PUT /api/v1/admin/rules/:id': [['', operators, ({ me }) => ({ path: `admin/rules/${me.id}`, body: {} })]],
  'DELETE /api/v1/admin/rules/:id': [['', operators, ({ me }) => `admin/rules/${me.id}`]],
  'GET /api/v1/admin/rules/versions': [['', operators, () => 'admin/rules/versions']],
  'POST /api/v1/admin/rules/try': [['', operators, () => ({ path: 'admin/rules/try', body: {} })]],
  'GET /api/v1/admin/reports': [['', operators, () => 'admin/reports']],
  'GET /api/v1/admin/reports/:id': [['', operators, ({ world }) => `admin/reports/${world.reports.message}`]],
  'POST /api/v1/admin/reports/:id/resolve': [['', operators,
      ({ world }) => ({ path: `admin/reports/${world.reports.message}/resolve`, body: { action: 'warn', note: 'x' } })]],
  'POST /api/v1/admin/users/:id/warn': [['', operators,
      ({ them }) => ({ path: `admin/users/${them.id}/warn`, body: { reason: 'x' } })]],
  'POST /api/v1/admin/users/:id/suspend': [['', operators,
      ({ them }) => ({ path: `admin/users/${them.id}/suspend`, body: { reason: 'x' } })]],
  'POST /api/v1/admin/users/:id/unsuspend': [['', operators,
      ({ them }) => ({ path: `admin/users/${them.id}/unsuspend`, body: {} })]],
  'GET /api/v1/admin/appeals': [['', operators, () => 'admin/appeals']],
  'POST /api/v1/admin/appeals/:id/resolve': [['', operators,
      ({ world }) => ({ path: `admin/appeals/${world.appeal}/resolve`, body: { decision: 'reject', note: 'x' } })]],
  'GET /api/v1/admin/audit': [['', operators, () => 'admin/audit']],
  'GET /api/v1/sync': [['', without(bioOf), () => 'sync?since=0&limit=100']],
  'GET /ws': [['', untouched('what comes over it is looked at below'), ({ me }) => `/ws?token=${me.token}`]],
  'GET /': [['', nobody, () => '/']],
  'GET /health': [['', nobody, () => '/health']],
  'GET /ready': [['', nobody, () => '/ready']],
  'GET /metrics': [['', nobody, () => '/metrics']],
  'GET /openapi': [['', nobody, () => '/openapi']],
  'GET /openapi/json': [['', nobody, () => '/openapi/json']],
  'GET /asyncapi.json': [['', nobody, () => '/asyncapi.json']],
  [`GET /openapi/${swagger.version}/page.js`]: [['', nobody, () => `/openapi/${swagger.version}/page.js`]],
  [`GET /openapi/${swagger.version}/page.css`]: [['', nobody, () => `/openapi/${swagger.version}/page.css`]],
}

type Step = {
  step: string
  outcome: Outcome
  pair: Pair
  before: Answer
  after: Answer
  /** The same request about a user who never existed. */
  never: Answer
  /** The types of the events that the other user got from it. */
  told: string[]
}

const steps: Step[] = []
let routes: string[] = []

beforeAll(async () => {
  const world = await community({}, { holds: true })
  const { app, ada, dan, eve, chats } = world
  routes = app.app.routes.map(({ method, path }) => `${method} ${path}`)
  const { id, ofOne, ofOther } = chats.dan
  const pairs: Pair[] = [
    { world, me: ada, them: dan, byMe: true, chat: { id, mine: ofOne, theirs: ofOther } },
    { world, me: dan, them: ada, byMe: false, chat: { id, mine: ofOther, theirs: ofOne } },
  ]
  const eventsOf = ({ id }: Person) =>
    app.rows<{ type: string }>('SELECT type FROM events WHERE user_id = ? ORDER BY seq', id)

  for (const [route, rows] of Object.entries(walk))
    for (const [what, outcomes, ask] of rows)
      for (const pair of pairs) {
        const { me, them, byMe } = pair
        const asksEve = what === 'where there is none'
        const asker = asksEve && !byMe ? eve : me
        const asked = ask(pair)
        const { path, body, headers } = typeof asked === 'string' ? { path: asked } : asked
        const call = (change: (text: string) => string) =>
          app.request(route.split(' ')[0]!, change(path), {
            body: body instanceof FormData || body === undefined ? body : change(JSON.stringify(body)),
            headers: {
              authorization: `Bearer ${asker.token}`,
              ...(body instanceof FormData || body === undefined ? {} : { 'content-type': 'application/json' }),
              ...headers,
            },
          })
        const same = (text: string) => text
        await app.rows('DELETE FROM blocks WHERE blocked_id = ?', asksEve ? eve.id : dan.id)
        const before = await call(same)
        await world.restore()
        const known = (await eventsOf(them)).length
        const after = await call(same)
        const told = (await eventsOf(them)).slice(known).map(({ type }) => type)
        await world.restore()
        const never = await call((text) => text.replaceAll(them.id, unknown).replaceAll(eve.id, unknown))
        await world.restore()
        const outcome = Array.isArray(outcomes) ? outcomes[byMe ? 0 : 1] : outcomes
        steps.push({
          step: `${route} ${what} by who ${byMe ? 'blocked' : 'is blocked'}`,
          outcome,
          pair,
          before,
          after,
          never,
          told,
        })
      }
}, 180_000)

const codeOf = ({ status, body }: Answer) => [status, status >= 400 ? body.code : ''].join(' ').trim()
const was = <T extends Outcome['is']>(is: T) =>
  steps.filter(({ outcome }) => outcome.is === is) as (Step & { outcome: Extract<Outcome, { is: T }> })[]

test('the table has the effect of a block on every route', () => {
  expect(routes.filter((route) => !walk[route])).toEqual([])
  expect(Object.keys(walk).filter((route) => !routes.includes(route))).toEqual([])
})

test('what a block hides is there without it, and with it the answer is as for an unknown user', () => {
  for (const { step, outcome, pair, before, after, never } of was('hidden')) {
    expect([step, before.status < 300]).toEqual([step, true])
    if (outcome.hides) {
      const hides = outcome.hides(pair)
      expect([step, after.status, before.text.includes(hides), after.text.includes(hides)]).toEqual([
        step,
        200,
        true,
        false,
      ])
    } else {
      expect([step, codeOf(after)]).toEqual([step, '404 not_found'])
      expect({ ...after.body, request_id: '' }).toEqual({ ...never.body, request_id: '' })
      expect([...after.headers.keys()]).toEqual([...never.headers.keys()])
    }
  }
})

test('what a block refuses is allowed without it', () => {
  for (const { step, before, after } of was('refused')) {
    expect([step, before.status < 300, codeOf(after)]).toEqual([step, true, '403 blocked'])
  }
})

test('what a block does not affect has the same answer without it', () => {
  for (const { step, outcome, pair, before, after } of was('untouched')) {
    expect(outcome.why).toMatch(/.{8}/)
    // A repeated block answers 200 if the first one answered 201.
    const kind = (answer: Answer) => (answer.status < 300 ? 'fine' : codeOf(answer))
    expect([step, kind(after)]).toEqual([step, kind(before)])
    if (outcome.shows) expect([step, after.text]).toEqual([step, expect.stringContaining(outcome.shows(pair))])
  }
})

test('a held message is in no answer to anybody except its sender', () => {
  const shownTo = new Map<boolean, number>([
    [true, 0],
    [false, 0],
  ])
  for (const { step, pair, before, after, never } of steps) {
    const { me, them, world } = pair
    for (const [sender, isOwn] of [
      [me, true],
      [them, false],
    ] as const) {
      const { id, photo } = world.held.get(sender)!
      const marks = [id, photo.id, `${heldWord} of ${sender.name}`]
      for (const { text } of [before, after, never]) {
        const shown = marks.filter((mark) => text.includes(mark))
        if (shown.length > 0) shownTo.set(isOwn, shownTo.get(isOwn)! + 1)
        if (!isOwn) expect([step, shown]).toEqual([step, []])
      }
    }
  }
  // Its sender sees it in lists of chats and messages, in the export, and in missed events.
  expect(shownTo.get(true)).toBeGreaterThan(10)
  expect(shownTo.get(false)).toBe(0)
})

test('across a block, answers show only the other user’s id and name', () => {
  expect(steps.length).toBeGreaterThan(100)
  for (const { step, pair, after } of steps) {
    const { name } = pair.them
    const theirs = [`Bio of ${name}`, `City of ${name}`, `Tea of ${name}`, pair.world.profilePhotos.get(pair.them)!.id]
    const shown = theirs.filter((text) => after.text.includes(text))
    expect([step, shown]).toEqual([step, []])
  }
})

test('across a block, actions of one user cause only necessary events for the other', () => {
  for (const { step, outcome, told } of steps) {
    const tells = outcome.is === 'untouched' && outcome.tells ? [outcome.tells] : []
    expect([step, told]).toEqual([step, tells])
  }
})

test.each(['Ada', 'Bob'])(
  'once %s has blocked the other, their sockets and searches show neither anything of the other',
  async (blocker) => {
    const app = await testApp({}, { calmMs: 1 })
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const base = await app.listen()
    const chat = (await ada.post('chats', { user_id: bob.id })).body.id
    await haveBothWritten(app, chat)
    for (const person of [ada, bob]) await person.put('me/location', truth)
    const search = async (person: Person) => (await person.get('search/nearby?lat=52.5&lng=13.4')).body.items.length
    const [ofAda, ofBob] = [connect(base, ada.token), connect(base, bob.token)]
    const sides = [
      { person: ada, socket: ofAda, other: ofBob, message: '' },
      { person: bob, socket: ofBob, other: ofAda, message: '' },
    ]
    const typesOf = ({ frames }: Client, from = 0) =>
      frames
        .slice(from)
        .map(({ type }) => type)
        .filter((type) => type !== 'pong')
    const typing = { type: 'typing', data: { chat_id: chat } }
    /** Waits until everything sent so far has arrived, with all its effects. */
    const settle = async () => {
      // Messages from other nodes come by Redis.
      if (nodesOfApps > 1) await Bun.sleep(150)
      for (const { socket } of [...sides, ...sides]) {
        const cid = crypto.randomUUID()
        socket.send({ type: 'ping', cid })
        await socket.until((frame) => frame.cid === cid, 'pong')
      }
    }

    // Each sees the other come, type, write and read, and the searches of both are cached.
    for (const { socket } of sides) await socket.until(ofType('presence'))
    for (const side of sides) {
      side.socket.send(typing)
      await side.other.until(ofType('typing'))
      side.message = (await side.person.post(`chats/${chat}/messages`, { text: 'Hello' })).body.id
      await side.other.until((frame) => frame.data?.id === side.message)
      expect(await search(side.person)).toBe(1)
    }
    await ada.put(`chats/${chat}/read`)
    await ofBob.until(ofType('message_read'))

    const [first, second] = blocker === 'Ada' ? [ada, bob] : [bob, ada]
    const { id } = (await first.post('blocks', { user_id: second.id })).body
    await (blocker === 'Ada' ? ofAda : ofBob).until(ofType('block'))
    await settle()
    const seen = sides.map(({ socket }) => socket.frames.length)
    app.clock.now += 5000
    for (const { person, socket, message } of sides) {
      expect(await search(person)).toBe(0)
      socket.send(typing)
      expect((await person.post(`chats/${chat}/messages`, { text: 'Still there?' })).status).toBe(403)
      expect((await person.put(`messages/${message}`, { text: 'Hello?' })).status).toBe(403)
      expect((await person.put(`chats/${chat}/read`)).body).toEqual({ read: 0, read_at: null })
      await person.put('me', { bio: 'Anew' })
      await person.put('me/visibility', { visible: false })
      await person.put('me/visibility', { visible: true })
      await person.put('me/location', truth)
    }
    await settle()
    expect(sides.map(({ socket }, i) => typesOf(socket, seen[i]))).toEqual([[], []])

    // Neither sees the other come or go.
    for (const [i, side] of sides.entries()) {
      const watching = sides[1 - i]!.socket
      const known = watching.frames.length
      side.socket.socket.close()
      await side.socket.closed
      await Bun.sleep(50)
      side.socket = connect(base, side.person.token)
      await side.socket.until(ofType('hello'))
      await settle()
      expect(typesOf(side.socket)).toEqual(['hello'])
      expect(typesOf(watching, known)).toEqual([])
    }

    // Without the block, they do.
    app.clock.now += 5000
    await first.delete(`blocks/${id}`)
    const [one, two] = sides as [(typeof sides)[0], (typeof sides)[0]]
    one.socket.send(typing)
    await two.socket.until(ofType('typing'))
    for (const { person } of sides) expect(await search(person)).toBe(1)
  },
)
