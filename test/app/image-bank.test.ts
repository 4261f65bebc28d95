import { describe, expect, spyOn, test } from 'bun:test'
import { Refusal } from '../../src/lib/refusal.ts'
import { days, seconds } from '../../src/lib/time.ts'
import { type Person, type TestApp, testApp } from '../app.ts'
import { painting, pngOf, uploadOf } from '../pictures.ts'
import { expectProblem } from '../problem.ts'
import { granted } from '../rows.ts'

type Given = Record<string, unknown>

async function withBank() {
  const app = await testApp()
  const [root, ada, bob] = [await app.person('Root'), await app.person('Ada'), await app.person('Bob')]
  await app.services.storage.users.setRole(root.id, 'admin', granted(root.id, app.clock.now))
  const chat: string = (await ada.post('chats', { user_id: bob.id })).body.id
  const send = (person: Person, photo: string, more: Given = {}) =>
    person.post(`chats/${chat}/messages`, { kind: 'photo', photo, ...more })
  return { app, root, ada, bob, chat, send }
}

async function upload(person: Person, seed: number, change = (image: Bun.Image) => image): Promise<string> {
  const bytes = await change(new Bun.Image(pngOf(painting(seed))))
    .png()
    .bytes()
  const answer = await person.post('media', uploadOf(bytes as Uint8Array<ArrayBuffer>))
  expect(answer.status).toBe(201)
  return answer.body.id
}

const ban = async (root: Person, body: Given) => {
  const answer = await root.post('admin/image-bank', { reason: 'A scam', ...body })
  expect(answer.status).toBe(201)
  return answer.body
}
const hashOf = async ({ rows }: TestApp, id: string) =>
  (await rows<{ hashes: string }>('SELECT hashes FROM media WHERE id = ?', id))[0]!.hashes.slice(0, 64)
const imageRule = (given: Given = {}) => ({
  name: 'Known scams',
  on: true,
  applies_to: ['message', 'photo'],
  match: { type: 'image' },
  action: 'flag',
  ...given,
})

describe('a banned image', () => {
  test('is refused in messages and profiles, even if it was scaled, compressed, rotated or mirrored', async () => {
    const { app, root, ada, bob, chat, send } = await withBank()
    const banned = await upload(ada, 1)
    expect((await send(ada, banned)).status).toBe(201)
    await ban(root, { image_id: banned })
    const copies = [
      await upload(ada, 1),
      await upload(ada, 1, (image) => image.resize(80, 60)),
      await upload(ada, 1, (image) => image.flop()),
      await upload(ada, 1, (image) => image.rotate(90)),
    ]
    for (const copy of copies) {
      const refused = await send(ada, copy, { text: 'look' })
      expectProblem(refused, 422, 'content_refused')
      expect(refused.body.detail).toBe('This image is not allowed here.')
      expectProblem(await ada.put('me', { photo: copy }), 422, 'content_refused')
    }
    const other = await upload(ada, 2)
    expect((await send(ada, other)).status).toBe(201)
    expect((await ada.put('me', { photo: other })).status).toBe(200)
    expect((await bob.get(`chats/${chat}/messages`)).body.items.map(({ photo }: any) => photo.id).toSorted()).toEqual(
      [banned, other].toSorted(),
    )
    expect((await app.rows('SELECT photo FROM users WHERE id = ?', ada.id))[0]!.photo).toBe(other)
  })

  test('is allowed again after its removal from the bank', async () => {
    const { root, ada, send } = await withBank()
    const image = await upload(ada, 1)
    const { id } = await ban(root, { image_id: image })
    expectProblem(await send(ada, image), 422, 'content_refused')
    expect((await root.delete(`admin/image-bank/${id}`)).status).toBe(204)
    expect((await send(ada, image)).status).toBe(201)
    expectProblem(await root.delete(`admin/image-bank/${id}`), 404, 'not_found')
  })

  test('is found by its hash alone, within its own distance', async () => {
    const { app, root, ada, send } = await withBank()
    const image = await upload(ada, 1)
    const hash = await hashOf(app, image)
    // The same except for sixteen bits.
    const near = `${((Number.parseInt(hash.slice(0, 4), 16) ^ 0xffff) >>> 0).toString(16).padStart(4, '0')}${hash.slice(4)}`
    await ban(root, { hash: near, distance: 15 })
    expect((await send(ada, image)).status).toBe(201)
    await ban(root, { hash: near.toUpperCase(), distance: 16 })
    expectProblem(await send(ada, image), 422, 'content_refused')
    expect((await root.get('admin/image-bank')).body.items).toMatchObject([{ hash: near, distance: 16 }])
  })

  test('is refused even if its hash has not been computed yet', async () => {
    const { app, root, ada, send } = await withBank()
    const [banned, old] = [await upload(ada, 1), await upload(ada, 1)]
    await ban(root, { image_id: banned })
    await app.rows('UPDATE media SET hashes = NULL, hash_quality = NULL WHERE id = ?', old)
    expectProblem(await send(ada, old), 422, 'content_refused')
  })

  test('is compared with the bank by the message, if the database does not answer just after the upload', async () => {
    const { app, root, ada, send } = await withBank()
    await ban(root, { image_id: await upload(ada, 1) })
    app.clock.now += 3 * seconds
    const failures = app.nodes.map(({ services }) =>
      spyOn(services.storage.imageBank, 'progress').mockRejectedValueOnce(new Refusal('busy', 'The database is busy.')),
    )
    // Nobody waits for this look at the bank, so its failure must not end the process.
    const copy = await upload(ada, 1)
    await Bun.sleep(0)
    for (const failure of failures) failure.mockRestore()
    expectProblem(await send(ada, copy), 422, 'content_refused')
  })

  test('is refused within two seconds if another node or the command line has banned it and Redis is away', async () => {
    const { app, root, ada, send } = await withBank()
    const image = await upload(ada, 1)
    await ban(root, { hash: '0'.repeat(64) })
    expect((await send(ada, image)).status).toBe(201)
    const hash = await hashOf(app, image)
    await app.rows("INSERT INTO image_bank (id, hash, reason, created_at, version) VALUES ('x', ?, 'Spam', 1, 2)", hash)
    await app.rows('UPDATE image_bank_state SET version = 2')
    app.clock.now += 2 * seconds
    expectProblem(await send(ada, image), 422, 'content_refused')
  })
})

describe('rules about images', () => {
  test('replace the default refusal where they apply', async () => {
    const { root, ada, bob, chat, send } = await withBank()
    const image = await upload(ada, 1)
    await ban(root, { image_id: image })
    expect((await root.post('admin/rules', imageRule({ applies_to: ['message'] }))).status).toBe(201)
    const note = imageRule({ name: 'Told', applies_to: ['message'], action: 'note', public_text: 'Known from scams.' })
    expect((await root.post('admin/rules', note)).status).toBe(201)
    const sent = await send(ada, image)
    expect(sent.status).toBe(201)
    expect((await bob.get(`chats/${chat}/messages`)).body.items[0]).toMatchObject({ caution: 'Known from scams.' })
    const reports = (await root.get('admin/reports')).body.items
    expect(reports).toMatchObject([{ kind: 'rule', message_id: sent.body.id, details: 'By rule: Known scams' }])
    // No rule applies to photos of profiles.
    expectProblem(await ada.put('me', { photo: image }), 422, 'content_refused')
  })

  test('with a scope leave the default refusal to everybody else', async () => {
    const { app, root, ada, bob, send } = await withBank()
    const photo = await upload(ada, 1)
    expect((await ada.put('me', { photo })).status).toBe(200)
    await root.post('admin/rules', imageRule({ scope: { account_younger_than_h: 24 } }))
    await app.rows('UPDATE users SET created_at = created_at - ? WHERE id = ?', days, ada.id)
    await ban(root, { image_id: photo })
    expectProblem(await send(ada, await upload(ada, 1)), 422, 'content_refused')
    expect((await send(bob, await upload(bob, 1))).status).toBe(201)
    expect((await bob.put('me', { photo: await upload(bob, 1) })).status).toBe(200)
    await app.services.profilePhotos.check()
    expect((await ada.get('me')).body.photo).toBeNull()
    expect((await bob.get('me')).body.photo).not.toBeNull()
  })

  test('hold a photo until a moderator has decided: its sender sees it as sent, and the recipient does not', async () => {
    const { app, root, ada, bob, chat, send } = await withBank()
    const image = await upload(ada, 1)
    await ban(root, { image_id: image })
    const held = imageRule({ action: 'hold', applies_to: ['message'] })
    expect((await root.post('admin/rules', held)).status).toBe(201)
    const sent = await send(ada, image)
    expect(sent.status).toBe(201)
    const photosFor = async (person: Person) =>
      (await person.get(`chats/${chat}/messages`)).body.items.map(({ photo }: any) => photo.id)
    expect([await photosFor(ada), await photosFor(bob)]).toEqual([[image], []])
    const [report] = (await root.get('admin/reports')).body.items
    expect(report).toMatchObject({ kind: 'held', message_id: sent.body.id })
    // The photo is evidence, and the sweep does not remove it meanwhile.
    const { evidence } = (await root.get(`admin/reports/${report.id}`)).body
    expect(evidence.message.photo.id).toBe(image)
    await app.services.media.drop([image])
    await root.post(`admin/reports/${report.id}/resolve`, { action: 'release', note: 'Fine.' })
    expect(await photosFor(bob)).toEqual([image])
  })

  test('cannot hold the photo of a profile', async () => {
    const { root } = await withBank()
    expectProblem(await root.post('admin/rules', imageRule({ action: 'hold' })), 422, 'validation_failed')
  })

  test('flag the photo of a profile', async () => {
    const { root, ada } = await withBank()
    const image = await upload(ada, 1)
    await ban(root, { image_id: image })
    expect((await root.post('admin/rules', imageRule())).status).toBe(201)
    expect((await ada.put('me', { photo: image })).status).toBe(200)
    expect((await root.get('admin/reports')).body.items).toMatchObject([{ kind: 'rule', user_id: ada.id }])
  })

  test('have their own distance, except for hashes that have one', async () => {
    const { app, root, ada, send } = await withBank()
    const image = await upload(ada, 1)
    const hash = await hashOf(app, image)
    const near = `${((Number.parseInt(hash.slice(0, 4), 16) ^ 0xffff) >>> 0).toString(16).padStart(4, '0')}${hash.slice(4)}`
    await ban(root, { hash: near })
    const rule = imageRule({ action: 'refuse', match: { type: 'image', distance: 15 }, applies_to: ['message'] })
    const { id } = (await root.post('admin/rules', rule)).body
    expect((await send(ada, image)).status).toBe(201)
    expect((await root.put(`admin/rules/${id}`, { ...rule, match: { type: 'image', distance: 16 } })).status).toBe(200)
    expectProblem(await send(ada, image), 422, 'content_refused')
  })

  test('that contradict themselves are refused', async () => {
    const { root } = await withBank()
    const pathsOf = async (given: Given) =>
      (await root.post('admin/rules', imageRule(given))).body.errors.map(({ path }: any) => path)
    expect(await pathsOf({ applies_to: ['bio'] })).toEqual(['/applies_to'])
    expect(await pathsOf({ match: { type: 'contact' } })).toEqual(['/applies_to'])
    expect(await pathsOf({ action: 'note' })).toEqual(['/action'])
    expect(await pathsOf({ match: { type: 'image', distance: 300 } })).toEqual(['/match/distance'])
  })
})

describe('the bank', () => {
  test('is listed in pages, newest first, and each change is audited without the image or its hash', async () => {
    const { app, root, ada } = await withBank()
    const image = await upload(ada, 1)
    const first = await ban(root, { image_id: image, distance: 10, reason: ' A scam ' })
    app.clock.now += 1
    const second = await ban(root, { hash: 'F'.repeat(64) })
    expect(first).toEqual({
      ...{ id: expect.any(String), hash: await hashOf(app, image), distance: 10, reason: 'A scam' },
      ...{ report_id: null, added_by: root.id, created_at: expect.any(String) },
    })
    const page = (await root.get('admin/image-bank?limit=1')).body
    expect(page.items).toEqual([second])
    expect((await root.get(`admin/image-bank?limit=1&cursor=${page.next_cursor}`)).body.items).toEqual([first])
    await root.delete(`admin/image-bank/${first.id}`)
    const log = await root.get('admin/audit')
    const entries = log.body.items.filter(({ action }: any) => action.startsWith('image_'))
    expect(entries.map(({ action, subject_id, actor_id }: any) => [action, subject_id, actor_id])).toEqual([
      ['image_allowed', first.id, root.id],
      ['image_banned', second.id, root.id],
      ['image_banned', first.id, root.id],
    ])
    for (const secret of [image, first.hash, second.hash]) expect(log.text).not.toContain(secret)
  })

  test('accepts a hash, or an image that is distinctive', async () => {
    const { root, ada } = await withBank()
    const plain = (await ada.post('media', uploadOf(pngOf(() => [9, 90, 200])))).body.id
    const problem = async (body: Given) => {
      const answer = await root.post('admin/image-bank', { reason: 'x', ...body })
      return [answer.status, ...(answer.body.errors ?? []).map(({ path, code }: any) => `${path} ${code}`)]
    }
    expect(await problem({})).toEqual([422, '/hash required'])
    expect(await problem({ hash: 'f'.repeat(64), image_id: plain })).toEqual([422, '/image_id not_allowed'])
    expect(await problem({ image_id: plain })).toEqual([422, '/image_id not_allowed'])
    expect(await problem({ image_id: crypto.randomUUID() })).toEqual([404, '/image_id unknown'])
    expect((await problem({ hash: 'f'.repeat(63) }))[1]).toContain('/hash')
    expect((await problem({ hash: 'f'.repeat(64), distance: 91 }))[1]).toContain('/distance')
    expect((await problem({ hash: 'f'.repeat(64), reason: '' }))[1]).toContain('/reason')
    expect((await root.get('admin/image-bank')).body.items).toEqual([])
  })

  test('plain images never match each other', async () => {
    const { app, root, ada, send } = await withBank()
    const plain = (await ada.post('media', uploadOf(pngOf(() => [9, 90, 200])))).body.id
    await ban(root, { hash: await hashOf(app, plain) })
    expect((await send(ada, plain)).status).toBe(201)
  })
})
