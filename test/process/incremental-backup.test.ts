import { Database } from 'bun:sqlite'
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { foldersOf, originalOf } from '../../src/features/media/files.ts'
import { removeLeftovers } from '../../src/backup/scheduled.ts'
import { days } from '../../src/lib/time.ts'
import { start } from '../app.ts'
import { command, startServer } from '../convene.ts'
import { closedInstallation, contentOf, convene, evaluate, makeFormer, newPath } from '../installation.ts'

// Each runs programs of ours, which takes its time where others work too.
setDefaultTimeout(240_000)

const mediaOf = (dataDir: string) => join(dataDir, 'media')
const nameOf = (day: number) => `convene-202611${21 + day}T120000Z.db`

/** A scheduled backup into a directory. Answers what it has said. */
async function scheduled(dataDir: string, directory: string, day: number, keep = 7): Promise<string> {
  const script = `const { backUpInto } = await import('${import.meta.dir}/../../src/backup/scheduled.ts')
    await backUpInto('${directory}', { keep: ${keep}, at: ${start + day * days} })
      .then(() => console.log('done'), (error) => console.log(error.message))`
  return (await evaluate({ DATA_DIR: dataDir }, script)).out
}

/** The files beside backups, with what tells one that was written again. */
const besideIn = (directory: string) =>
  new Map(
    [...contentOf(join(directory, 'photos')).keys()].map((name) => {
      const { ino, mtimeMs } = statSync(join(directory, 'photos', name))
      return [name, `${ino} ${mtimeMs}`]
    }),
  )

/** Gives one image another name and other bytes, as a person does who takes another photo. */
function changePhoto(dataDir: string): string {
  const name = `${'ffff'.repeat(8)}.webp`
  const db = new Database(join(dataDir, 'convene.db'))
  const { file } = db.query<{ file: string }, []>('SELECT file FROM media ORDER BY file').get()!
  db.query('UPDATE media SET file = ? WHERE file = ?').run(name, file)
  db.close()
  mkdirSync(join(mediaOf(dataDir), ...foldersOf(name)), { recursive: true })
  writeFileSync(join(mediaOf(dataDir), ...foldersOf(name), name), 'another picture')
  for (const old of [file, file.replace('.webp', '.320.webp')]) rmSync(join(mediaOf(dataDir), ...foldersOf(old), old))
  return file
}

const verify = (dataDir: string, file: string, ...more: string[]) => convene(dataDir, 'backup', 'verify', file, ...more)

test('scheduled backups write each photo once, restore wholly, and lose a photo with the last one that needs it', async () => {
  const { dataDir } = await closedInstallation()
  const directory = newPath()
  expect(await scheduled(dataDir, directory, 0)).toBe('done\n')
  const first = besideIn(directory)
  expect(first.size).toBe(4)
  const before = contentOf(mediaOf(dataDir))
  for (const name of before.keys())
    expect(readFileSync(join(directory, nameOf(0))).includes(readFileSync(join(mediaOf(dataDir), name)))).toBe(false)

  changePhoto(dataDir)
  expect(await scheduled(dataDir, directory, 1)).toBe('done\n')
  const second = besideIn(directory)
  expect(second.size).toBe(5)
  for (const [name, written] of first) expect(second.get(name)).toBe(written)

  // Either is whole by itself.
  const whole = await verify(dataDir, join(directory, nameOf(0)))
  expect([whole.error, whole.out]).toEqual(['', expect.stringContaining(`2 photos in ${directory}/photos (`)])
  const there = newPath()
  expect(await convene(there, 'restore', join(directory, nameOf(1)))).toMatchObject({ code: 0, error: '' })
  expect(contentOf(mediaOf(there))).toEqual(contentOf(mediaOf(dataDir)))
  const older = newPath()
  expect(await convene(older, 'restore', join(directory, nameOf(0)))).toMatchObject({ code: 0, error: '' })
  expect(contentOf(mediaOf(older))).toEqual(before)

  // One of the release before lies beside, which holds its photos itself.
  const former = join(directory, nameOf(2))
  expect((await convene(dataDir, 'backup', former)).code).toBe(0)
  makeFormer(former)
  expect(await scheduled(dataDir, directory, 3, 2)).toBe('done\n')
  expect(readdirSync(directory).sort()).toEqual([nameOf(2), nameOf(3), 'photos'])
  const third = besideIn(directory)
  expect(third.size).toBe(3)
  for (const [name, written] of third) expect(second.get(name)).toBe(written)
  expect((await verify(dataDir, join(directory, nameOf(3)))).code).toBe(0)
  const ofFormer = newPath()
  expect((await convene(ofFormer, 'restore', former)).code).toBe(0)
  expect(contentOf(mediaOf(ofFormer))).toEqual(contentOf(mediaOf(dataDir)))
})

test('a photo beside a backup that is damaged, emptied or gone is named, and the next backup writes what is gone', async () => {
  const { dataDir } = await closedInstallation()
  const directory = newPath()
  expect(await scheduled(dataDir, directory, 0)).toBe('done\n')
  const file = join(directory, nameOf(0))
  const names = [...besideIn(directory).keys()]
  const db = new Database(file, { readonly: true })
  const stored = db.query<{ name: string; sha256: string }, []>('SELECT name, sha256 FROM backup_photos').all()
  db.close()
  const photo = stored.find(({ name }) => originalOf(name) === name)!
  const path = join(
    directory,
    'photos',
    names.find((name) => basename(name) === `${photo.sha256}.webp`)!,
  )
  const good = readFileSync(path)
  const damages: [reason: string, damage: () => void][] = [
    [
      'does not match its checksum',
      () => {
        const bytes = Buffer.from(good)
        bytes[bytes.length >> 1]! ^= 1
        writeFileSync(path, bytes)
      },
    ],
    ['is empty', () => writeFileSync(path, '')],
    ['is missing', () => rmSync(path)],
  ]
  const there = newPath()
  for (const [reason, damage] of damages) {
    damage()
    const said = `1 of the photos in ${directory}/photos is not whole: ${photo.name} (${photo.sha256}.webp ${reason})`
    const examined = await verify(dataDir, file)
    expect([examined.code, examined.out, examined.error]).toEqual([1, '', expect.stringContaining(said)])
    const refused = await convene(there, 'restore', file)
    expect([refused.code, refused.out, refused.error]).toEqual([1, '', expect.stringContaining(said)])
    expect(refused.error).toContain('--skip-damaged')
    expect(readdirSync(there)).toEqual(['convene.lock'])
  }
  const without = await convene(there, 'restore', file, '--skip-damaged')
  expect([without.code, without.error]).toEqual([0, ''])
  const [restored, ...more] = without.out.trimEnd().split('\n')
  expect(restored).toContain(
    ` and ${stored.filter(({ name }) => originalOf(name) === name).length - 1} photos, as they were at `,
  )
  expect(more).toEqual(['photos left out because they are missing or damaged: 1'])
  expect(contentOf(mediaOf(there)).size).toBe(3)

  expect(await scheduled(dataDir, directory, 1)).toBe('done\n')
  expect(readFileSync(path)).toEqual(good)

  // They may lie elsewhere.
  const moved = newPath()
  renameSync(join(directory, 'photos'), moved)
  for (const args of [
    ['backup', 'verify', file],
    ['restore', file],
  ]) {
    const lost = await convene(newPath(), ...args)
    expect([lost.code, lost.error]).toEqual([1, expect.stringContaining(`there is no directory ${directory}/photos`)])
    expect(await convene(newPath(), ...args, '--photos', moved)).toMatchObject({ code: 0, error: '' })
  }
})

test('a backup in one file names the photo in it that is damaged', async () => {
  const { dataDir } = await closedInstallation()
  const file = newPath('.db')
  expect((await convene(dataDir, 'backup', file)).code).toBe(0)
  const [name] = [...contentOf(mediaOf(dataDir)).keys()].filter((name) => originalOf(name) === name)
  const bytes = readFileSync(file)
  const at = bytes.indexOf(readFileSync(join(mediaOf(dataDir), name!)))
  expect(at).toBeGreaterThan(0)
  bytes[at + 20]! ^= 1
  writeFileSync(file, bytes)
  for (const args of [
    ['backup', 'verify', file],
    ['restore', file],
  ]) {
    const { code, out, error } = await convene(newPath(), ...args)
    expect([code, out]).toEqual([1, ''])
    expect(error).toContain(`${file} is damaged: ${basename(name!)} in it does not match the checksum`)
  }
})

const noStrace =
  Bun.which('strace') && Bun.spawnSync(['strace', '-o', '/dev/null', 'true']).exitCode === 0
    ? null
    : 'skipped: no strace that may trace'

/** Runs a command that SIGKILL ends at the nth system call of that kind. Answers whether it came to that. */
async function killedAt(dataDir: string, args: string[], calls: string, when: number): Promise<boolean> {
  const child = Bun.spawn(
    [
      ...['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=/^(${calls})`],
      ...['-e', `inject=/^(${calls}):signal=KILL:when=${when}`],
      ...[...command, ...args],
    ],
    { env: { PATH: process.env.PATH, DATA_DIR: dataDir }, stdout: 'ignore', stderr: 'ignore' },
  )
  return (await child.exited) !== 0
}

const unfinishedIn = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.part'))

describe.skipIf(noStrace !== null)(`what is killed${noStrace ? `, ${noStrace}` : ''}`, () => {
  test('a scheduled backup leaves the others whole, and the next start removes and tells what it left', async () => {
    const { dataDir } = await closedInstallation()
    const directory = newPath()
    let unfinished = 0
    mkdirSync(directory)
    const file = join(directory, nameOf(1))
    let when = 1
    for (; await killedAt(dataDir, ['backup', '--incremental', file], 'rename', when); when++) {
      const left = unfinishedIn(directory)
      unfinished += left.filter((name) => name.startsWith('photos')).length
      expect(existsSync(file)).toBe(false)
      // A start each is slow, and shows the same.
      if (when > 2) {
        expect((await removeLeftovers(directory, dataDir)).sort()).toEqual(left.map((name) => basename(name)).sort())
        continue
      }
      const server = await startServer({ DATA_DIR: dataDir, BACKUP_DIR: directory, BACKUP_KEEP: '1' })
      const line = () =>
        server
          .log()
          .split('\n')
          .find((line) => line.includes('removed what an interrupted backup had left'))
      for (let i = 0; i < 500 && line() === undefined; i++) await Bun.sleep(10)
      expect(await server.end()).toBe(0)
      const { level, removed } = JSON.parse(line()!)
      expect([level, removed.toSorted()]).toEqual(['warn', left.map((name) => basename(name)).sort()])
      expect(unfinishedIn(directory)).toEqual([])
    }
    // Threads share the photos, so how many kills there are differs.
    expect(when).toBeGreaterThan(1)
    expect(unfinished).toBeGreaterThan(0)
    expect((await verify(dataDir, file)).code).toBe(0)
    // All photos are there: the only name that changes is that of the backup.
    const next = join(directory, nameOf(2))
    expect(await killedAt(dataDir, ['backup', '--incremental', next], 'rename', 1)).toBe(true)
    expect(unfinishedIn(directory).filter((name) => name.startsWith('photos'))).toEqual([])
    expect((await verify(dataDir, file)).code).toBe(0)
    expect(existsSync(next)).toBe(false)
  })

  test('a removal of photos leaves all that a backup needs, and the next one removes the rest', async () => {
    const { dataDir } = await closedInstallation()
    const directory = newPath()
    expect(await scheduled(dataDir, directory, 0)).toBe('done\n')
    changePhoto(dataDir)
    expect(await scheduled(dataDir, directory, 1)).toBe('done\n')
    rmSync(join(directory, nameOf(0)))
    const kept = newPath()
    cpSync(directory, kept, { recursive: true })
    let when = 1
    for (; await killedAt(dataDir, ['backup', 'prune', directory], 'unlink', when); when++) {
      expect((await verify(dataDir, join(directory, nameOf(1)))).code).toBe(0)
      expect((await convene(dataDir, 'backup', 'prune', directory)).code).toBe(0)
      expect(besideIn(directory).size).toBe(3)
      rmSync(directory, { recursive: true })
      cpSync(kept, directory, { recursive: true })
    }
    expect(when).toBeGreaterThan(1)
    expect(besideIn(directory).size).toBe(3)
    expect((await verify(dataDir, join(directory, nameOf(1)))).code).toBe(0)

    // Where it cannot be told what a backup needs, all of it stays.
    writeFileSync(join(directory, 'other.db'), 'rubbish')
    const refused = await convene(dataDir, 'backup', 'prune', directory)
    expect([refused.code, refused.error]).toEqual([1, expect.stringContaining('other.db')])
    expect(besideIn(directory).size).toBe(3)
  })
})

const isRoot = process.getuid?.() === 0
const nobody = 65534

describe.skipIf(!isRoot)('as root', () => {
  test('an incremental backup belongs to the owner of its directory, and what is restored from it to that of its own', async () => {
    const { dataDir } = await closedInstallation()
    const directory = newPath()
    mkdirSync(directory, { mode: 0o700 })
    chownSync(directory, nobody, nobody)
    expect((await convene(dataDir, 'backup', '--incremental', join(directory, 'a.db'))).code).toBe(0)
    const made = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    expect(made.length).toBeGreaterThan(5)
    for (const name of made) {
      const { uid, mode } = lstatSync(join(directory, name))
      expect([name, uid, mode & 0o077]).toEqual([name, nobody, 0])
    }
    // And what is restored from it, to the owner of the data directory.
    const there = newPath()
    mkdirSync(there, { mode: 0o700 })
    chownSync(there, nobody, nobody)
    expect((await convene(there, 'restore', join(directory, 'a.db'))).code).toBe(0)
    const restored = readdirSync(there, { recursive: true, encoding: 'utf8' })
    expect(restored.filter((name) => name.endsWith('.webp')).length).toBeGreaterThan(0)
    expect(restored.filter((name) => lstatSync(join(there, name)).uid !== nobody)).toEqual([])
  })

  test('new photos without room are refused before one is written, and those that are there need none', async () => {
    const { dataDir } = await closedInstallation()
    const directory = newPath()
    mkdirSync(directory)
    if (Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', directory]).exitCode !== 0) return
    try {
      const [name] = contentOf(mediaOf(dataDir)).keys()
      const fill = (bytes: number) => writeFileSync(join(mediaOf(dataDir), name!), Buffer.alloc(bytes, 'x'))
      fill(8_000_000)
      const { code, out, error } = await convene(dataDir, 'backup', '--incremental', join(directory, 'a.db'))
      expect([code, out]).toEqual([1, ''])
      expect(error).toMatch(/the new photos need 8\.\d MB of space in .*photos, and \d\.\d MB are free/)
      expect([readdirSync(directory), contentOf(directory).size]).toEqual([['photos'], 0])
      // Twice that has no room, once has.
      fill(3_000_000)
      for (const file of ['a.db', 'b.db'])
        expect(await convene(dataDir, 'backup', '--incremental', join(directory, file))).toMatchObject({ error: '' })
    } finally {
      Bun.spawnSync(['umount', directory])
    }
  })
})

test('two incremental backups of one installation are not made at once, and none replaces another', async () => {
  const { dataDir } = await closedInstallation()
  const directory = newPath()
  mkdirSync(directory)
  const file = join(directory, 'a.db')
  const script = `const { holdBackups } = await import('${import.meta.dir}/../../src/installation/data-directory.ts')
    holdBackups('${dataDir}'); console.log('held'); await Bun.stdin.text()`
  const holder = Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe' })
  for await (const _ of holder.stdout) break
  for (const args of [
    ['--incremental', file],
    ['prune', directory],
  ])
    expect((await convene(dataDir, 'backup', ...args)).error).toContain('another incremental backup')
  holder.kill('SIGKILL')
  await holder.exited
  expect(readdirSync(directory)).toEqual([])
  expect((await convene(dataDir, 'backup', '--incremental', file)).code).toBe(0)
  expect((await convene(dataDir, 'backup', '--incremental', file)).error).toMatch(
    /a\.db exists: choose another name\n?$/,
  )
  expect((await convene(dataDir, 'backup', '--incremental', '--force', file)).code).toBe(2)
  expect((await convene(dataDir, 'backup', '--incremental', join(directory, 'a.backup'))).code).toBe(2)
})
