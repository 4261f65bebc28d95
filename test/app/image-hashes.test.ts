import { describe, expect, test } from 'bun:test'
import { unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { thumbOf } from '../../src/features/media/files.ts'
import { leastQuality } from '../../src/features/media/pdq.ts'
import { jobs } from '../../src/jobs.ts'
import { type Person, type TestApp, testApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { painting, pngOf, uploadOf } from '../pictures.ts'

const upload = async (person: Person, seed: number, width = 480, height = 360): Promise<string> =>
  (await person.post('media', uploadOf(pngOf(painting(seed), width, height)))).body.id
type Hashed = { hashes: string | null; hash_quality: number | null }
const hashOf = async ({ rows }: TestApp, id: string) =>
  (await rows<Hashed>('SELECT hashes, hash_quality FROM media WHERE id = ?', id))[0]
const makeHashes = ({ services }: TestApp) =>
  jobs(services)
    .find(({ name }) => name === 'image-hashes')!
    .run()
const fileOf = async ({ dataDir, rows }: TestApp, id: string) => {
  const { file } = (await rows<{ file: string }>('SELECT file FROM media WHERE id = ?', id))[0]!
  return join(dataDir, 'media', file.slice(0, 2), file.slice(2, 4), file)
}

describe('the hashes of an image', () => {
  test('are stored with each upload, and only in its owner’s export', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const answer = await ada.post('media', uploadOf(pngOf(painting(1))))
    const { hashes, hash_quality } = (await hashOf(app, answer.body.id))!
    expect(hashes).toMatch(/^[0-9a-f]{512}$/)
    expect(hash_quality).toBeGreaterThanOrEqual(leastQuality)
    await ada.put('me', { photo: answer.body.id })
    const upright = hashes!.slice(0, 64)
    for (const shown of [answer.text, (await ada.get('me')).text]) expect(shown).not.toContain(upright)
    expect((await ada.get('me/export')).body.images).toMatchObject([{ id: answer.body.id, hash: upright }])
  })

  oneNodeTest('the job finds the files of its own node')(
    'are made by the job for images of an earlier release, with a thumbnail and without',
    async () => {
      const app = await testApp()
      const ada = await app.person('Ada')
      const [first, second, gone] = [await upload(ada, 1), await upload(ada, 2), await upload(ada, 3)]
      const before = await hashOf(app, first)
      unlinkSync(thumbOf(await fileOf(app, second)))
      for (const path of [await fileOf(app, gone), thumbOf(await fileOf(app, gone))]) unlinkSync(path)
      await app.rows('UPDATE media SET hashes = NULL, hash_quality = NULL')
      await app.rows('UPDATE media SET thumb_bytes = NULL WHERE id = ?', second)
      expect(await makeHashes(app)).toBe(3)
      expect(await hashOf(app, first)).toEqual(before!)
      expect((await hashOf(app, second))!.hashes).toMatch(/^[0-9a-f]{512}$/)
      expect(await hashOf(app, gone)).toEqual({ hashes: null, hash_quality: 0 })
      expect(await makeHashes(app)).toBe(0)
    },
  )

  test('are removed with the image', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const id = await upload(ada, 1)
    await app.services.media.drop([id])
    expect(await hashOf(app, id)).toBeUndefined()
  })
})
