import { afterEach, describe, expect, test } from 'bun:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { openImageCheck } from '../../src/features/media/image-check.ts'
import { jobs } from '../../src/jobs.ts'
import { type Person, type TestApp, testApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { painting, pngOf, uploadOf } from '../pictures.ts'
import { expectProblem } from '../problem.ts'
import { granted } from '../rows.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

type Got = { id: string; type: string; data: { content_type: string; image: string } }

/** The operator's checker, which verifies each request with the library of Standard Webhooks. */
function checker(behave: (got: Got) => Response | Promise<Response>) {
  const got: Got[] = []
  const state = { behave }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text()
      new Verifier(secret).verify(body, request.headers.toJSON() as Record<string, string>)
      got.push(JSON.parse(body) as Got)
      return state.behave(got.at(-1)!)
    },
  })
  closing.push(() => server.stop(true))
  return {
    url: `http://127.0.0.1:${server.port}/check?key=a-secret-of-the-url`,
    got,
    state,
    stop: () => server.stop(true),
  }
}
const says =
  (action: string, label = 'violence') =>
  () =>
    Response.json({ action, label, score: 0.9 })

async function community(behave: (got: Got) => Response | Promise<Response>, settings: Record<string, string> = {}) {
  const check = checker(behave)
  const app = await testApp({ IMAGE_CHECK_URL: check.url, IMAGE_CHECK_SECRET: secret, ...settings })
  // Receivers refuse old signatures.
  app.clock.now = Date.now()
  const [root, ada, bob] = [await app.person('Root'), await app.person('Ada'), await app.person('Bob')]
  await app.services.storage.users.setRole(root.id, 'admin', granted(root.id, app.clock.now))
  const chat: string = (await ada.post('chats', { user_id: bob.id })).body.id
  const send = (person: Person, photo: string, text?: string) =>
    person.post(`chats/${chat}/messages`, { kind: 'photo', photo, text })
  const seen = async (person: Person) => (await person.get(`chats/${chat}/messages`)).body.items.length
  const queue = async () => (await root.get('admin/reports')).body.items
  return { check, app, root, ada, bob, send, seen, queue }
}
const upload = (person: Person, seed = 1) => person.post('media', uploadOf(pngOf(painting(seed))))
const checkPending = ({ services }: TestApp) =>
  jobs(services)
    .find(({ name }) => name === 'image-checks')!
    .run()

describe('the operator’s checker of images', () => {
  test('gets each image as it is stored, signed, and without its owner', async () => {
    const { check, ada, send, seen, bob } = await community(says('allow'))
    const { id } = (await upload(ada)).body
    expect(check.got).toHaveLength(1)
    const [{ type, data, ...rest }] = check.got as [Got]
    expect([type, data.content_type, Object.keys(data).toSorted()]).toEqual([
      'image.check',
      'image/webp',
      ['content_type', 'image'],
    ])
    expect(rest.id).toBe(id)
    expect(JSON.stringify(rest)).not.toContain(ada.id)
    expect(await new Bun.Image(Buffer.from(data.image, 'base64')).metadata()).toMatchObject({ width: 160, height: 120 })
    expect((await send(ada, id)).status).toBe(201)
    expect(await seen(bob)).toBe(1)
    expect((await ada.put('me', { photo: id })).status).toBe(200)
  })

  test('refuses an upload, and nothing of it is stored', async () => {
    const { app, ada } = await community(says('refuse'))
    const refused = await upload(ada)
    expectProblem(refused, 422, 'content_refused')
    expect(refused.text).not.toContain('violence')
    expect(await app.rows('SELECT id FROM media')).toEqual([])
  })

  test('holds messages with an image, and keeps it out of profiles', async () => {
    const { ada, bob, send, seen, queue } = await community(says('hold'))
    const { id } = (await upload(ada)).body
    const sent = await send(ada, id)
    expect(sent.status).toBe(201)
    expect([await seen(ada), await seen(bob)]).toEqual([1, 0])
    expect(await queue()).toMatchObject([
      { kind: 'held', message_id: sent.body.id, details: 'By rule: Image check: violence' },
    ])
    expectProblem(await ada.put('me', { photo: id }), 422, 'content_refused')
  })

  test('flags messages and profiles with an image', async () => {
    const { ada, bob, send, seen, queue } = await community(says('flag'))
    const { id } = (await upload(ada)).body
    const sent = await send(ada, id)
    expect(await seen(bob)).toBe(1)
    expect((await ada.put('me', { photo: id })).status).toBe(200)
    expect((await queue()).map(({ message_id, user_id }: any) => message_id ?? user_id).toSorted()).toEqual(
      [sent.body.id, ada.id].toSorted(),
    )
  })

  const silent: Record<string, () => Response | Promise<Response>> = {
    'with an error': () => new Response('no', { status: 500 }),
    'with a redirect': () => new Response(null, { status: 307, headers: { location: checker(says('allow')).url } }),
    'with what is no JSON': () => new Response('{"action":'),
    'with an unknown action': () => Response.json({ action: 'burn', label: 'x', score: 1 }),
    'with a score beyond 1': () => Response.json({ action: 'allow', label: 'x', score: 2 }),
    'without a label': () => Response.json({ action: 'allow', score: 1 }),
    'with too much': () => Response.json({ action: 'allow', label: 'x', score: 1, more: 'x'.repeat(70_000) }),
  }
  for (const [how, answer] of Object.entries(silent))
    test(`that answers ${how} counts as unanswered: by default images pass, and if it is required they are held`, async () => {
      const passing = await community(answer)
      const first = (await upload(passing.ada)).body.id
      await passing.send(passing.ada, first)
      expect(await passing.seen(passing.bob)).toBe(1)

      const held = await community(answer, { IMAGE_CHECK: 'required' })
      const second = (await upload(held.ada)).body.id
      expect((await held.send(held.ada, second)).status).toBe(201)
      expect([await held.seen(held.ada), await held.seen(held.bob)]).toEqual([1, 0])
      expect(await held.queue()).toMatchObject([{ kind: 'held', details: 'By rule: Image check' }])
    })

  test('that does not answer in time or is away counts as unanswered', async () => {
    const never = Promise.withResolvers<Response>()
    const slow = checker(() => never.promise)
    const ask = (url: string) =>
      openImageCheck({ url, secret, isRequired: true, timeoutMs: 50 }).ask('a', Buffer.from('x'))
    await expect(ask(slow.url)).rejects.toThrow('the checker did not answer in time')
    never.resolve(new Response())
    await slow.stop()
    const failed = await ask(slow.url).catch((error: Error) => error.message)
    expect(failed).toContain('no connection')
    expect(failed).not.toContain('a-secret-of-the-url')
  })

  oneNodeTest('the job reads the files of its own node')(
    'is asked again about images that wait for it: held messages with them arrive, and later ones are refused',
    async () => {
      const { check, app, root, ada, bob, send, seen } = await community(() => new Response('', { status: 503 }), {
        IMAGE_CHECK: 'required',
      })
      const [good, bad] = [(await upload(ada, 1)).body.id, (await upload(ada, 2)).body.id]
      const [waits, stays] = [(await send(ada, good)).body.id, (await send(ada, bad)).body.id]
      expect(await checkPending(app)).toBe(0)
      expect(await seen(bob)).toBe(0)
      check.state.behave = ({ id }) => says(id === good ? 'allow' : 'refuse')()
      expect(await checkPending(app)).toBe(2)
      expect(await checkPending(app)).toBe(0)
      expect(await seen(bob)).toBe(1)
      const open = (await root.get('admin/reports?status=open')).body.items
      expect(open.map(({ message_id }: any) => message_id)).toEqual([stays])
      const resolved = (await root.get('admin/reports?status=resolved')).body.items
      expect(resolved).toMatchObject([{ message_id: waits, resolution: { action: 'release', resolved_by: null } }])
      const { entries } = (await app.services.storage.moderation.wholeCase(resolved[0].id))!
      expect(entries.at(-1)).toMatchObject({
        ...{ action: 'report_resolved', actor_id: null, subject_id: ada.id },
        metadata: { action: 'release', by: 'image check' },
      })
      // Nobody has decided that, and no measure was overturned.
      const day = { decided_from: '2020-01-01', decided_to: '2100-01-01' }
      const figures = async () => {
        const { decisions, automated } = (await root.get('admin/transparency')).body
        const stats = (await root.get('admin/stats')).body
        const decided = stats.days.reduce((sum: number, { decided }: { decided: number }) => sum + decided, 0)
        return { decisions: decisions.total, automated, decided, p50_s: stats.time_to_action.p50_s }
      }
      const listed = async (query: object) =>
        (await root.get(`admin/reports?${new URLSearchParams({ ...query })}`)).body.items.map(({ id }: any) => id)
      const none = { decisions: 0, decided: 0, p50_s: null }
      expect(await figures()).toEqual({ ...none, automated: { total: 1, overturned: 0 } })
      expect(await listed({ automated: 'any' })).toEqual([open[0].id])
      expect(await listed({ automated: 'overturned' })).toEqual([])
      expect(await listed(day)).toEqual([])
      const released = { action: 'release', note: 'It is harmless.' }
      expect((await root.post(`admin/reports/${open[0].id}/resolve`, released)).status).toBe(200)
      expect(await figures()).toMatchObject({ decisions: 1, decided: 1, automated: { total: 1, overturned: 1 } })
      expect(await listed({ automated: 'overturned' })).toEqual([open[0].id])
      expect(await listed(day)).toEqual([open[0].id])
      expect(await seen(bob)).toBe(2)
      expect((await send(ada, good)).status).toBe(201)
      expect(await seen(bob)).toBe(3)
      expectProblem(await send(ada, bad), 422, 'content_refused')
    },
  )

  oneNodeTest('the job reads the files of its own node')(
    'that cannot answer about some images does not hold up the others',
    async () => {
      const { check, app, ada, bob, send, seen } = await community(() => new Response('', { status: 503 }), {
        IMAGE_CHECK: 'required',
      })
      const ids: string[] = []
      for (const seed of [1, 2, 3, 4, 5]) ids.push((await upload(ada, seed)).body.id)
      for (const id of ids) await send(ada, id)
      const unanswerable = ids.slice(0, 1)
      check.state.behave = ({ id }) => (unanswerable.includes(id) ? new Response('', { status: 500 }) : says('allow')())
      expect(await checkPending(app)).toBe(4)
      expect(await seen(bob)).toBe(4)
      // It is asked about the first one again, and not about the others.
      check.got.length = 0
      expect(await checkPending(app)).toBe(0)
      expect(check.got.map(({ id }) => id)).toEqual(unanswerable)
    },
  )

  oneNodeTest('the job reads the files of its own node')(
    'that is away is asked three times a minute, each time about the next images',
    async () => {
      const { check, app, ada, bob, send, seen } = await community(() => new Response('', { status: 503 }), {
        IMAGE_CHECK: 'required',
      })
      const ids: string[] = []
      for (const seed of [1, 2, 3, 4]) ids.push((await upload(ada, seed)).body.id)
      for (const id of ids) await send(ada, id)
      const asked = async () => {
        check.got.length = 0
        await checkPending(app)
        return check.got.map(({ id }) => id)
      }
      expect(await asked()).toEqual(ids.slice(0, 3))
      expect(await asked()).toEqual(ids.slice(3))
      expect(await asked()).toEqual(ids.slice(0, 3))
      check.state.behave = says('allow')
      expect(await asked()).toEqual(ids.slice(3))
      expect(await asked()).toEqual(ids.slice(0, 3))
      expect(await seen(bob)).toBe(4)
    },
  )

  oneNodeTest('the job reads the files of its own node')(
    'has allowed an image: what still waits for it arrives in the next round, unless a rule holds it',
    async () => {
      const { check, app, root, ada, bob, send, seen } = await community(() => new Response('', { status: 503 }), {
        IMAGE_CHECK: 'required',
      })
      const { id } = (await upload(ada)).body
      await send(ada, id)
      check.state.behave = says('allow')
      const { moderation } = app.services.storage
      const { decide } = moderation
      moderation.decide = () => Promise.reject(new Error('the server is killed'))
      await expect(checkPending(app)).rejects.toThrow('the server is killed')
      moderation.decide = decide
      expect(await seen(bob)).toBe(0)
      expect(await checkPending(app)).toBe(0)
      expect(await seen(bob)).toBe(1)
      // One that was judged before the answer, and stored after it.
      await app.rows("UPDATE media SET check_action = 'pending', check_label = '' WHERE id = ?", id)
      await send(ada, id)
      await app.rows("UPDATE media SET check_action = 'allow' WHERE id = ?", id)
      await checkPending(app)
      expect(await seen(bob)).toBe(2)

      const rule = { on: true, applies_to: ['message'], action: 'hold', match: { type: 'words', words: ['banana'] } }
      expectProblem(await root.post('admin/rules', { ...rule, name: ' Image check ' }), 422, 'validation_failed')
      await root.post('admin/rules', { ...rule, name: 'Image checks' })
      await send(ada, id, 'a banana')
      await checkPending(app)
      expect(await seen(bob)).toBe(2)
    },
  )

  oneNodeTest('the job reads the files of its own node')(
    'delivers no caption that nobody has checked: one that was edited or that a rule flags waits for a moderator',
    async () => {
      const { check, app, root, ada, bob, send, seen, queue } = await community(
        () => new Response('', { status: 503 }),
        {
          IMAGE_CHECK: 'required',
        },
      )
      for (const [name, word, action] of [
        ['Bananas', 'banana', 'hold'],
        ['Cherries', 'cherry', 'flag'],
      ])
        await root.post('admin/rules', {
          ...{ name, action, on: true, applies_to: ['message'] },
          match: { type: 'words', words: [word] },
        })
      const { id } = (await upload(ada)).body
      const edited = (await send(ada, id, 'hi')).body.id
      expect((await ada.put(`messages/${edited}`, { text: 'a banana' })).status).toBe(200)
      const flagged = (await send(ada, id, 'a cherry')).body.id
      expect((await queue()).map(({ message_id, details }: any) => [message_id, details])).toEqual([
        [edited, 'By rule: Image check'],
        [flagged, 'By rule: Image check, Cherries'],
      ])
      check.state.behave = says('allow')
      expect(await checkPending(app)).toBe(1)
      expect(await seen(bob)).toBe(0)
      expect((await root.get('admin/reports?status=open')).body.items).toHaveLength(2)
    },
  )
})
