import { expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { uploaded } from '../installation.ts'
import { until } from '../until.ts'

const mediaOf = (dataDir: string) => join(dataDir, 'media')

oneNodeTest('each node looks by itself')(
  'photos that vanish beneath a running server are told of once, and so is their return',
  async () => {
    const app = await testApp()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    for (const person of [ada, bob]) await uploaded(person, 20)
    const { photos } = app.services
    const checks = async () => (await app.request('GET', '/ready')).body.checks
    const gone = `${app.dataDir}.gone`
    await photos.look()
    expect([photos.last(), await checks()]).toMatchObject([{ looked: 2, missing: 0 }, { storage: 'ok' }])
    expect(await checks()).not.toHaveProperty('photos')
    renameSync(mediaOf(app.dataDir), gone)
    await photos.look()
    expect([photos.last(), await checks()]).toMatchObject([{ looked: 2, missing: 2 }, { photos: 'failed' }])
    renameSync(gone, mediaOf(app.dataDir))
    // A minute later, a request starts another check, and does not wait for it.
    app.clock.now += 60_000
    await until(() => photos.last()?.missing === 0, 'it is looked at again')
    expect(await checks()).not.toHaveProperty('photos')
  },
)

test('a sample costs the same in a large and a small community, and a removed image does not count as lost', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  for (let i = 0; i < 3; i++) await uploaded(ada, 20)
  const [{ owner_id }] = (await app.rows('SELECT owner_id FROM media LIMIT 1')) as [{ owner_id: string }]
  for (let i = 0; i < 500; i++)
    await app.rows(
      `INSERT INTO media (id, owner_id, file, width, height, placeholder, bytes, created_at) VALUES (?, ?, ?, 1, 1, '', 1, 1)`,
      crypto.randomUUID(),
      owner_id,
      `${crypto.randomUUID()}.webp`,
    )
  await app.services.photos.look()
  const found = app.services.photos.last()!
  expect(found.looked).toBe(100)
  expect(found.missing).toBeGreaterThan(90)
  // A file without a row is not missed.
  await app.rows("DELETE FROM media WHERE placeholder = ''")
  await app.services.photos.look()
  expect(app.services.photos.last()).toEqual({ looked: 3, missing: 0 })
  const unknown = `${crypto.randomUUID()}.webp`
  expect(await app.services.files.missing([unknown])).toEqual([unknown])
  expect(await app.services.storage.media.strayFiles([unknown])).toEqual([unknown])
})
