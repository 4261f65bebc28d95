import { Database } from 'bun:sqlite'
import { afterAll } from 'bun:test'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Person, type TestApp, testApp } from './app.ts'
import { convene as run } from './convene.ts'

const folder = mkdtempSync(join(tmpdir(), 'convene-backup-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

export const newPath = (end = '') => join(folder, `${crypto.randomUUID()}${end}`)

/** Convene in a process of its own, or another command. */
export async function program(settings: Record<string, string>, args: string[], other?: string[]) {
  const { code, out, err } = await run(args, settings, { command: other })
  return { code, out, error: err }
}
export const evaluate = (settings: Record<string, string>, code: string) =>
  program(settings, ['-e', code], [process.execPath])
export const convene = (dataDir: string, ...args: string[]) => program({ DATA_DIR: dataDir }, args)

/** A server's data directory, and the server. */
export async function installation(): Promise<TestApp & { databasePath: string }> {
  const databasePath = newPath('.db')
  const app = await testApp({ DATABASE_URL: `sqlite:${databasePath}` }, { databasePath })
  return { ...app, databasePath }
}
export const environmentOf = ({ dataDir, databasePath }: { dataDir: string; databasePath: string }) => ({
  DATA_DIR: dataDir,
  DATABASE_URL: `sqlite:${databasePath}`,
})

const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
export async function uploaded(person: Person, size: number): Promise<{ id: string; url: string }> {
  const form = new FormData()
  form.append('file', new Blob([await new Bun.Image(pixel).resize(size, size, { fit: 'fill' }).png().bytes()]), 'a.png')
  return (await person.post('media', form)).body
}

/** What lies in a directory, with a hash of its bytes. */
export function contentOf(directory: string) {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name !== 'convene.lock' && statSync(join(directory, name)).isFile(),
  )
  return new Map(files.sort().map((name) => [name, Bun.hash(readFileSync(join(directory, name)))]))
}

/** A community of two with photos, closed; its data directory. */
export async function closedInstallation(): Promise<{ dataDir: string; ada: Person; bob: Person }> {
  const app = await installation()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chatId = (await ada.post('chats', { user_id: bob.id })).body.id
  for (let i = 0; i < 5; i++) await ada.post(`chats/${chatId}/messages`, { text: `Message ${i}` })
  await ada.put('me', { photo: (await uploaded(ada, 20)).id })
  await bob.post(`chats/${chatId}/messages`, { kind: 'photo', photo: (await uploaded(bob, 30)).id })
  const dataDir = newPath()
  mkdirSync(dataDir, { mode: 0o700 })
  await app.services.storage.close()
  copyFileSync(app.databasePath, join(dataDir, 'convene.db'))
  for (const name of contentOf(join(app.dataDir, 'media')).keys()) {
    mkdirSync(join(dataDir, 'media', name, '..'), { recursive: true })
    copyFileSync(join(app.dataDir, 'media', name), join(dataDir, 'media', name))
  }
  app.services.storage.close = async () => {}
  return { dataDir, ada, bob }
}

/** Makes of a backup one as releases wrote it that knew no checksum. */
export function makeFormer(file: string) {
  truncateSync(file, statSync(file).size - 'convene-backup-sha256 \n'.length - 64)
  const db = new Database(file)
  for (const column of ['checksum', 'photos_beside']) db.run(`ALTER TABLE backup DROP COLUMN ${column}`)
  for (const column of ['size', 'sha256']) db.run(`ALTER TABLE backup_photos DROP COLUMN ${column}`)
  db.close()
}
