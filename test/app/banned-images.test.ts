import { describe, expect, test } from 'bun:test'
import { jobs } from '../../src/jobs.ts'
import { seconds } from '../../src/lib/time.ts'
import { password, type Person, type TestApp, testApp } from '../app.ts'
import { painting, pngOf, uploadOf } from '../pictures.ts'
import { expectProblem } from '../problem.ts'
import { granted } from '../rows.ts'

type Given = Record<string, unknown>

async function community() {
  const app = await testApp()
  const [root, other, ada, bob] = await Promise.all(['Root', 'Other', 'Ada', 'Bob'].map((name) => app.person(name)))
  for (const admin of [root!, other!])
    await app.services.storage.users.setRole(admin.id, 'admin', granted(admin.id, app.clock.now))
  const chat: string = (await ada!.post('chats', { user_id: bob!.id })).body.id
  const send = (person: Person, photo: string) => person.post(`chats/${chat}/messages`, { kind: 'photo', photo })
  return { app, root: root!, other: other!, ada: ada!, bob: bob!, chat, send }
}

const upload = async (person: Person, seed: number): Promise<string> =>
  (await person.post('media', uploadOf(pngOf(painting(seed))))).body.id
const report = async (person: Person, about: Given): Promise<string> =>
  (await person.post('reports', { reason: 'nudity', ...about })).body.id
const resolve = (moderator: Person, id: string, more: Given = {}) =>
  moderator.post(`admin/reports/${id}/resolve`, {
    action: 'remove_content',
    note: 'Not here.',
    ban_images: true,
    ...more,
  })
const bank = async (root: Person) => (await root.get('admin/image-bank')).body.items
const checkProfiles = ({ services }: TestApp) =>
  jobs(services)
    .find(({ name }) => name === 'banned-profile-photos')!
    .run()
const photoOf = async ({ rows }: TestApp, person: Person) =>
  (await rows<{ photo: string | null }>('SELECT photo FROM users WHERE id = ?', person.id))[0]!.photo

/** Carries out a pending decision as if its delay were over. */
async function takeEffect({ clock, nodes }: TestApp) {
  clock.now += 10 * seconds
  for (const { services } of nodes) services.delivery.wake('decision')
  await Promise.all(nodes.map(({ services }) => services.delivery.idle()))
}

describe('a decision that bans images', () => {
  test('bans the photo of a removed message, everywhere', async () => {
    const { app, root, ada, bob, send } = await community()
    const photo = await upload(ada, 1)
    const message = (await send(ada, photo)).body.id
    const id = await report(bob, { message_id: message })
    const decided = await resolve(root, id)
    expect(decided.status).toBe(200)
    expect(await bank(root)).toMatchObject([
      { report_id: id, added_by: root.id, reason: 'Removed: nudity', distance: null },
    ])
    for (const person of [ada, bob]) {
      const copy = await upload(person, 1)
      expectProblem(await send(person, copy), 422, 'content_refused')
      expectProblem(await person.put('me', { photo: copy }), 422, 'content_refused')
    }
    expect((await send(ada, await upload(ada, 2))).status).toBe(201)
    const log = (await root.get('admin/audit?action=report_resolved')).body.items
    expect(log[0].metadata).toMatchObject({ report_id: id, action: 'remove_content', ban_images: true })
    expect(await app.rows('SELECT id FROM media WHERE id = ?', photo)).toHaveLength(1)
  })

  test('bans the photo in the evidence, even if its sender has deleted it since', async () => {
    const { root, ada, bob, send } = await community()
    const message = (await send(ada, await upload(ada, 1))).body.id
    const id = await report(bob, { message_id: message })
    expect((await ada.delete(`messages/${message}`)).status).toBe(204)
    expect((await resolve(root, id)).status).toBe(200)
    expectProblem(await send(ada, await upload(ada, 1)), 422, 'content_refused')
  })

  test('bans the photo of a reported profile, but not that of a reported message’s author', async () => {
    const { root, ada, bob, send } = await community()
    await ada.put('me', { photo: await upload(ada, 1) })
    const text = (await send(ada, await upload(ada, 2))).body.id
    expect((await resolve(root, await report(bob, { message_id: text }))).status).toBe(200)
    expect((await send(bob, await upload(bob, 1))).status).toBe(201)
    expect((await resolve(root, await report(bob, { user_id: ada.id }))).status).toBe(200)
    expectProblem(await send(bob, await upload(bob, 1)), 422, 'content_refused')
    expect(await bank(root)).toHaveLength(2)
  })

  test('bans nothing with another action, or if there is no distinctive image', async () => {
    const { root, ada, bob, chat, send } = await community()
    const text = (await ada.post(`chats/${chat}/messages`, { text: 'hello' })).body.id
    const id = await report(bob, { message_id: text })
    for (const action of ['dismiss', 'warn', 'suspend']) {
      const refused = await resolve(root, id, { action })
      expectProblem(refused, 422, 'validation_failed')
      expect(refused.body.errors).toMatchObject([{ path: '/ban_images', code: 'not_allowed' }])
    }
    expect((await resolve(root, id)).status).toBe(200)
    const plain = (await ada.post('media', uploadOf(pngOf(() => [9, 90, 200])))).body.id
    expect((await resolve(root, await report(bob, { message_id: (await send(ada, plain)).body.id }))).status).toBe(200)
    expect(await bank(root)).toEqual([])
  })

  test('takes effect with the decision, and bans nothing if that is taken back before', async () => {
    const { app, root, ada, bob, send } = await community()
    const id = await report(bob, { message_id: (await send(ada, await upload(ada, 1))).body.id })
    const waiting = await resolve(root, id, { undo_s: 5 })
    expect(waiting.body.pending).toMatchObject({ action: 'remove_content', ban_images: true })
    expect(await bank(root)).toEqual([])
    expect((await root.delete(`admin/reports/${id}/resolve`)).status).toBe(204)
    await takeEffect(app)
    expect(await bank(root)).toEqual([])
    expect((await send(ada, await upload(ada, 1))).status).toBe(201)

    expect((await resolve(root, id, { undo_s: 5 })).status).toBe(200)
    expect(await bank(root)).toEqual([])
    await takeEffect(app)
    expect(await bank(root)).toHaveLength(1)
    expectProblem(await send(ada, await upload(ada, 1)), 422, 'content_refused')
  })

  test('made by two moderators at once bans once', async () => {
    const { root, other, ada, bob, send } = await community()
    const id = await report(bob, { message_id: (await send(ada, await upload(ada, 1))).body.id })
    const answers = await Promise.all([resolve(root, id), resolve(other, id)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await bank(root)).toHaveLength(1)
  })

  test('is reversed by an upheld appeal, and not by a rejected one', async () => {
    const { root, other, ada, bob, send } = await community()
    for (const [seed, decision, left] of [
      [1, 'reject', 1],
      [2, 'uphold', 1],
    ] as const) {
      const id = await report(bob, { message_id: (await send(ada, await upload(ada, seed))).body.id })
      expect((await resolve(root, id)).status).toBe(200)
      const notice = (await ada.get('me/notices')).body.items[0]
      const appeal = (await ada.post('appeals', { notice_id: notice.id, text: 'Why?' })).body.id
      expect((await other.post(`admin/appeals/${appeal}/resolve`, { decision, note: 'So.' })).status).toBe(200)
      expect(await bank(root)).toHaveLength(left)
    }
    expectProblem(await send(ada, await upload(ada, 1)), 422, 'content_refused')
    expect((await send(ada, await upload(ada, 2))).status).toBe(201)
  })
})

describe('profiles that show a banned image', () => {
  const ban = async (root: Person, image_id: string) =>
    expect((await root.post('admin/image-bank', { image_id, reason: 'A scam' })).status).toBe(201)

  test('lose it, with a notice and a report, and others keep theirs', async () => {
    const { app, root, other, ada, bob } = await community()
    const [shown, kept] = [await upload(ada, 1), await upload(bob, 2)]
    await ada.put('me', { photo: shown })
    await bob.put('me', { photo: kept })
    expect(await checkProfiles(app)).toBe(0)
    await ban(root, await upload(root, 1))
    expect(await checkProfiles(app)).toBe(1)
    expect([await photoOf(app, ada), await photoOf(app, bob)]).toEqual([null, kept])
    const [notice] = (await ada.get('me/notices')).body.items
    expect(notice).toMatchObject({ action: 'remove_content', automated: true, how_to_appeal: expect.any(String) })
    const [queued] = (await root.get('admin/reports')).body.items
    expect(queued).toMatchObject({ kind: 'rule', user_id: ada.id, details: 'By rule: Banned images' })
    expect((await root.get(`admin/reports/${queued.id}`)).body.evidence.user.photo).toContain(shown)
    const appeal = (await ada.post('appeals', { notice_id: notice.id, text: 'That is me.' })).body.id
    expect((await other.get('admin/appeals')).body.items).toMatchObject([
      { id: appeal, notice: { report_id: queued.id } },
    ])
    expect((await root.get('admin/audit?action=photo_taken_down')).body.items).toMatchObject([
      { actor_id: null, subject_id: ada.id, metadata: { report_id: queued.id } },
    ])
    expect((await root.get('admin/transparency')).body).toMatchObject({
      notices: { total: 0 },
      automated: { total: 1, overturned: 0 },
    })
    await other.post(`admin/appeals/${appeal}/resolve`, { decision: 'uphold', note: 'Sorry.' })
    expect((await root.get('admin/transparency')).body.automated).toEqual({ total: 1, overturned: 1 })
    // Nothing is left to do, and nobody gets a second notice.
    expect(await checkProfiles(app)).toBe(0)
    expect((await ada.get('me/notices')).body.items).toHaveLength(2)
  })

  test('keep it if a rule only flags it', async () => {
    const { app, root, ada } = await community()
    const rule = { name: 'Look', on: true, applies_to: ['photo'], match: { type: 'image' }, action: 'flag' }
    expect((await root.post('admin/rules', rule)).status).toBe(201)
    const shown = await upload(ada, 1)
    await ada.put('me', { photo: shown })
    await ban(root, shown)
    expect(await checkProfiles(app)).toBe(1)
    expect(await photoOf(app, ada)).toBe(shown)
    expect((await root.get('admin/reports')).body.items).toMatchObject([{ kind: 'rule', user_id: ada.id }])
    expect((await ada.get('me/notices')).body.items).toEqual([])
  })

  test('lose it, and it is kept as evidence, whatever other reports about its owner are open', async () => {
    const { app, root, ada, bob } = await community()
    const rule = { name: 'Bananas', on: true, applies_to: ['bio'], action: 'flag' }
    await root.post('admin/rules', { ...rule, match: { type: 'words', words: ['banana'] } })
    await report(bob, { user_id: ada.id })
    await bob.delete('me', { password })
    await ada.put('me', { photo: await upload(ada, 1), bio: 'a banana' })
    await ada.put('me', { bio: 'one more banana' })
    const open = async () => (await root.get('admin/reports?status=open&sort=created')).body.items
    expect((await open()).map(({ kind }: any) => kind)).toEqual(['user', 'rule'])
    for (const seed of [2, 3]) {
      const shown = await upload(ada, seed)
      await ada.put('me', { photo: shown })
      await ban(root, shown)
      await checkProfiles(app)
      expect(await photoOf(app, ada)).toBe(null)
      const newest = (await open()).at(-1)
      expect(newest).toMatchObject({ kind: 'rule', details: 'By rule: Banned images' })
      const { evidence } = (await root.get(`admin/reports/${newest.id}`)).body
      expect(evidence.user.photo).toContain(shown)
      const { entries } = (await app.services.storage.moderation.wholeCase(newest.id))!
      expect(entries.map(({ action }) => action).toSorted()).toEqual(['photo_taken_down', 'report', 'report_read'])
      expect((await app.request('GET', evidence.user.photo.replace(/^.*?(?=\/api)/, ''))).status).toBe(200)
    }
    expect(await open()).toHaveLength(4)
  })

  test('are compared from the point where the job stopped', async () => {
    const { app, root, ada, bob } = await community()
    const people = [ada, bob].toSorted((a, b) => (a.id < b.id ? -1 : 1))
    for (const person of people) await person.put('me', { photo: await upload(person, 1) })
    await ban(root, await upload(root, 1))
    await app.rows('UPDATE image_bank_state SET checking_to = version, checked_id = ?', people[0]!.id)
    expect(await checkProfiles(app)).toBe(1)
    expect((await photoOf(app, people[0]!)) === null).toBe(false)
    expect(await photoOf(app, people[1]!)).toBe(null)
    expect(await app.rows('SELECT checked_to, checking_to, checked_id FROM image_bank_state')).toEqual([
      { checked_to: 1, checking_to: null, checked_id: null },
    ])
  })

  test('are not changed if their owner has replaced the photo meanwhile', async () => {
    const { app, root, ada } = await community()
    const [shown, next] = [await upload(ada, 1), await upload(ada, 2)]
    await ada.put('me', { photo: shown })
    await ban(root, shown)
    await ada.put('me', { photo: next })
    expect(await app.services.moderation.takeDownPhoto(ada.id, shown)).toBe(false)
    expect(await photoOf(app, ada)).toBe(next)
    expect((await ada.get('me/notices')).body.items).toEqual([])
  })
})
