import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { openDiskFiles } from '../../src/storage/files/disk.ts'
import { writeBackup } from '../../src/storage/sqlite/backup.ts'
import { type Files, originalOf } from '../../src/features/media/files.ts'
import type { Person } from '../app.ts'
import { startServer } from '../convene.ts'
import { sqliteTest } from '../engines.ts'
import { closedInstallation, contentOf, convene, evaluate, installation, newPath, uploaded } from '../installation.ts'

setDefaultTimeout(60_000)

const mediaOf = (dataDir: string) => join(dataDir, 'media')
/** The images themselves: a thumbnail is made of its image, and is no loss. */
const photosIn = (dataDir: string) =>
  [...contentOf(mediaOf(dataDir)).keys()]
    .filter((name) => originalOf(name) === name)
    .map((name) => join(mediaOf(dataDir), name))

/** Ways in which a disk loses photos; each leaves so many of two missing. */
const losses: [string, number, (dataDir: string) => void][] = [
  ['whose directory is gone', 2, (dataDir) => rmSync(mediaOf(dataDir), { recursive: true })],
  [
    'whose directory is empty, as where a disk is not mounted',
    2,
    (dataDir) => {
      rmSync(mediaOf(dataDir), { recursive: true })
      mkdirSync(mediaOf(dataDir))
    },
  ],
  ['of which one is gone', 1, (dataDir) => rmSync(photosIn(dataDir)[0]!)],
  ['of which one is an empty file', 1, (dataDir) => truncateSync(photosIn(dataDir)[0]!)],
]

describe.each(losses)('photos %s', (_, missing, lose) => {
  test('fail a backup, which names how many and the directory, and leaves nothing', async () => {
    const { dataDir } = await closedInstallation()
    lose(dataDir)
    const directory = newPath()
    mkdirSync(directory)
    const { code, out, error } = await convene(dataDir, 'backup', join(directory, 'a.db'))
    expect([code, out]).toEqual([1, ''])
    expect(error).toStartWith(
      `convene: ${missing} of 2 photos that the database knows are missing in ${mediaOf(dataDir)}: `,
    )
    expect(error.trim()).not.toContain('\n')
    expect(readdirSync(directory)).toEqual([])
  })

  test('fail a scheduled backup too, which removes no older one', async () => {
    const { dataDir } = await closedInstallation()
    const directory = newPath()
    const backUp = (day: number) =>
      evaluate(
        { DATA_DIR: dataDir },
        `const { backUpInto } = await import('${import.meta.dir}/../../src/backup/scheduled.ts')
        try { await backUpInto('${directory}', { keep: 1, at: ${Date.UTC(2026, 10, day)} }); console.log('done') } catch (error) { console.log(error.message) }`,
      )
    expect((await backUp(1)).out).toBe('done\n')
    lose(dataDir)
    for (const day of [2, 3]) expect((await backUp(day)).out).toContain(`${missing} of 2 photos`)
    expect(readdirSync(directory).sort()).toEqual(['convene-20261101T000000Z.db', 'photos'])
  })

  test('are found by check, which mends nothing', async () => {
    const { dataDir } = await closedInstallation()
    await startServer({ DATA_DIR: dataDir }).then((server) => server.end())
    expect((await convene(dataDir, 'check')).out).toContain('ok     no photo is missing: 2 ')
    lose(dataDir)
    const { code, out } = await convene(dataDir, 'check')
    expect([code, out]).toEqual([
      1,
      expect.stringContaining(`WRONG  ${missing} of 2 photos are missing in ${mediaOf(dataDir)}`),
    ])
    expect(out).toEndWith('1 thing is wrong.\n')
  })

  test('are a warning at the start, which goes on, and named by /ready and a metric', async () => {
    const { dataDir } = await closedInstallation()
    lose(dataDir)
    const server = await startServer({ DATA_DIR: dataDir })
    const line = server
      .log()
      .split('\n')
      .find((line) => line.includes('are missing'))
    expect(JSON.parse(line!)).toMatchObject({ level: 'warn', looked: 2, missing, place: mediaOf(dataDir) })
    const ready = await fetch(new URL('/ready', server.base))
    // Text goes on without photos.
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      {
        status: 'degraded',
        checks: { storage: 'ok', migrations: 'ok', room: 'ok', running: 'ok', photos: 'failed' },
      },
    ])
    expect(await (await fetch(new URL('/metrics', server.base))).text()).toContain(
      `\nconvene_photos_missing ${missing}\n`,
    )
    expect(await server.end()).toBe(0)
  })

  test('that are lost for good are grey pictures once that is said, and backups succeed again', async () => {
    const { dataDir } = await closedInstallation()
    lose(dataDir)
    const asked = await convene(dataDir, 'admin', 'lost-photos')
    expect([asked.code, asked.error]).toEqual([2, expect.stringContaining(`${missing} of 2 photos are missing in `)])
    expect((await convene(dataDir, 'check')).code).toBe(1)
    expect(await convene(dataDir, 'admin', 'lost-photos', '--yes')).toMatchObject({
      code: 0,
      out: `${missing} of 2 photos are missing in ${mediaOf(dataDir)}: each is a grey picture now\n`,
    })
    expect((await convene(dataDir, 'backup', newPath('.db'))).out).toContain(' and 2 photos ')
    for (const path of photosIn(dataDir))
      expect((await new Bun.Image(await Bun.file(path).bytes()).metadata()).width).toBeGreaterThan(0)
    expect((await convene(dataDir, 'admin', 'lost-photos')).out).toBe('none of 2 photos is lost\n')
  })
})

test('a thumbnail that is missing is no photo that is lost', async () => {
  const { dataDir } = await closedInstallation()
  const originals = new Set(photosIn(dataDir))
  const all = [...contentOf(mediaOf(dataDir)).keys()].map((name) => join(mediaOf(dataDir), name))
  expect(all.length).toBe(2 * originals.size)
  for (const path of all) if (!originals.has(path)) rmSync(path)
  expect((await convene(dataDir, 'backup', newPath('.db'))).out).toContain(' and 2 photos ')
  expect((await convene(dataDir, 'admin', 'lost-photos')).out).toBe('none of 2 photos is lost\n')
})

test('photos that are there are no warning, and no check of /ready', async () => {
  const { dataDir } = await closedInstallation()
  const server = await startServer({ DATA_DIR: dataDir })
  expect(server.log()).not.toContain('are missing')
  expect(await (await fetch(new URL('/ready', server.base))).json()).toMatchObject({
    checks: { storage: 'ok', migrations: 'ok', running: 'ok' },
  })
  expect(await (await fetch(new URL('/metrics', server.base))).text()).toContain('\nconvene_photos_missing 0\n')
  expect(await server.end()).toBe(0)
})

sqliteTest('an image that is removed while a backup runs is no loss, and one that has gone otherwise is', async () => {
  const app = await installation()
  const [ada, bob]: Person[] = [await app.person('Ada'), await app.person('Bob')]
  const removed = await uploaded(ada!, 20)
  await uploaded(bob!, 20)
  const { databasePath } = app
  const files = openDiskFiles(mediaOf(app.dataDir))
  const backUp = async (during: (name: string) => Promise<unknown>) => {
    const file = newPath('.db')
    await Bun.write(file, '')
    let asked = 0
    // Called once the database is copied.
    const slow: Files = {
      ...files,
      async get(name) {
        if (asked++ === 0) await during(name)
        return files.get(name)
      },
    }
    const { lost, photos } = await writeBackup(file, { databasePath, files: slow, release: 'x', at: 0 })
    return { lost, photos }
  }
  expect(await backUp(() => app.services.media.drop([removed.id]))).toEqual({ lost: 0, photos: 1 })
  const lose = (name: string) => files.remove([name])
  expect(await backUp(lose)).toEqual({ lost: 1, photos: 0 })
})
