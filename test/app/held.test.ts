import { describe, expect, test } from 'bun:test'
import { days, seconds } from '../../src/lib/time.ts'
import { password, type Person, testApp, type TestApp } from '../app.ts'
import { imageForm } from '../community.ts'
import { deliver, devices, register } from '../devices.ts'
import { oneNodeTest } from '../engines.ts'
import { expectProblem } from '../problem.ts'
import { granted, haveBothWritten } from '../rows.ts'
import { connect, ofType } from '../socket-client.ts'

const holding = (given: Record<string, unknown> = {}) => ({
  name: 'Bananas',
  on: true,
  applies_to: ['message'],
  match: { type: 'words', words: ['banana'] },
  action: 'hold',
  ...given,
})

/** Ada and Bob chat while a rule holds messages with the word banana, and Root decides. */
async function withHold(settings: Parameters<typeof testApp>[0] = {}, options: Parameters<typeof testApp>[1] = {}) {
  const app = await testApp(settings, options)
  const [root, ada, bob] = [await app.person('Root'), await app.person('Ada'), await app.person('Bob')]
  await app.services.storage.users.setRole(root.id, 'admin', granted(root.id, app.clock.now))
  const chat: string = (await ada.post('chats', { user_id: bob.id })).body.id
  const rule = (await root.post('admin/rules', holding())).body.id
  const send = async (person: Person, text: string, more: Record<string, unknown> = {}) => {
    app.clock.now += 1000
    return person.post(`chats/${chat}/messages`, { text, ...more })
  }
  const texts = async (person: Person, query = '') =>
    (await person.get(`chats/${chat}/messages${query}`)).body.items.map((message: any) => message.text)
  const listed = async (person: Person) => (await person.get('chats')).body.items
  const events = async (person: Person) => (await person.get('sync?since=0')).body.items
  const queue = async () => (await root.get('admin/reports?status=open')).body.items
  const resolve = (id: string, action: string, more: Record<string, unknown> = {}) =>
    root.post(`admin/reports/${id}/resolve`, { action, note: 'Looked at.', ...more })
  return { app, root, ada, bob, chat, rule, send, texts, listed, events, queue, resolve }
}

const heldRows = async (app: TestApp) =>
  (await app.rows<{ n: number }>('SELECT count(*) AS n FROM held_messages'))[0]!.n

describe('a held message', () => {
  test('is shown to its sender as sent, waits in the queue, and is invisible to the recipient', async () => {
    const { app, root, ada, bob, chat, send, texts, listed, events, queue } = await withHold()
    await send(bob, 'Hi')
    const before = { chats: await listed(bob), events: await events(bob) }
    const sent = await send(ada, 'a banana for you', { client_id: 'one' })
    expect(sent.status).toBe(201)
    expect(Object.keys(sent.body).sort()).toEqual(Object.keys((await send(ada, 'plain')).body).sort())
    expect(sent.body).toMatchObject({ text: 'a banana for you', sender_id: ada.id, read: false, deleted: false })

    // The view of its sender.
    expect(await texts(ada)).toEqual(['plain', 'a banana for you', 'Hi'])
    expect((await events(ada)).map(({ data }: any) => data.text)).toContain('a banana for you')
    const again = await send(ada, 'a banana for you', { client_id: 'one' })
    expect([again.status, again.body.id]).toEqual([200, sent.body.id])
    expect((await ada.get('me/export')).text).toContain('a banana for you')

    // The view of the recipient.
    expect(await texts(bob)).toEqual(['plain', 'Hi'])
    expect((await listed(bob))[0]).toMatchObject({ unread_count: 1, last_message: { text: 'plain' } })
    for (const path of ['sync?since=0', 'chats', `chats/${chat}`, `chats/${chat}/messages`, 'me/export']) {
      const { text } = await bob.get(path)
      expect([path, text.includes('banana'), text.includes(sent.body.id)]).toEqual([path, false, false])
    }
    expect((await events(bob)).length).toBe(before.events.length + 1)
    for (const refused of [
      await bob.put(`messages/${sent.body.id}`, { text: 'x' }),
      await bob.delete(`messages/${sent.body.id}`),
      await bob.put(`chats/${chat}/read`, { up_to: sent.body.id }),
      await bob.get(`chats/${chat}/messages?after=${sent.body.id}`),
    ])
      expectProblem(refused, 404, 'not_found')
    const reported = await bob.post('reports', { message_id: sent.body.id, reason: 'spam' })
    expectProblem(reported, 404, 'not_found')
    expectProblem(await ada.post('reports', { message_id: sent.body.id, reason: 'spam' }), 422, 'self_not_allowed')

    // The view of moderators.
    const [report] = await queue()
    expect(report).toMatchObject({ kind: 'held', message_id: sent.body.id, subject_id: ada.id, reporter_id: null })
    expect((await root.get('admin/reports?kind=held')).body.items).toHaveLength(1)
    expect((await root.get('admin/reports?kind=rule')).body.items).toHaveLength(0)
    const shown = (await root.get(`admin/reports/${report.id}`)).body.evidence
    expect(shown.message.text).toBe('a banana for you')
    expect(shown.before.map(({ text }: any) => text)).toEqual(['Hi'])
    expect((await root.get('admin/stats')).body.held).toBe(1)
    expect(await heldRows(app)).toBe(1)
  })

  test('released, is delivered with its own time and place, and is unread even if later ones are read', async () => {
    const { app, root, ada, bob, chat, send, texts, listed, events, queue, resolve } = await withHold()
    await send(ada, 'first')
    const held = (await send(ada, 'a banana')).body
    const last = (await send(ada, 'last')).body
    await send(bob, 'an answer')
    expect((await bob.put(`chats/${chat}/read`)).body.read).toBe(2)
    expect((await listed(bob))[0].unread_count).toBe(0)
    const seen = (await events(bob)).at(-1).seq
    const socket = connect(await app.listen(), bob.token)
    await socket.until(ofType('hello'))
    const [report] = await queue()
    expectProblem(await resolve(report.id, 'dismiss'), 422, 'validation_failed')
    expectProblem(await resolve(report.id, 'suspend'), 422, 'validation_failed')
    expectProblem(await resolve(report.id, 'release', { strikes: 1 }), 422, 'validation_failed')

    const done = await resolve(report.id, 'release')
    expect(done.status).toBe(200)
    expect(done.body).toMatchObject({ status: 'resolved', kind: 'held', resolution: { action: 'release' } })
    const frame = await socket.until(ofType('message'))
    expect(frame.data).toMatchObject({ id: held.id, text: 'a banana', created_at: held.created_at })
    expect((await bob.get(`sync?since=${seen}`)).body.items).toMatchObject([
      { type: 'message', data: { id: held.id, created_at: held.created_at } },
    ])
    for (const person of [ada, bob]) {
      expect(await texts(person)).toEqual(['an answer', 'last', 'a banana', 'first'])
      expect(await texts(person, `?after=${held.id}`)).toEqual(['last', 'an answer'])
    }
    const [entry] = await listed(bob)
    expect(entry).toMatchObject({ unread_count: 1, last_message: { text: 'an answer' } })
    expect((await bob.get('chats')).body.unread_total).toBe(1)
    expect((await bob.put(`chats/${chat}/read`, { up_to: last.id })).body.read).toBe(1)
    expect((await listed(bob))[0].unread_count).toBe(0)
    expect((await ada.get(`chats/${chat}/messages`)).body.items[2].read).toBe(true)
    expect(await heldRows(app)).toBe(0)
    expectProblem(await resolve(report.id, 'release'), 409, 'conflict')
    // From here on, it is a message like any other.
    expect((await send(bob, 'and again')).status).toBe(201)
    expect((await ada.put(`messages/${held.id}`, { text: 'an apple' })).status).toBe(200)
    expect((await texts(bob))[3]).toBe('an apple')
    expect((await root.get(`admin/reports/${report.id}`)).body.resolution.action).toBe('release')
  })

  test('refused, becomes a tombstone with a notice for its sender, and the recipient sees nothing', async () => {
    const { app, ada, bob, send, texts, listed, events, queue, resolve } = await withHold()
    await send(bob, 'Hi')
    const socket = connect(await app.listen(), bob.token)
    await socket.until(ofType('hello'))
    const held = (await send(ada, 'a banana')).body
    const before = await events(bob)
    const [report] = await queue()
    expect((await resolve(report.id, 'remove_content', { strikes: 1 })).status).toBe(200)
    expect((await ada.get('me/notices')).body.items).toMatchObject([
      { action: 'remove_content', message_id: held.id, reason: 'Looked at.' },
    ])
    expect((await events(ada)).slice(-2).map(({ type }: any) => type)).toEqual(['message_deleted', 'notice'])
    expect(await texts(ada)).toEqual([null, 'Hi'])
    expect((await listed(ada))[0].last_message).toMatchObject({ id: held.id, deleted: true })
    expect(await texts(bob)).toEqual(['Hi'])
    expect((await listed(bob))[0].last_message.text).toBe('Hi')
    expect(await events(bob)).toEqual(before)
    socket.send({ type: 'ping', cid: 'last' })
    await socket.until(({ cid }) => cid === 'last')
    expect(socket.frames.map(({ type }) => type).filter((type) => !['hello', 'presence'].includes(type))).toEqual([
      'pong',
    ])
  })

  test('moves the chat up only for its sender, page by page', async () => {
    const { app, ada, bob, chat, send, listed } = await withHold()
    const cleo = await app.person('Cleo')
    app.clock.now += 1000
    const other = (await ada.post('chats', { user_id: cleo.id })).body.id
    const dan = await app.person('Dan')
    app.clock.now += 1000
    const third = (await bob.post('chats', { user_id: dan.id })).body.id
    await send(ada, 'a banana')
    expect((await listed(ada)).map(({ id }: any) => id)).toEqual([chat, other])
    expect((await listed(bob)).map(({ id }: any) => id)).toEqual([third, chat])
    expect((await listed(bob))[1]).toMatchObject({ last_message: null, last_msg_at: null, unread_count: 0 })
    expect((await listed(ada))[0]).toMatchObject({ last_message: { text: 'a banana' } })
    const pages: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: any = (await ada.get(`chats?limit=1${cursor && `&cursor=${cursor}`}`)).body
      pages.push(...page.items.map(({ id }: any) => id))
      cursor = page.next_cursor
    }
    expect(pages).toEqual([chat, other])
  })

  test('edited, shows the new text in the queue, and a pending decision is taken back', async () => {
    const { root, ada, bob, send, texts, queue, resolve, events } = await withHold()
    const held = (await send(ada, 'a banana')).body
    const [report] = await queue()
    expect((await resolve(report.id, 'release', { undo_s: 10 })).status).toBe(200)
    const edited = await ada.put(`messages/${held.id}`, { text: 'an apple' })
    expect(edited.body).toMatchObject({ text: 'an apple', edited: true })
    const shown = (await root.get(`admin/reports/${report.id}`)).body
    expect(shown.evidence.message.text).toBe('an apple')
    expect(shown.evidence.versions).toMatchObject([{ text: 'a banana' }])
    expect([shown.pending, shown.claimed_by, shown.status]).toEqual([null, null, 'open'])
    expect(await texts(bob)).toEqual([])
    await resolve(report.id, 'release')
    expect(await texts(bob)).toEqual(['an apple'])
    const told = (await events(bob)).filter(({ type }: any) => type.startsWith('message'))
    expect(told.map(({ type }: any) => type)).toEqual(['message'])
    expect(JSON.stringify(told)).not.toContain('banana')
  })

  test('edited, is released only by a moderator who has read the new text', async () => {
    const { app, root, ada, bob, send, texts, queue, resolve } = await withHold()
    const mia = await app.person('Mia')
    await app.services.storage.users.setRole(mia.id, 'moderator', granted(mia.id, app.clock.now))
    const held = (await send(ada, 'a banana')).body
    const [{ id }] = await queue()
    const read = (person: Person) => person.get(`admin/reports/${id}`)
    await read(root)
    await ada.put(`messages/${held.id}`, { text: 'a threat' })
    expectProblem(await resolve(id, 'release'), 409, 'conflict')
    expectProblem(await resolve(id, 'release', { undo_s: 10 }), 409, 'conflict')
    expect((await read(mia)).body).toMatchObject({ status: 'open', pending: null })
    // That somebody else has read it does not count.
    expectProblem(await resolve(id, 'release'), 409, 'conflict')
    await read(root)
    app.clock.now += 1000
    await ada.put(`messages/${held.id}`, { text: 'another threat' })
    expectProblem(await resolve(id, 'release'), 409, 'conflict')
    expect(await texts(bob)).toEqual([])
    expect((await read(root)).body.evidence.message.text).toBe('another threat')
    expect((await resolve(id, 'release', { undo_s: 10 })).status).toBe(200)
    await root.delete(`admin/reports/${id}/resolve`)
    expect((await resolve(id, 'release')).status).toBe(200)
    expect(await texts(bob)).toEqual(['another threat'])
  })

  test('edited, is removed by a moderator who has read only the first text', async () => {
    const { ada, send, texts, queue, resolve } = await withHold()
    const held = (await send(ada, 'a banana')).body
    const [{ id }] = await queue()
    await ada.put(`messages/${held.id}`, { text: 'a threat' })
    expect((await resolve(id, 'remove_content')).status).toBe(200)
    expect(await texts(ada)).toEqual([null])
  })

  oneNodeTest('it replaces a part of its one node')(
    'released while its sender edits it, does not get a text that a rule holds, and is reported if one flags it',
    async () => {
      const { app, root, ada, bob, send, texts, queue, resolve } = await withHold()
      await root.post(
        'admin/rules',
        holding({ name: 'Cherries', action: 'flag', match: { type: 'words', words: ['cherry'] } }),
      )
      const { chats } = app.services.storage
      const { edit } = chats
      const editLate = async (id: string, text: string) => {
        const [report] = await queue()
        chats.edit = async (...args) => {
          expect((await resolve(report.id, 'release')).status).toBe(200)
          return edit(...args)
        }
        const edited = await ada.put(`messages/${id}`, { text })
        chats.edit = edit
        return edited
      }
      const first = (await send(ada, 'a banana')).body
      expectProblem(await editLate(first.id, 'another banana'), 422, 'content_refused')
      expect(await texts(bob)).toEqual(['a banana'])
      expect(await queue()).toEqual([])
      const second = (await send(ada, 'banana bread')).body
      expect((await editLate(second.id, 'a cherry')).status).toBe(200)
      expect(await texts(bob)).toEqual(['a cherry', 'a banana'])
      expect(await queue()).toMatchObject([{ kind: 'rule', message_id: second.id, details: 'By rule: Cherries' }])
    },
  )

  test('deleted by its sender, is never delivered', async () => {
    const { app, ada, bob, send, texts, events, queue, resolve } = await withHold()
    const held = (await send(ada, 'a banana')).body
    const before = await events(bob)
    expect((await ada.delete(`messages/${held.id}`)).status).toBe(204)
    expect((await ada.delete(`messages/${held.id}`)).status).toBe(204)
    const [report] = await queue()
    expect((await resolve(report.id, 'release')).status).toBe(200)
    expect([await texts(ada), await texts(bob)]).toEqual([[null], []])
    expect(await events(bob)).toEqual(before)
    expect((await app.rows<{ text: string | null }>('SELECT text FROM held_messages'))[0]!.text).toBeNull()
  })

  test('is never delivered across a block, nor from or to an erased account', async () => {
    for (const [end, isSenderThere] of [
      [({ bob, ada }: Record<string, Person>) => bob!.post('blocks', { user_id: ada!.id }), true],
      [({ bob }: Record<string, Person>) => bob!.delete('me', { password: password }), true],
      [({ ada }: Record<string, Person>) => ada!.delete('me', { password: password }), false],
    ] as const) {
      const { app, ada, bob, send, texts, queue, resolve } = await withHold()
      await send(ada, 'a banana')
      const [report] = await queue()
      expect((await end({ ada, bob })).status).toBeLessThan(300)
      expect((await resolve(report.id, 'release')).status).toBe(200)
      if (isSenderThere) expect(await texts(ada)).toEqual(['a banana'])
      expect(await app.rows('SELECT id FROM messages')).toEqual([])
      expect(await heldRows(app)).toBe(isSenderThere ? 1 : 0)
    }
  })

  test('with a photo, is visible only to its sender until it is delivered', async () => {
    const { app, root, ada, bob, chat, send, queue, resolve } = await withHold()
    const photo = (await ada.post('media', imageForm())).body.id
    const held = (await send(ada, 'a banana', { kind: 'photo', photo })).body
    const fetched = async (url: string) => (await app.request('GET', url.replace(/^.*?(?=\/api)/, ''))).status
    expect(await fetched(held.photo.url)).toBe(200)
    expect((await bob.get(`chats/${chat}/messages`)).text).not.toContain(photo)
    expect((await bob.get('me/export')).text).not.toContain(photo)
    app.clock.now += 2 * days
    expect((await app.services.media.sweep()).images).toBe(0)
    app.clock.now -= 2 * days
    const [report] = await queue()
    expect((await root.get(`admin/reports/${report.id}`)).body.evidence.message.photo.id).toBe(photo)
    await resolve(report.id, 'release')
    const shown = (await bob.get(`chats/${chat}/messages`)).body.items[0]
    expect(shown).toMatchObject({ id: held.id, kind: 'photo', photo: { id: photo } })
    expect(await fetched(shown.photo.url)).toBe(200)
  })

  test('does not count as an answer, nor as having written', async () => {
    const { app, ada, bob, chat, send, texts } = await withHold({ FIRST_CONTACT: 'guarded' })
    for (const text of ['one', 'a banana', 'three']) expect((await send(ada, text)).status).toBe(201)
    expectProblem(await send(ada, 'four'), 403, 'awaiting_reply')
    expect((await send(bob, 'a banana')).status).toBe(201)
    // Bob's answer is held, so Ada still waits for one.
    expectProblem(await send(ada, 'four'), 403, 'awaiting_reply')
    expectProblem(await ada.post('reviews', { chat_id: chat, rating: 5 }), 403, 'awaiting_reply')
    expectProblem(await bob.post('reviews', { chat_id: chat, rating: 5 }), 403, 'awaiting_reply')
    expect([await texts(ada), await texts(bob)]).toEqual([
      ['three', 'a banana', 'one'],
      ['a banana', 'three', 'one'],
    ])
    await haveBothWritten(app, chat)
    expect((await bob.get(`chats/${chat}`)).body.online).toBe(false)
  })

  test('a retry returns it, even if the rule is gone', async () => {
    const { root, ada, bob, rule, send, texts } = await withHold()
    const held = (await send(ada, 'a banana', { client_id: 'one' })).body
    expect((await root.delete(`admin/rules/${rule}`)).status).toBe(204)
    const again = await send(ada, 'a banana', { client_id: 'one' })
    expect([again.status, again.body.id]).toEqual([200, held.id])
    expect(await texts(bob)).toEqual([])
    expect((await send(ada, 'a banana', { client_id: 'two' })).status).toBe(201)
    expect(await texts(bob)).toEqual(['a banana'])
  })

  test('a retry in another chat returns it, and nothing is sent twice', async () => {
    const { app, root, ada, rule, send, queue, resolve } = await withHold()
    const cleo = await app.person('Cleo')
    const other = `chats/${(await ada.post('chats', { user_id: cleo.id })).body.id}/messages`
    const photo = (await ada.post('media', imageForm())).body.id
    const held = (await send(ada, 'a banana', { client_id: 'one' })).body
    const retries = async () => {
      for (const content of [{ text: 'an apple' }, { text: 'a banana' }, { kind: 'photo', photo }]) {
        const again = await ada.post(other, { ...content, client_id: 'one' })
        expect([again.status, again.body.id, again.body.chat_id]).toEqual([200, held.id, held.chat_id])
      }
    }
    await retries()
    await root.delete(`admin/rules/${rule}`)
    await retries()
    expect((await cleo.get(other)).body.items).toEqual([])
    const [report, ...more] = await queue()
    expect(more).toEqual([])
    await resolve(report.id, 'release')
    await retries()
    // Another one's client_id, and the next message of the same chat, are free.
    expect((await cleo.post(other, { text: 'hi', client_id: 'one' })).status).toBe(201)
    expect((await ada.post(other, { text: 'hi', client_id: 'two' })).status).toBe(201)
    expect((await cleo.get(other)).body.items.map(({ text }: any) => text)).toEqual(['hi', 'hi'])
  })

  test('concurrent retries store one message, one report and one event', async () => {
    const { ada, send, texts, queue, events } = await withHold()
    const before = (await events(ada)).length
    const sent = await Promise.all(Array.from({ length: 10 }, () => send(ada, 'a banana', { client_id: 'one' })))
    expect(new Set(sent.map(({ body }) => body.id)).size).toBe(1)
    expect(sent.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(await texts(ada)).toEqual(['a banana'])
    expect(await queue()).toHaveLength(1)
    expect((await events(ada)).length).toBe(before + 1)
  })

  test('among many concurrent sends, every message keeps its own number', async () => {
    const { app, ada, bob, send, texts, queue, resolve } = await withHold()
    const all = Array.from({ length: 24 }, (_, i) => (i % 3 === 0 ? `banana ${i}` : `plain ${i}`))
    await Promise.all(all.map((text, i) => send(i % 2 === 0 ? ada : bob, text)))
    const [first, ...rest] = await queue()
    await Promise.all([resolve(first.id, 'release'), send(ada, 'meanwhile'), resolve(rest[0].id, 'remove_content')])
    for (const report of rest.slice(1)) expect((await resolve(report.id, 'release')).status).toBe(200)
    const seqs = await app.rows<{ seq: number }>(
      'SELECT seq FROM messages UNION ALL SELECT seq FROM held_messages ORDER BY seq',
    )
    expect(seqs.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: 25 }, (_, i) => i + 1))
    const [ofAda, ofBob] = [await texts(ada, '?limit=100'), await texts(bob, '?limit=100')]
    expect([ofAda.length, ofBob.length].sort()).toEqual([24, 25])
    expect(ofAda.filter((text: string | null) => text !== null)).toEqual(
      ofBob.filter((text: string | null) => text !== null),
    )
  })

  test('of two moderators at once, only one decides', async () => {
    const { app, ada, bob, send, texts, queue, resolve, events } = await withHold()
    const mia = await app.person('Mia')
    await app.services.storage.users.setRole(mia.id, 'moderator', granted(mia.id, app.clock.now))
    await send(ada, 'a banana')
    const [report] = await queue()
    const answers = await Promise.all([
      resolve(report.id, 'release'),
      mia.post(`admin/reports/${report.id}/resolve`, { action: 'remove_content', note: 'No.' }),
      resolve(report.id, 'release'),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2)
    const isReleased = answers[1]!.status !== 200
    expect(await texts(bob)).toEqual(isReleased ? ['a banana'] : [])
    expect((await events(bob)).filter(({ type }: any) => type === 'message')).toHaveLength(isReleased ? 1 : 0)
  })

  test('a pending decision is carried out later, and can be undone until then', async () => {
    const { app, root, ada, bob, send, texts, queue, resolve } = await withHold()
    await send(ada, 'a banana')
    const [report] = await queue()
    const waiting = await resolve(report.id, 'release', { undo_s: 10 })
    expect(waiting.body.pending.action).toBe('release')
    expect(await texts(bob)).toEqual([])
    expect((await root.delete(`admin/reports/${report.id}/resolve`)).status).toBe(204)
    await resolve(report.id, 'release', { undo_s: 10 })
    app.clock.now += 11_000
    await app.services.delivery.wake('decision')
    for (let i = 0; i < 100 && (await texts(bob)).length === 0; i++) await Bun.sleep(20)
    expect(await texts(bob)).toEqual(['a banana'])
  })
})

describe('until a held message is released', () => {
  test('devices get no notification, and webhooks contain only ids', async () => {
    const way = devices()
    const world = await withHold(
      {
        WEBHOOK_URL: 'https://operator.example/hook',
        WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 3).toString('base64')}`,
      },
      { providers: way.providers },
    )
    const { app, root, ada, bob, chat, send, queue, resolve } = world
    await bob.put('me/notifications', { preview: 'full', digest: 'daily' })
    await register(app, bob, 'fcm')
    const due = async () => {
      app.clock.now += 15 * seconds
      await deliver(app)
    }
    await due()
    way.take()
    const { id } = (await send(ada, 'a banana')).body
    await due()
    expect(way.take()).toEqual([])
    const asked = await app.rows<{ kind: string; payload: string; user_id: string | null }>(
      "SELECT kind, payload, user_id FROM outbox WHERE kind <> 'notification' OR user_id = ?",
      bob.id,
    )
    const webhooks = asked.filter(({ kind }) => kind === 'webhook').map(({ payload }) => JSON.parse(payload))
    const [report] = await queue()
    expect(webhooks).toContainEqual({ about: 'message.held', data: { message_id: id, user_id: ada.id } })
    expect(webhooks).toContainEqual({
      about: 'report.created',
      data: { report_id: report.id, user_id: ada.id, target: 'message', reason: 'other' },
    })
    expect(JSON.stringify(asked)).not.toContain('banana')
    expect(JSON.stringify(asked.filter(({ kind }) => kind !== 'webhook'))).not.toContain(id)

    await resolve(report.id, 'release')
    await due()
    expect(way.shown()).toMatchObject([{ body: 'a banana' }])
    expect((await root.get('admin/audit')).body.items.map(({ action }: any) => action)).toContain('report_resolved')
    expect((await bob.put(`chats/${chat}/read`)).body.read).toBe(1)
  })
})

describe('a rule that holds', () => {
  test('applies to messages only', async () => {
    const { root } = await withHold()
    for (const subject of ['name', 'bio', 'review']) {
      const refused = await root.post('admin/rules', holding({ applies_to: ['message', subject] }))
      expectProblem(refused, 422, 'validation_failed')
      expect(refused.body.errors[0].path).toBe('/action')
    }
    expect((await root.post('admin/rules', holding({ applies_to: ['first_message'] }))).status).toBe(201)
  })

  test('refuses an edit of a delivered message', async () => {
    const { ada, bob, send, texts, queue } = await withHold()
    const { id } = (await send(ada, 'an apple')).body
    expectProblem(await ada.put(`messages/${id}`, { text: 'a banana' }), 422, 'content_refused')
    expect([await texts(ada), await texts(bob)]).toEqual([['an apple'], ['an apple']])
    expect(await queue()).toEqual([])
  })

  test('ranks below one that refuses, and above one that flags', async () => {
    const { root, ada, bob, send, texts, queue } = await withHold()
    await root.post('admin/rules', holding({ name: 'Flagged', action: 'flag' }))
    await send(ada, 'a banana')
    expect((await queue()).map(({ kind, details }: any) => [kind, details])).toEqual([['held', 'By rule: Bananas']])
    await root.post('admin/rules', holding({ name: 'Refused', action: 'refuse' }))
    expectProblem(await send(ada, 'a banana'), 422, 'content_refused')
    expect(await texts(bob)).toEqual([])
  })
})

describe('a rule that flags', () => {
  test('files its report in the transaction that stores the message, so that neither exists without the other', async () => {
    const { app, root, ada, rule, send, texts, queue } = await withHold()
    await root.put(`admin/rules/${rule}`, holding({ action: 'flag' }))
    const { reports } = app.services.storage
    const file = reports.file
    reports.file = () => Promise.reject(new Error('a report on its own'))
    expect((await send(ada, 'a banana')).status).toBe(201)
    reports.file = file
    expect(await queue()).toMatchObject([{ kind: 'rule' }])
    await app.rows('DROP TABLE evidence_photos')
    await app.rows('ALTER TABLE reports RENAME TO reports_gone')
    expect((await send(ada, 'another banana')).status).toBeGreaterThanOrEqual(500)
    expect(await texts(ada)).toEqual(['a banana'])
  })
})
