import { describe, expect, test } from 'bun:test'
import { recentFromStorage } from '../../src/features/filter/recent.ts'
import { hours, seconds } from '../../src/lib/time.ts'
import { password, consents, type Person, type TestApp, testApp } from '../app.ts'
import { imageForm } from '../community.ts'
import { expectProblem } from '../problem.ts'
import { granted } from '../rows.ts'

type Given = Record<string, unknown>

const rule = (given: Given = {}) => ({
  name: 'Bananas',
  on: true,
  applies_to: ['message'],
  match: { type: 'words', words: ['banana'] },
  action: 'refuse',
  ...given,
})

async function withRules(...rules: Given[]) {
  const app = await testApp()
  const [root, ada, bob] = [await app.person('Root'), await app.person('Ada'), await app.person('Bob')]
  await app.services.storage.users.setRole(root.id, 'admin', granted(root.id, app.clock.now))
  const chat: string = (await ada.post('chats', { user_id: bob.id })).body.id
  const added: any[] = []
  for (const given of rules) {
    const answer = await root.post('admin/rules', rule(given))
    expect(answer.status).toBe(201)
    added.push(answer.body)
  }
  const send = (person: Person, text: string, more: Given = {}) =>
    person.post(`chats/${chat}/messages`, { text, ...more })
  return { app, root, ada, bob, chat, send, rules: added }
}

const queue = async (root: Person) => (await root.get('admin/reports')).body.items
const stored = async (app: TestApp) => (await app.rows<{ n: number }>('SELECT count(*) AS n FROM messages'))[0]!.n

describe('a rule that refuses', () => {
  test('refuses a message with its public text, and nothing is stored or sent', async () => {
    const { app, ada, bob, chat, send } = await withRules({ public_text: 'No bananas here.' })
    const refused = await send(ada, 'a BANANA for you')
    expectProblem(refused, 422, 'content_refused')
    expect(refused.body.detail).toBe('No bananas here.')
    expect(refused.text).not.toContain('BANANA')
    expect(await stored(app)).toBe(0)
    expect((await bob.get(`chats/${chat}/messages`)).body.items).toEqual([])
    expect((await send(ada, 'an apple for you')).status).toBe(201)
  })

  test('refuses an edit, and the message stays unchanged', async () => {
    const { ada, bob, chat, send } = await withRules({})
    const { id } = (await send(ada, 'an apple')).body
    expectProblem(await ada.put(`messages/${id}`, { text: 'a banana' }), 422, 'content_refused')
    expect((await bob.get(`chats/${chat}/messages`)).body.items[0]).toMatchObject({ text: 'an apple', edited: false })
  })

  test('refuses the caption of a photo, but not the photo without it', async () => {
    const { ada, send } = await withRules({})
    const photo = (await ada.post('media', imageForm())).body.id
    expectProblem(await send(ada, 'a banana', { kind: 'photo', photo }), 422, 'content_refused')
    expect((await send(ada, 'an apple', { kind: 'photo', photo })).status).toBe(201)
  })

  test('does not affect the retry of a message that was stored before the rule', async () => {
    const { root, ada, send } = await withRules()
    const first = (await send(ada, 'a banana', { client_id: 'a' })).body
    expect((await root.post('admin/rules', rule())).status).toBe(201)
    const again = await send(ada, 'a banana', { client_id: 'a' })
    expect([again.status, again.body.id]).toEqual([200, first.id])
    expectProblem(await send(ada, 'a banana', { client_id: 'b' }), 422, 'content_refused')
  })

  test('refuses a name and a bio, at registration too', async () => {
    const { app, ada } = await withRules({ applies_to: ['name', 'bio'] })
    expectProblem(await ada.put('me', { name: 'Banana' }), 422, 'content_refused')
    expectProblem(await ada.put('me', { bio: 'I like b.a.n.a.n.a' }), 422, 'content_refused')
    expect((await ada.get('me')).body).toMatchObject({ name: 'Ada', bio: null })
    // Unchanged fields are not checked again.
    expect((await ada.put('me', { city: 'Banana' })).status).toBe(200)
    const body = { email: 'new@example.com', password, name: 'Banana', consents }
    expectProblem(await app.request('POST', 'auth/register', { body }), 422, 'content_refused')
  })

  test('refuses a review', async () => {
    const { app, ada, bob } = await withRules({ applies_to: ['review'] })
    const chat_id = await app.met(ada, bob)
    expectProblem(await ada.post('reviews', { chat_id, rating: 1, text: 'What a banana' }), 422, 'content_refused')
    expect((await ada.post('reviews', { chat_id, rating: 5, text: 'Good company' })).status).toBe(201)
  })
})

describe('a rule that flags', () => {
  test('delivers the message, and one report without a reporter waits for moderators', async () => {
    const { root, ada, bob, chat, send } = await withRules({ action: 'flag' })
    const { id } = (await send(ada, 'a banana')).body
    expect((await bob.get(`chats/${chat}/messages`)).body.items[0]).toMatchObject({ id, caution: null })
    await ada.put(`messages/${id}`, { text: 'two bananas, one banana' })
    const reports = await queue(root)
    expect(reports).toHaveLength(1)
    expect(reports[0]).toMatchObject({
      reporter_id: null,
      kind: 'rule',
      message_id: id,
      subject_id: ada.id,
      details: 'By rule: Bananas',
    })
    const report = (await root.get(`admin/reports/${reports[0].id}`)).body
    expect(report.evidence.message.text).toBe('a banana')
    const done = await root.post(`admin/reports/${report.id}/resolve`, { action: 'remove_content', note: 'Bananas.' })
    expect(done.status).toBe(200)
    expect((await bob.get(`chats/${chat}/messages`)).body.items[0]).toMatchObject({ deleted: true, text: null })
    // Neither of the two is notified.
    expect((await ada.get('reports')).body.items).toEqual([])
    expect((await bob.get('reports')).body.items).toEqual([])
  })

  test('reports a profile and a review', async () => {
    const { app, root, ada, bob } = await withRules({ action: 'flag', applies_to: ['name', 'bio', 'review'] })
    expect((await ada.put('me', { bio: 'banana' })).status).toBe(200)
    const chat_id = await app.met(ada, bob)
    await bob.post('reviews', { chat_id, rating: 1, text: 'banana' })
    expect((await queue(root)).map(({ user_id, review_id }: any) => [user_id, review_id !== null])).toEqual([
      [ada.id, false],
      [null, true],
    ])
  })
})

describe('a rule that notes', () => {
  test('shows a caution only to the recipient, until an edit removes the reason', async () => {
    const { ada, bob, chat, send } = await withRules({ action: 'note', public_text: 'Mind the peel.' })
    const sent = (await send(ada, 'a banana')).body
    expect(sent.caution).toBeNull()
    const shown = async (person: Person) => (await person.get(`chats/${chat}/messages`)).body.items[0].caution
    expect([await shown(ada), await shown(bob)]).toEqual([null, 'Mind the peel.'])
    expect((await bob.get('chats')).body.items[0].last_message.caution).toBe('Mind the peel.')
    expect((await bob.get('sync?since=0')).body.items.at(-1).data.caution).toBe('Mind the peel.')
    await ada.put(`messages/${sent.id}`, { text: 'an apple' })
    expect(await shown(bob)).toBeNull()
    await ada.put(`messages/${sent.id}`, { text: 'a banana' })
    expect(await shown(bob)).toBe('Mind the peel.')
    await ada.delete(`messages/${sent.id}`)
    expect(await shown(bob)).toBeNull()
  })

  test('applies to messages only', async () => {
    const { root } = await withRules()
    const refused = await root.post('admin/rules', rule({ action: 'note', applies_to: ['message', 'bio'] }))
    expectProblem(refused, 422, 'validation_failed')
    expect(refused.body.errors[0].path).toBe('/action')
  })
})

describe('the scope of a rule', () => {
  test('first messages are those before the recipient has written', async () => {
    const { ada, bob, send } = await withRules({ applies_to: ['first_message'], match: { type: 'link' } })
    for (const link of ['example.com', 'example.\u200bcom', 'example\u2060.com', 't.\u00adme/x', 'exam\u200dple。com'])
      expectProblem(await send(ada, `see ${link}`), 422, 'content_refused')
    expect((await send(ada, 'hello')).status).toBe(201)
    expectProblem(await send(ada, 'see example.com'), 422, 'content_refused')
    expect((await send(bob, 'hi')).status).toBe(201)
    expect((await send(ada, 'see example.com')).status).toBe(201)
  })

  test('repeated texts are those to several people who have not answered', async () => {
    const { app, ada } = await withRules({
      applies_to: ['first_message'],
      match: { type: 'repeated', people: 3, within_h: 1 },
    })
    const chats: string[] = []
    for (const name of ['Cleo', 'Dan', 'Eve', 'Finn']) {
      const other = await app.person(name)
      chats.push((await ada.post('chats', { user_id: other.id })).body.id)
    }
    const send = (i: number, text: string) => ada.post(`chats/${chats[i]}/messages`, { text })
    expect((await send(0, 'Hi gorgeous!')).status).toBe(201)
    expect((await send(0, 'Hi gorgeous!')).status).toBe(201)
    expect((await send(1, 'HI  GÓRGEOUS')).status).toBe(201)
    expectProblem(await send(2, 'hi, gorrrgeous'), 422, 'content_refused')
    expect((await send(2, 'Is the river cold?')).status).toBe(201)
    await app.rows('UPDATE openers SET at = at - ?', 2 * hours)
    expect((await send(3, 'hi gorgeous')).status).toBe(201)
  })

  test('repeated texts that are sent at once count each other', async () => {
    const { app, ada } = await withRules({
      applies_to: ['first_message'],
      match: { type: 'repeated', people: 3, within_h: 1 },
    })
    const chats: string[] = []
    for (let i = 0; i < 8; i++) chats.push((await ada.post('chats', { user_id: (await app.person()).id })).body.id)
    const answers = await Promise.all(
      chats.map((chat) => ada.post(`chats/${chat}/messages`, { text: 'Fancy a walk?' })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, ...Array(6).fill(422)])
  })

  test('the hashes of repeated texts are removed with the account, or after seven days', async () => {
    const { app, ada, bob, send } = await withRules({
      applies_to: ['first_message'],
      match: { type: 'repeated', people: 3, within_h: 168 },
    })
    const kept = async () =>
      (await app.rows<{ user_id: string }>('SELECT user_id FROM openers')).map(({ user_id }) => user_id)
    await send(ada, 'hi gorgeous')
    const cleo = await app.person('Cleo')
    const chat = (await cleo.post('chats', { user_id: bob.id })).body.id
    await cleo.post(`chats/${chat}/messages`, { text: 'hi gorgeous' })
    expect((await kept()).toSorted()).toEqual([ada.id, cleo.id].toSorted())
    expect((await ada.delete('me', { password })).status).toBe(204)
    await app.services.account.finishErasures()
    expect(await kept()).toEqual([cleo.id])
    app.clock.now += 8 * 24 * hours
    await app.services.retention.openers()
    expect(await kept()).toEqual([])
  })

  test.each([{}, null, undefined])('%j is everybody', async (scope) => {
    const { ada, send } = await withRules({ scope })
    expectProblem(await send(ada, 'banana'), 422, 'content_refused')
  })

  test('young and unverified accounts', async () => {
    const { app, ada, send } = await withRules({ scope: { account_younger_than_h: 24, unverified: true } })
    expectProblem(await send(ada, 'banana'), 422, 'content_refused')
    const seen = async () => {
      // A write of theirs, after which the row is read again.
      expect((await ada.put('me', { city: crypto.randomUUID() })).status).toBe(200)
    }
    await app.rows('UPDATE users SET email_verified_at = 1 WHERE id = ?', ada.id)
    await seen()
    expect((await send(ada, 'banana')).status).toBe(201)
    await app.rows('UPDATE users SET email_verified_at = NULL WHERE id = ?', ada.id)
    await seen()
    expectProblem(await send(ada, 'banana'), 422, 'content_refused')
    await app.rows('UPDATE users SET created_at = created_at - ? WHERE id = ?', 25 * hours, ada.id)
    await seen()
    expect((await send(ada, 'banana')).status).toBe(201)
  })

  test('a rule that is off has no effect, but can be tried', async () => {
    const { root, ada, send } = await withRules({ on: false })
    expect((await send(ada, 'banana')).status).toBe(201)
    const tried = await root.post('admin/rules/try', { text: 'a banana', applies_to: 'message' })
    expect(tried.body.matches).toMatchObject([{ name: 'Bananas', on: false, action: 'refuse', type: 'words' }])
    expect((await root.post('admin/rules/try', { text: 'a banana', applies_to: 'bio' })).body.matches).toEqual([])
  })
})

describe('changes', () => {
  test('take effect at once, and are in the versions and the audit log', async () => {
    const { root, ada, send, rules } = await withRules({})
    const [{ id }] = rules
    expect(
      (await root.put(`admin/rules/${id}`, rule({ name: 'Apples', match: { type: 'words', words: ['apple'] } })))
        .status,
    ).toBe(200)
    expect((await send(ada, 'banana')).status).toBe(201)
    expectProblem(await send(ada, 'apple'), 422, 'content_refused')
    expect((await root.delete(`admin/rules/${id}`)).status).toBe(204)
    expect((await send(ada, 'apple')).status).toBe(201)
    expectProblem(await root.delete(`admin/rules/${id}`), 404, 'not_found')
    expectProblem(await root.put(`admin/rules/${id}`, rule()), 404, 'not_found')
    const versions = (await root.get('admin/rules/versions?limit=2')).body
    expect(
      versions.items.map(({ version, change, rule_id, actor_id }: any) => [version, change, rule_id, actor_id]),
    ).toEqual([
      [3, 'deleted', id, root.id],
      [2, 'changed', id, root.id],
    ])
    const more = (await root.get(`admin/rules/versions?limit=2&cursor=${versions.next_cursor}`)).body
    expect(more.items.map(({ version }: any) => version)).toEqual([1])
    const audit = (await root.get('admin/audit')).body.items.map(({ action }: any) => action)
    expect(audit).toEqual(expect.arrayContaining(['rule_created', 'rule_changed', 'rule_deleted']))
  })

  test('two at once are both applied', async () => {
    const { root } = await withRules()
    const before = (await root.get('admin/rules')).body.items.length
    const added = await Promise.all([1, 2, 3].map((n) => root.post('admin/rules', rule({ name: `Rule ${n}` }))))
    expect(added.map(({ status }) => status)).toEqual([201, 201, 201])
    const { items, version } = (await root.get('admin/rules')).body
    expect([items.length, version]).toEqual([before + 3, 3])
  })

  test('outside the server take effect within two seconds', async () => {
    const { app, ada, send } = await withRules({})
    expectProblem(await send(ada, 'banana'), 422, 'content_refused')
    const at = app.clock.now
    await app.rows(
      "INSERT INTO rule_versions (version, change, rule_count, rules, at) VALUES (2, 'imported', 0, '[]', ?)",
      at,
    )
    app.clock.now += 2 * seconds
    expect((await send(ada, 'banana')).status).toBe(201)
  })

  test('the start set is there, and off', async () => {
    const { root } = await withRules()
    const { version, items } = (await root.get('admin/rules')).body
    expect(version).toBe(0)
    expect(items.length).toBeGreaterThan(20)
    expect(items.filter(({ on }: any) => on)).toEqual([])
    expect(items.map(({ name }: any) => name)).toEqual(
      expect.arrayContaining([
        'Links in first messages',
        'Repeated openers',
        'Contact details in first messages',
        'Obscene words (en)',
      ]),
    )
    const [links] = items
    expect((await root.put(`admin/rules/${links.id}`, { ...links, id: undefined, on: true })).body.on).toBe(true)
  })
})

describe('a word that is split over several messages', () => {
  const refusing = { match: { type: 'words', words: ['banana', 'gift card'] } }

  test('is found if they follow each other within a minute, whatever the recipient says in between', async () => {
    const { app, ada, bob, chat, send } = await withRules(refusing)
    for (const parts of [
      ['ba', 'nana'],
      ['b', 'an', 'ana'],
      ['a gift', 'card for you'],
    ]) {
      for (const part of parts.slice(0, -1)) {
        expect((await send(ada, part)).status).toBe(201)
        for (let i = 0; i < 4; i++) expect((await send(bob, 'what?')).status).toBe(201)
      }
      expectProblem(await send(ada, parts.at(-1)!), 422, 'content_refused')
      app.clock.now += 61 * seconds
    }
    // Parts of another person, in another chat, or from long ago do not count.
    expect((await send(ada, 'ba')).status).toBe(201)
    expect((await send(bob, 'nana')).status).toBe(201)
    app.clock.now += 61 * seconds
    expect((await send(ada, 'nana')).status).toBe(201)
    const cleo = await app.person('Cleo')
    const other = (await ada.post('chats', { user_id: cleo.id })).body.id
    await send(ada, 'ba')
    expect((await ada.post(`chats/${other}/messages`, { text: 'nana' })).status).toBe(201)
    expect((await bob.get(`chats/${chat}/messages?limit=100`)).text).not.toContain('card')
  })

  test('is found as a phone number or an address too, but a time before a date is none', async () => {
    const { app, ada, send } = await withRules({ match: { type: 'contact' } })
    for (const [first, second] of [
      ['meet at 19:30', '2026-11-27'],
      ['20:15', '12.12.2026'],
      ['bus 200 at 18:45', '27.11.2026 is fine'],
    ] as const) {
      expect([(await send(ada, first)).status, (await send(ada, second)).status]).toEqual([201, 201])
      app.clock.now += 61 * seconds
    }
    for (const [first, second] of [
      ['0612', '345678'],
      ['ada@exam', 'ple.org'],
    ] as const) {
      expect((await send(ada, first)).status).toBe(201)
      expectProblem(await send(ada, second), 422, 'content_refused')
      app.clock.now += 61 * seconds
    }
  })

  test('is found if other nodes have stored the first part', async () => {
    const { app, ada, bob, chat, send } = await withRules(refusing)
    const recent = recentFromStorage({ chats: app.services.storage.chats, now: () => app.clock.now })
    await send(ada, 'this one is too long to be a part of a word')
    for (const text of ['one', 'two', 'three', 'four']) {
      app.clock.now += seconds
      await send(ada, text)
    }
    expect(await recent.of(chat, ada.id)).toEqual(['two', 'three', 'four'])
    await send(bob, 'what?')
    expect(await recent.of(chat, ada.id)).toEqual(['two', 'three', 'four'].slice(0))
    expect(await recent.of(chat, bob.id)).toEqual(['what?'])
    app.clock.now += 61 * seconds
    expect(await recent.of(chat, ada.id)).toEqual([])
    await send(ada, 'five')
    await send(ada, 'and now a message that is too long for a part')
    expect(await recent.of(chat, ada.id)).toEqual([])
  })

  test('is reported once, for the message that completes it', async () => {
    const { root, ada, send } = await withRules({ ...refusing, action: 'flag' })
    await send(ada, 'ba')
    const { id } = (await send(ada, 'nana')).body
    await send(ada, 'hello')
    await send(ada, 'banana')
    await send(ada, 'yes')
    const reports = await queue(root)
    expect(reports.map(({ message_id }: any) => message_id)[0]).toBe(id)
    expect(reports).toHaveLength(2)
  })

  for (const action of ['refuse', 'hold'])
    test(`is found after the whole word, if the rule is to ${action}`, async () => {
      const { root, ada, bob, chat, send } = await withRules({ ...refusing, action })
      for (const part of ['banana', 'ba', 'nana', 'hello']) await send(ada, part)
      const seen = (await bob.get(`chats/${chat}/messages`)).body.items.map(({ text }: any) => text)
      expect(seen.toReversed()).toEqual(['ba', 'hello'])
      expect(await queue(root)).toHaveLength(action === 'hold' ? 2 : 0)
    })

  for (const [action, seenByBob] of [
    ['refuse', ['ba', 'hello', 'you']],
    ['hold', ['ba', 'hello', 'you']],
    ['flag', ['ba', 'nana', 'nana', 'hello', 'you']],
  ] as const)
    test(`does not stop the messages after it, if the rule is to ${action}`, async () => {
      const { root, ada, bob, chat, send } = await withRules({ ...refusing, action })
      for (const text of ['ba', 'nana', 'nana', 'hello', 'you']) await send(ada, text)
      const seen = (await bob.get(`chats/${chat}/messages`)).body.items.map(({ text }: any) => text)
      expect(seen.toReversed()).toEqual(seenByBob)
      expect(await queue(root)).toHaveLength({ refuse: 0, hold: 2, flag: 1 }[action])
    })

  test('is found in the caption of a photo and in an edit', async () => {
    const { ada, send } = await withRules(refusing)
    const photo = (await ada.post('media', imageForm())).body.id
    await send(ada, 'ba')
    expectProblem(await send(ada, 'nana', { kind: 'photo', photo }), 422, 'content_refused')
    const { id } = (await send(ada, 'ok')).body
    await send(ada, 'ba')
    expectProblem(await ada.put(`messages/${id}`, { text: 'nana' }), 422, 'content_refused')
  })
})

describe('invalid rules', () => {
  const cases: { what: string; given: Given; path: string; message?: RegExp }[] = [
    {
      what: 'lookbehind',
      given: { match: { type: 'pattern', pattern: 'foo(?<=o)bar' } },
      path: '/match/pattern',
      message: /at character 4: RE2 has no lookbehind/,
    },
    {
      what: 'lookahead',
      given: { match: { type: 'pattern', pattern: 'foo(?=o)bar' } },
      path: '/match/pattern',
      message: /at character 4: RE2 has no lookahead/,
    },
    {
      what: 'a back reference',
      given: { match: { type: 'pattern', pattern: '(a)\\1' } },
      path: '/match/pattern',
      message: /at character 4/,
    },
    { what: 'an open group', given: { match: { type: 'pattern', pattern: '(a' } }, path: '/match/pattern' },
    {
      what: 'a huge repetition',
      given: { match: { type: 'pattern', pattern: '(a{500}){500}' } },
      path: '/match/pattern',
    },
    {
      what: 'a large program',
      given: { match: { type: 'pattern', pattern: '[a-z]{999}[0-9]{999}' } },
      path: '/match/pattern',
      message: /too large/,
    },
    { what: 'a word of one letter', given: { match: { type: 'words', words: ['ok', '…a'] } }, path: '/match/words/1' },
    {
      what: 'a phrase that is too long to be found',
      given: { match: { type: 'words', words: ['one two three four five six seven'] } },
      path: '/match/words/0',
    },
    { what: 'no words', given: { match: { type: 'words', words: [] } }, path: '/match/words' },
    {
      what: 'repeated texts of all messages',
      given: { match: { type: 'repeated', people: 3, within_h: 24 } },
      path: '/applies_to',
    },
    { what: 'holding what nobody is sent', given: { action: 'hold', applies_to: ['bio'] }, path: '/action' },
    { what: 'nothing to apply to', given: { applies_to: [] }, path: '/applies_to' },
    {
      what: 'a number as text',
      given: { scope: { account_younger_than_h: '24' } },
      path: '/scope/account_younger_than_h',
    },
    {
      what: 'a domain with a path',
      given: { match: { type: 'link', domains: ['example.com/x'] } },
      path: '/match/domains/0',
    },
    {
      what: 'a domain with a placeholder',
      given: { match: { type: 'link', domains: ['*.example.com'] } },
      path: '/match/domains/0',
    },
    {
      what: 'a domain that begins with a dot',
      given: { match: { type: 'link', domains: ['.example.com'] } },
      path: '/match/domains/0',
    },
  ]
  test.each(cases)('$what', async ({ given, path, message }) => {
    const { root } = await withRules()
    const refused = await root.post('admin/rules', rule(given))
    expectProblem(refused, 422, 'validation_failed')
    const [error] = refused.body.errors
    expect([path, '/match']).toContain(error.path)
    if (message) expect(error).toMatchObject({ path, message: expect.stringMatching(message) })
    expect((await root.get('admin/rules')).body.version).toBe(0)
  })

  test('10 MB, and 100 000 words', async () => {
    const { root } = await withRules()
    const words = Array.from({ length: 100_000 }, (_, i) => `word${i}`)
    expectProblem(await root.post('admin/rules', rule({ match: { type: 'words', words } })), 413, 'payload_too_large')
    const pattern = 'a'.repeat(10 * 1024 * 1024)
    expectProblem(
      await root.post('admin/rules', rule({ match: { type: 'pattern', pattern } })),
      413,
      'payload_too_large',
    )
  })

  test('more words that differ only in repeated letters than every message can be compared with', async () => {
    const { root } = await withRules()
    const words = Array.from({ length: 32 }, (_, i) =>
      [...'abcde'].map((c, at) => c.repeat(((i >> at) & 1) + 1)).join(''),
    )
    const add = (some: string[]) => root.post('admin/rules', rule({ match: { type: 'words', words: some } }))
    expect((await add(words.slice(0, 20))).status).toBe(201)
    const refused = await add(words.slice(20))
    expectProblem(refused, 422, 'validation_failed')
    expect(refused.body.errors[0]).toMatchObject({ path: '/match', message: expect.stringContaining('aabcde') })
    expect((await root.get('admin/rules')).body.version).toBe(1)
  })

  test('more patterns than every message can be searched for', async () => {
    const { root } = await withRules()
    const answers = []
    for (let i = 0; i < 7; i++)
      answers.push(await root.post('admin/rules', rule({ match: { type: 'pattern', pattern: `[a-z]{900}${i}` } })))
    const statuses = answers.map(({ status }) => status)
    expect(statuses[0]).toBe(201)
    expect(statuses.slice(5)).toEqual([422, 422])
    expect(answers.at(-1)?.body.errors[0]).toMatchObject({ path: '/match', code: 'out_of_range' })
  })
})
