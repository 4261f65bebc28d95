import { Database } from 'bun:sqlite'
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { start } from '../app.ts'
import { command, startServer } from '../convene.ts'
import { closedInstallation, contentOf, convene, makeFormer, newPath, program } from '../installation.ts'
import { originalOf } from '../../src/features/media/files.ts'
import { isHalfRestored, removeWork, switchTo, workOf } from '../../src/backup/restore-switch.ts'
import { examineBackup } from '../../src/storage/sqlite/examine-backup.ts'
import { openReadOnly } from '../../src/storage/sqlite/database.ts'

// Each runs programs of ours, which takes its time where others work too.
setDefaultTimeout(120_000)

const databaseIn = (dataDir: string) => join(dataDir, 'convene.db')

/** A community of two with two photos, and a backup of it. */
async function backedUp() {
  const { dataDir, ada, bob } = await closedInstallation()
  const file = newPath('.db')
  expect(await convene(dataDir, 'backup', file)).toMatchObject({ code: 0, error: '' })
  return { dataDir, file, ada, bob }
}

const write = (dataDir: string, sql: string) => {
  const db = new Database(databaseIn(dataDir))
  db.run(sql)
  db.close()
}

/** The city of everybody, and which photos lie there and are known: what tells the old state from the new one. */
function stateOf(dataDir: string) {
  const db = openReadOnly(databaseIn(dataDir))
  try {
    expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    return {
      cities: db.query('SELECT DISTINCT city FROM users').values().flat(),
      known: db.query('SELECT file FROM media ORDER BY file').values().flat(),
      there: [...contentOf(join(dataDir, 'media')).keys()]
        .map((name) => basename(name))
        .filter((name) => originalOf(name) === name)
        .sort(),
    }
  } finally {
    db.close()
  }
}

/** What only a restore, or another command, works with. */
const leftIn = (dataDir: string) =>
  readdirSync(dataDir).filter((name) => /unpacked|restored|restoring|download|part/.test(name))

const noStrace =
  Bun.which('strace') && Bun.spawnSync(['strace', '-o', '/dev/null', 'true']).exitCode === 0
    ? null
    : 'skipped: no strace that may trace'

/** Runs a restore that SIGKILL ends at the nth system call of that kind. Answers whether it came to that. */
async function killedAt(dataDir: string, file: string, calls: string, when: number): Promise<boolean> {
  const child = Bun.spawn(
    [
      ...['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=/^(${calls})`],
      ...['-e', `inject=/^(${calls}):signal=KILL:when=${when}`],
      ...[...command, 'restore', file],
    ],
    { env: { PATH: process.env.PATH, DATA_DIR: dataDir }, stdout: 'ignore', stderr: 'ignore' },
  )
  return (await child.exited) !== 0
}

describe('a restore that is killed', () => {
  test.skipIf(noStrace !== null)(
    `at any change of a name leaves the old state or the new one, whole, and nothing else, once the server has started${noStrace ? `, ${noStrace}` : ''}`,
    async () => {
      const { dataDir, file } = await backedUp()
      const older = stateOf(dataDir)
      // Since the backup everybody has moved, and the photos are others.
      write(dataDir, "UPDATE users SET city = 'Later'")
      const [photo] = older.known as string[]
      const newName = 'ffff'.repeat(8) + '.webp'
      write(dataDir, `UPDATE media SET file = '${newName}' WHERE file = '${photo}'`)
      const from = [...contentOf(join(dataDir, 'media')).keys()].find((name) => name.endsWith(photo!))!
      mkdirSync(join(dataDir, 'media/ff/ff'), { recursive: true })
      cpSync(join(dataDir, 'media', from), join(dataDir, 'media/ff/ff', newName))
      rmSync(join(dataDir, 'media', from))
      const newer = stateOf(dataDir)
      expect(newer.known).toEqual(newer.there)
      const kept = newPath()
      cpSync(dataDir, kept, { recursive: true })

      const outcomes: string[] = []
      const seen = { journal: 0, work: 0 }
      for (const calls of ['rename', 'link', 'unlink']) {
        for (let when = 1; ; when++) {
          rmSync(dataDir, { recursive: true })
          cpSync(kept, dataDir, { recursive: true, preserveTimestamps: true })
          if (!(await killedAt(dataDir, file, calls, when))) break
          const plan = isHalfRestored(databaseIn(dataDir))
          seen.journal += Number(plan)
          seen.work += Number(leftIn(dataDir).length > 0)
          // Every other one goes on by a restore instead of a start.
          if (when % 2 === 0) {
            const server = await startServer({ DATA_DIR: dataDir })
            if (plan) expect(server.log()).toContain('an interrupted restore has been finished')
            expect(await server.end()).toBe(0)
          } else if (plan) {
            // Nothing else works on what is neither the one nor the other.
            const refused = await convene(dataDir, 'backup', newPath('.db'))
            expect([refused.code, refused.error]).toEqual([1, expect.stringContaining('was interrupted')])
            const other = await convene(dataDir, 'restore', join(kept, 'convene.db'))
            expect([other.code, other.out]).toEqual([
              0,
              expect.stringContaining('finished a restore that was interrupted'),
            ])
            rmSync(databaseIn(dataDir))
            const first = readdirSync(dataDir).filter((name) => /^convene\.db\.before-restore-\w+$/.test(name))
            // Of the two that were put aside, the first was that of before, and the second what the restore had brought.
            copyFileSync(join(dataDir, first.sort().at(-1)!), databaseIn(dataDir))
          } else expect((await convene(dataDir, 'restore', file)).code).toBe(0)
          expect([calls, when, leftIn(dataDir)]).toEqual([calls, when, []])
          const state = stateOf(dataDir)
          expect([calls, when, JSON.stringify(state) === JSON.stringify(newer) ? newer : older]).toEqual([
            calls,
            when,
            state,
          ])
          outcomes.push(JSON.stringify(state) === JSON.stringify(newer) ? 'old' : 'new')
        }
      }
      expect(new Set(outcomes)).toEqual(new Set(['old', 'new']))
      // Calls are counted for each thread, so some of those that are done beside the main one are killed as one.
      expect(seen.journal).toBeGreaterThan(2)
      expect(seen.work).toBeGreaterThan(2)
    },
  )

  test('leaves nothing of anybody behind at the next start', async () => {
    const { dataDir, file } = await backedUp()
    const work = workOf({ databasePath: databaseIn(dataDir), dataDir })
    for (const path of [work.unpacked, `${work.unpacked}-wal`, `${work.unpacked}-shm`, work.database, work.download])
      copyFileSync(file, path)
    cpSync(join(dataDir, 'media'), work.media, { recursive: true })
    const before = stateOf(dataDir)
    const server = await startServer({ DATA_DIR: dataDir })
    expect(server.log()).toContain('the files of an interrupted restore have been removed')
    expect(await server.end()).toBe(0)
    expect(leftIn(dataDir)).toEqual([])
    expect(stateOf(dataDir)).toEqual(before)
  })

  test('with a broken database in its place is finished all the same', async () => {
    const { dataDir, file } = await backedUp()
    const older = stateOf(dataDir)
    const there = newPath()
    expect((await convene(there, 'restore', file)).code).toBe(0)
    const work = workOf({ databasePath: databaseIn(dataDir), dataDir })
    cpSync(databaseIn(there), work.database)
    cpSync(join(there, 'media'), work.media, { recursive: true })
    writeFileSync(databaseIn(dataDir), 'rubbish')
    writeFileSync(`${databaseIn(dataDir)}-journal`, 'rubbish')
    const plan = { data_dir: '', stamp: '20260101T000000Z', with_media: true }
    writeFileSync(`${databaseIn(dataDir)}.restoring`, JSON.stringify(plan))
    const elsewhere = await program(
      { DATA_DIR: newPath(), DATABASE_URL: `sqlite:${databaseIn(dataDir)}`, PORT: '0' },
      [],
    )
    expect([elsewhere.code, elsewhere.error]).toEqual([1, expect.stringContaining('interrupted with another DATA_DIR')])
    const server = await startServer({ DATA_DIR: dataDir })
    expect(await server.end()).toBe(0)
    expect(stateOf(dataDir)).toEqual(older)
    expect(leftIn(dataDir)).toEqual([])
    const aside = `${databaseIn(dataDir)}.before-restore-20260101T000000Z`
    expect([readFileSync(aside, 'utf8'), readFileSync(`${aside}-journal`, 'utf8')]).toEqual(['rubbish', 'rubbish'])
  })
})

describe('a backup', () => {
  test('of which one bit is another is refused, wherever that is, in a line that names the file', async () => {
    const { dataDir, file } = await backedUp()
    const good = readFileSync(file)
    const before = contentOf(dataDir)
    const bad = newPath('.db')
    const flips = 400
    const taken: number[] = []
    const unnamed: string[] = []
    for (let i = 0; i < flips; i++) {
      // All over the file, and in each byte of what stands at its end.
      const at = i < 100 ? good.length - 1 - i : Math.floor(((i - 100) / (flips - 100)) * good.length)
      const bytes = Buffer.from(good)
      bytes[at]! ^= 1 << (i % 8)
      writeFileSync(bad, bytes)
      try {
        examineBackup(bad)
        taken.push(at)
      } catch (error) {
        const { message } = error as Error
        if (!message.includes(bad)) unnamed.push(message)
      }
    }
    expect({ taken, unnamed }).toEqual({ taken: [], unnamed: [] })
    for (const at of [20, 5000, Math.floor(good.length / 2), good.length - 200, good.length - 2]) {
      const bytes = Buffer.from(good)
      bytes[at]! ^= 1
      writeFileSync(bad, bytes)
      const { code, out, error } = await convene(dataDir, 'restore', bad)
      expect([at, code, out, error]).toEqual([at, 1, '', expect.stringContaining(bad)])
      expect(error.trim()).not.toContain('\n')
      expect(contentOf(dataDir)).toEqual(before)
    }
  })

  test('that is cut short is refused, by a byte as by its whole checksum', async () => {
    const { file } = await backedUp()
    const good = readFileSync(file)
    const bad = newPath('.db')
    for (const missing of [1, 50, 87, 88, 5000]) {
      writeFileSync(bad, good.subarray(0, good.length - missing))
      expect(() => examineBackup(bad)).toThrow(bad)
    }
    writeFileSync(bad, Buffer.concat([good, Buffer.from('more')]))
    expect(() => examineBackup(bad)).toThrow('checksum')
  })

  test('of the release before, which knew no checksum, is restored', async () => {
    const { dataDir, file } = await backedUp()
    const state = stateOf(dataDir)
    makeFormer(file)
    const there = newPath()
    expect((await convene(there, 'restore', file)).code).toBe(0)
    expect(stateOf(there)).toEqual(state)
  })

  test('is a database that SQLite itself opens', async () => {
    const { file } = await backedUp()
    const db = new Database(file, { readonly: true })
    expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    expect(db.query('SELECT users, messages, photos FROM backup').all()).toEqual([{ users: 2, messages: 6, photos: 2 }])
    db.close()
  })
})

const isRoot = process.getuid?.() === 0
const nobody = 65534

describe.skipIf(!isRoot)('as root, for a server that is another user', () => {
  const ownersIn = (path: string) =>
    readdirSync(path, { recursive: true, encoding: 'utf8' })
      .map((name) => [name, lstatSync(join(path, name)).uid] as const)
      .filter(([, uid]) => uid !== nobody)

  test('a restore leaves all of it to the owner of the data directory', async () => {
    const { file, ada } = await backedUp()
    const dataDir = newPath()
    mkdirSync(dataDir, { mode: 0o700 })
    chownSync(dataDir, nobody, nobody)
    const journal = newPath()
    mkdirSync(journal)
    copyFileSync(file, join(journal, 'backup.db'))
    writeFileSync(join(journal, 'erasures.log'), `${new Date(start).toISOString()} ${ada.id}\n`)
    for (let times = 0; times < 2; times++) {
      expect((await convene(dataDir, 'restore', join(journal, 'backup.db'))).code).toBe(0)
      expect(ownersIn(dataDir)).toEqual([])
    }
    expect(existsSync(join(dataDir, 'erasures.log'))).toBe(true)
    // That user can work on it.
    chmodSync(dirname(dataDir), 0o711)
    const closed = Bun.spawnSync([
      ...['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
      ...['find', dataDir, '!', '-readable', '-o', '!', '-writable'],
    ])
    expect([closed.exitCode, closed.stdout.toString()]).toEqual([0, ''])
  })

  test('so do the other commands that make something there', async () => {
    const dataDir = newPath()
    mkdirSync(dataDir, { mode: 0o700 })
    chownSync(dataDir, nobody, nobody)
    expect((await convene(dataDir, 'seed', '--users', '3', '--cities', '1', '--messages', '4')).code).toBe(0)
    expect((await convene(dataDir, 'admin', 'adopt', '--yes')).code).toBe(0)
    const db = openReadOnly(databaseIn(dataDir))
    const { id } = db.query<{ id: string }, []>('SELECT id FROM users').get()!
    db.close()
    expect((await convene(dataDir, 'admin', 'erase', id, '--yes')).code).toBe(0)
    expect((await convene(dataDir, 'migrate', 'down', '--to', '2', '--yes')).code).toBe(0)
    expect((await convene(dataDir, 'migrate', 'up')).code).toBe(0)
    const server = await startServer({ DATA_DIR: dataDir })
    expect(await server.end()).toBe(0)
    expect(readdirSync(dataDir)).toContain('erasures.log')
    expect(ownersIn(dataDir)).toEqual([])
  })
})

/** A file system of that size, which only root may mount. Answers what unmounts it; null where it may not. */
function mounted(path: string, size: string): (() => void) | null {
  mkdirSync(path, { recursive: true })
  if (Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]).exitCode !== 0) return null
  return () => void Bun.spawnSync(['umount', path])
}

describe.skipIf(!isRoot)('where there is no room', () => {
  test('a restore and a backup say beforehand how much they need, and change nothing', async () => {
    const { dataDir, file } = await backedUp()
    const there = newPath()
    const unmount = mounted(there, '300k')
    if (!unmount) return
    try {
      const { code, error } = await convene(there, 'restore', file)
      expect([code, error]).toEqual([
        1,
        expect.stringMatching(/needs [\d.]+ MB of space in .*, and [\d.]+ MB are free/),
      ])
      expect(error).toContain(file)
      expect(readdirSync(there)).toEqual(['convene.lock'])
      const backup = await convene(dataDir, 'backup', join(there, 'a.db'))
      expect([backup.code, backup.error]).toEqual([1, expect.stringMatching(/a backup needs [\d.]+ MB of space in /)])
      expect(readdirSync(there)).toEqual(['convene.lock'])
    } finally {
      unmount()
    }
  })

  test('photos on a disk of their own are not replaced by a directory of another', async () => {
    const { dataDir, file } = await backedUp()
    const there = newPath()
    cpSync(dataDir, there, { recursive: true })
    const unmount = mounted(join(there, 'media'), '1m')
    if (!unmount) return
    try {
      const before = contentOf(there)
      const { code, error } = await convene(there, 'restore', file)
      expect([code, error]).toEqual([1, expect.stringContaining('media is a disk of its own')])
      expect(contentOf(there)).toEqual(before)
    } finally {
      unmount()
    }
  })
})

test('a failure that SQLite tells of without a name is told with those of the files', async () => {
  const { dataDir, file } = await backedUp()
  const limited = (bytes: number, ...args: string[]) =>
    program({ DATA_DIR: dataDir }, args, ['prlimit', `--fsize=${bytes}`, ...command])
  const target = newPath('.db')
  for (const bytes of [8192, 100_000]) {
    const backup = await limited(bytes, 'backup', target)
    expect([backup.code, backup.error]).toEqual([1, expect.stringContaining(`backed up to ${target}`)])
    const restore = await limited(bytes, 'restore', file)
    expect([restore.code, restore.error]).toEqual([1, expect.stringContaining(file)])
    expect(restore.error).toContain(databaseIn(dataDir))
    expect(restore.error.trim()).not.toContain('\n')
  }
  expect(leftIn(dataDir)).toEqual([])
  expect(statSync(databaseIn(dataDir)).size).toBeGreaterThan(0)
})

test('a switch that fails halfway keeps what it needs, and the next start finishes it', async () => {
  const { dataDir, file } = await backedUp()
  const older = stateOf(dataDir)
  write(dataDir, "UPDATE users SET city = 'Later'")
  const there = newPath()
  expect((await convene(there, 'restore', file)).code).toBe(0)
  const installation = { databasePath: databaseIn(dataDir), dataDir }
  const work = workOf(installation)
  copyFileSync(databaseIn(there), work.database)
  cpSync(join(there, 'media'), work.media, { recursive: true })
  // A directory in the place of the index of the log, which cannot be removed like a file.
  const obstacle = `${databaseIn(dataDir)}-shm`
  mkdirSync(obstacle)
  await expect(switchTo(installation, { withMedia: true, at: start })).rejects.toThrow()
  expect(isHalfRestored(databaseIn(dataDir))).toBe(true)
  expect(removeWork(installation)).toBe(false)
  expect([existsSync(work.database), existsSync(work.media)]).toEqual([true, true])
  rmSync(obstacle, { recursive: true })
  const server = await startServer({ DATA_DIR: dataDir })
  expect(await server.end()).toBe(0)
  expect([stateOf(dataDir), leftIn(dataDir)]).toEqual([older, []])
})
