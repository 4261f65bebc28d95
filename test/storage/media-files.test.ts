import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readS3Url } from '../../src/s3/place.ts'
import { openDiskFiles } from '../../src/storage/files/disk.ts'
import { openS3Files } from '../../src/storage/files/s3.ts'
import { s3Server } from '../s3-server.ts'

const name = '3f9c1d2e-8a4b-4c5d-9e6f-0a1b2c3d4e5f.webp'
const sibling = '3f9c0000-8a4b-4c5d-9e6f-0a1b2c3d4e5f.webp'
const hex = `${'ab01'.repeat(8)}.webp`

const opened: string[] = []
afterEach(() => {
  for (const directory of opened.splice(0)) rmSync(directory, { recursive: true, force: true })
})

function openFresh() {
  const base = mkdtempSync(join(tmpdir(), 'convene-media-'))
  opened.push(base)
  const root = join(base, 'data', 'media')
  return {
    root,
    files: openDiskFiles(root),
    pathOf: (file: string) => join(root, file.slice(0, 2), file.slice(2, 4), file),
  }
}

const bytesOf = async (files: ReturnType<typeof openDiskFiles>, file: string) => (await files.get(file))?.bytes()
const namesIn = async (files: ReturnType<typeof openDiskFiles>) =>
  (await Array.fromAsync(files.list())).map((file) => file.name).toSorted()

const server = await s3Server()
const places = {
  'on disk': () => openFresh().files,
  'in a bucket': () =>
    openS3Files(readS3Url(server.url(crypto.randomUUID()), { accessKeyId: null, secretAccessKey: null }), {
      now: Date.now,
      onAnswer() {},
    }),
}

describe.each(Object.entries(places))('what any place for files keeps to, %s', (_, openPlace) => {
  test('what was put is got, whole, with its size, until it is removed', async () => {
    const files = openPlace()
    const bytes = crypto.getRandomValues(new Uint8Array(50_000))
    await files.put(name, bytes)
    expect((await files.get(name))!.size).toBe(50_000)
    expect(await bytesOf(files, name)).toEqual(bytes)
    expect(await files.get(sibling)).toBeNull()
    expect(await files.get(hex)).toBeNull()
    await files.remove([name])
    expect(await files.get(name)).toBeNull()
  })

  test('a range is read without the rest', async () => {
    const files = openPlace()
    await files.put(name, Buffer.from('0123456789'))
    const blob = (await files.get(name))!
    expect(await blob.slice(2, 5).text()).toBe('234')
    expect(await new Response(blob.slice(7)).text()).toBe('789')
  })

  test('a second put replaces the first', async () => {
    const files = openPlace()
    await files.put(name, Buffer.from('a longer first one'))
    await files.put(name, Buffer.from('second'))
    expect(Buffer.from((await bytesOf(files, name))!).toString()).toBe('second')
    expect(await namesIn(files)).toEqual([name])
  })

  test('an empty file is a file', async () => {
    const files = openPlace()
    await files.put(name, new Uint8Array())
    expect((await files.get(name))!.size).toBe(0)
    expect(await bytesOf(files, name)).toEqual(new Uint8Array())
  })

  test('removing what is not there is no error', async () => {
    const files = openPlace()
    await files.remove([name])
    await files.put(name, Buffer.from('x'))
    await files.remove([name])
    await files.remove([name])
    expect(await namesIn(files)).toEqual([])
  })

  test('the list names every file once, with the time of its last change', async () => {
    const files = openPlace()
    const names = Array.from({ length: 60 }, () => `${crypto.randomUUID()}.webp`)
    expect(await namesIn(files)).toEqual([])
    const before = Date.now()
    await Promise.all(names.map((file) => files.put(file, Buffer.from(file))))
    const listed = await Array.fromAsync(files.list())
    expect(listed.map((file) => file.name).toSorted()).toEqual(names.toSorted())
    for (const { modified_ms } of listed) {
      expect(modified_ms).toBeGreaterThan(before - 2000)
      expect(modified_ms).toBeLessThan(Date.now() + 2000)
    }
  })

  test('files may be removed while they are listed', async () => {
    const files = openPlace()
    await Promise.all(Array.from({ length: 30 }, () => files.put(`${crypto.randomUUID()}.webp`, Buffer.from('x'))))
    for await (const file of files.list()) await files.remove([file.name])
    expect(await namesIn(files)).toEqual([])
  })
})

describe('on disk', () => {
  test('puts of one name at once leave one of them whole', async () => {
    const { files } = openFresh()
    const contents = Array.from({ length: 20 }, (_, i) => Buffer.alloc(10_000 + i, i))
    await Promise.all(contents.map((bytes) => files.put(name, bytes)))
    const kept = Buffer.from((await bytesOf(files, name))!)
    expect(contents.some((bytes) => bytes.equals(kept))).toBe(true)
    expect(await namesIn(files)).toEqual([name])
  })

  test('a name that could lead elsewhere is refused by every method and touches nothing', async () => {
    const { root, files } = openFresh()
    const outside = join(dirname(root), 'secret.webp')
    writeFileSync(outside, 'secret')
    const names = [
      '../secret.webp',
      '../../secret.webp',
      'ab01/../../secret.webp',
      outside,
      `ab01${'/..'.repeat(4)}/secret.webp`,
      `${hex}/..`,
      `${hex}\0.png`,
      `${hex}\n`,
      hex.toUpperCase(),
      hex.replace('.webp', '.html'),
      hex.replace('.webp', ''),
      hex.replace('.webp', '.WEBP'),
      `..${hex.slice(2)}`,
      `-b01${hex.slice(4)}`,
      'ab01.webp',
      `${'a'.repeat(300)}.webp`,
      '',
      '.',
      `${hex}..part`,
      `${hex}.${'/'.repeat(36)}.part`,
    ]
    for (const wrong of names) {
      await expect(files.put(wrong, Buffer.from('x'))).rejects.toThrow('not a media file name')
      await expect(files.get(wrong)).rejects.toThrow('not a media file name')
      await expect(files.remove([wrong])).rejects.toThrow('not a media file name')
    }
    expect(readdirSync(root)).toEqual([])
    expect(readdirSync(dirname(root)).toSorted()).toEqual(['media', 'secret.webp'])
  })

  test('a file lies two levels deep, for its owner alone', async () => {
    const { root, files, pathOf } = openFresh()
    await files.put(name, Buffer.from('x'))
    expect(pathOf(name)).toBe(join(root, '3f', '9c', name))
    expect(statSync(pathOf(name)).mode & 0o777).toBe(0o600)
    for (const folder of [root, join(root, '3f'), join(root, '3f', '9c')])
      expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(root, '3f', '9c'))).toEqual([name])
  })

  test('opened again, the directory still has its files', async () => {
    const { root, files } = openFresh()
    await files.put(name, Buffer.from('kept'))
    expect(Buffer.from((await bytesOf(openDiskFiles(root), name))!).toString()).toBe('kept')
  })

  test('what an interrupted put left is listed with its age, is no file to get, and can be removed', async () => {
    const { files, pathOf } = openFresh()
    await files.put(name, Buffer.from('whole'))
    const left = `${sibling}.${crypto.randomUUID()}.part`
    const path = pathOf(left)
    writeFileSync(path, 'ha')
    utimesSync(path, 1_700_000_000, 1_700_000_000)
    expect(await namesIn(files)).toEqual([left, name])
    const listed = (await Array.fromAsync(files.list())).find((file) => file.name === left)
    expect(listed!.modified_ms).toBe(1_700_000_000_000)
    expect(await files.get(sibling)).toBeNull()
    await expect(files.get(left)).rejects.toThrow('not a media file name')
    await files.remove([left])
    expect(existsSync(path)).toBe(false)
    expect(await namesIn(files)).toEqual([name])
  })

  test('a put that fails says why and leaves neither the file nor a part of it', async () => {
    const { root, files, pathOf } = openFresh()
    await files.put(name, Buffer.from('whole'))
    // where the file should lie there is a directory, so that the last step fails
    await Bun.write(join(pathOf(sibling), 'in the way'), 'x')
    await expect(files.put(sibling, Buffer.from('x'))).rejects.toMatchObject({ code: 'EISDIR' })
    expect(readdirSync(join(root, '3f', '9c')).toSorted()).toEqual([sibling, name])
  })

  test('foreign things in the directory are neither listed nor in the way', async () => {
    const { root, files, pathOf } = openFresh()
    await files.put(name, Buffer.from('x'))
    await Bun.write(join(root, '.DS_Store'), 'x')
    await Bun.write(join(root, 'zz', 'zz', name), 'x')
    await Bun.write(join(root, '00', 'notes.txt'), 'x')
    await Bun.write(join(root, '3f', '00', name), 'not where it belongs')
    await Bun.write(join(root, '3f', '9c', 'notes.txt'), 'x')
    await Bun.write(join(root, 'ab'), 'a file where a folder might be')
    symlinkSync('/nowhere', pathOf(sibling))
    expect(await namesIn(files)).toEqual([name])
    expect(await files.get(sibling)).toBeNull()
  })

  test('where there is no room for the file it is refused as storage_full, and no part of it is left', async () => {
    const { root, files } = openFresh()
    await files.put(name, Buffer.from('kept'))
    // the shell's limit on the size of a file fails the write half way, as a full device would
    const disk = new URL('../../src/storage/files/disk.ts', import.meta.url).pathname
    const script = `
      import { openDiskFiles } from ${JSON.stringify(disk)}
      const outcome = openDiskFiles(${JSON.stringify(root)}).put(${JSON.stringify(hex)}, Buffer.alloc(1_000_000))
      console.log(await outcome.then(() => 'stored', (error) => error.code))
    `
    const run = Bun.spawn(['sh', '-c', `trap '' XFSZ; ulimit -f 16; exec "$0" -e "$1"`, process.execPath, script])
    expect((await new Response(run.stdout).text()).trim()).toBe('storage_full')
    expect(await namesIn(files)).toEqual([name])
  })

  test('a directory that cannot be read is an error, not an empty place', async () => {
    const { root, files } = openFresh()
    symlinkSync('3f', join(root, '3f'))
    await expect(namesIn(files)).rejects.toMatchObject({ code: 'ELOOP' })
    await expect(files.get(name)).rejects.toMatchObject({ code: 'ELOOP' })
  })
})
