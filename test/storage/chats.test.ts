import { afterEach, describe, expect, test } from 'bun:test'
import type { Chat, NewMessage } from '../../src/features/chats/store.ts'
import type { Image } from '../../src/features/media/store.ts'
import { engines } from '../engines.ts'
import { openRaw, quoted, type Raw } from '../raw.ts'

// What the ports of chats and images promise, asked of every engine: the same tests, race for race.

const now = Date.UTC(2026, 10, 21, 12)
const many = 50

const open: Raw[] = []
afterEach(async () => {
  for (const raw of open.splice(0)) await raw.close()
})

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const stored = <T>(answer: T) => answer as Exclude<T, string | null>
const noMark = { count: 0, last_read_message_id: null, events: [] }

for (const engine of engines) {
  describe.skipIf(engine.skipped !== null)(engine.skipped ? `${engine.name}, ${engine.skipped}` : engine.name, () => {
    async function fresh() {
      const raw = await openRaw(engine)
      open.push(raw)
      let ids = 0
      const nextId = (kind: string) => `${kind} ${String(++ids).padStart(4, '0')}`

      async function users(...names: string[]) {
        for (const name of names)
          await raw.run(
            `INSERT INTO users (id, name, created_at, updated_at) VALUES (${quoted(name)}, ${quoted(name)}, 0, 0)`,
          )
      }
      const erase = (id: string) => raw.run(`UPDATE users SET deleted_at = 1, name = NULL WHERE id = ${quoted(id)}`)
      const block = (a: string, b: string) =>
        raw.run(
          `INSERT INTO blocks (id, blocker_id, blocked_id, created_at)
           VALUES (${[`${a} ${b}`, a, b].map(quoted).join()}, 0)`,
        )

      async function chatOf(user_a: string, user_b: string, given: Partial<Chat> = {}): Promise<Chat> {
        const ensured = await raw.storage.chats.ensure({
          id: nextId('chat'),
          user_a,
          user_b,
          created_at: now,
          ...given,
        })
        return stored(ensured).chat
      }
      const message = (chat: Chat, sender_id: string, given: Partial<NewMessage> = {}) =>
        ({
          id: nextId('message'),
          chat_id: chat.id,
          sender_id,
          kind: 'text',
          text: 'hello',
          photo_id: null,
          client_id: null,
          created_at: now,
          ...given,
        }) as NewMessage
      const send = (chat: Chat, sender: string, given: Partial<NewMessage> = {}, untilReply: number | null = null) =>
        raw.storage.chats.append(
          message(chat, sender, given),
          chat.user_a === sender ? chat.user_b : chat.user_a,
          untilReply,
        )
      async function upload(owner_id: string, given: Partial<Image> = {}): Promise<Image> {
        const id = nextId('image')
        const image = {
          id,
          owner_id,
          file: `${id}.webp`,
          width: 640,
          height: 480,
          placeholder: 'LKO2',
          bytes: 3_000_000_000,
          thumb_bytes: 12_000,
          created_at: now,
          ...given,
        }
        await raw.storage.media.add(image, Infinity)
        return image
      }
      const eventsOf = async (userId: string) =>
        (await raw.storage.events.after(userId, 0, 1000)).map(({ seq, type, ref }) => [seq, type, ref])
      const seqs = async (chat: Chat) => (await raw.storage.chats.after(chat.id, 0, 1000)).map(({ seq }) => seq)

      await users('a', 'b', 'c')
      return { ...raw, ...raw.storage, users, erase, block, chatOf, message, send, upload, eventsOf, seqs }
    }

    /** With a chat of a and b. */
    async function pair() {
      const all = await fresh()
      return { ...all, chat: await all.chatOf('a', 'b') }
    }

    describe('chats', () => {
      test('all who open the chat of one pair at once get the same, which both are told of once', async () => {
        const { chats, eventsOf } = await fresh()
        const answers = await Promise.all(
          times(many, (i) => chats.ensure({ id: `chat ${i}`, user_a: 'a', user_b: 'b', created_at: now })),
        )
        expect(new Set(answers.map((one) => stored(one).chat.id)).size).toBe(1)
        const created = answers.filter((one) => stored(one).created)
        expect(created).toHaveLength(1)
        const { chat, events } = stored(created[0]!)
        expect(events).toEqual([
          { user_id: 'a', seq: 1 },
          { user_id: 'b', seq: 1 },
        ])
        expect(chat).toEqual({
          id: chat.id,
          user_a: 'a',
          user_b: 'b',
          created_at: now,
          last_msg_at: null,
          held_a: 0,
          held_b: 0,
        })
        expect(await chats.byId(chat.id)).toEqual(chat)
        expect(await chats.ofPair('a', 'b')).toEqual(chat)
        for (const id of ['a', 'b']) expect(await eventsOf(id)).toEqual([[1, 'chat', chat.id]])
        expect(await chats.ofPair('a', 'c')).toBeNull()
        expect(await chats.byId('nothing')).toBeNull()
      })

      test('a chat knows which of the two have ever written in it, whatever is deleted later', async () => {
        const { chats, rows, block, chatOf, send, upload } = await fresh()
        const wrote = async (id: string) =>
          (await rows(`SELECT wrote_a, wrote_b FROM chats WHERE id = ${quoted(id)}`))[0]!.map(Boolean)
        const [grouped, alone, refused] = [await chatOf('a', 'b'), await chatOf('a', 'c'), await chatOf('b', 'c')]
        expect(await wrote(grouped.id)).toEqual([false, false])
        const first = stored(await send(grouped, 'b')).message
        expect(await wrote(grouped.id)).toEqual([false, true])
        await chats.remove(grouped, first.id, now)
        expect(await wrote(grouped.id)).toEqual([false, true])
        await send(grouped, 'a')
        expect(await wrote(grouped.id)).toEqual([true, true])

        const photo = await upload('a')
        await send(alone, 'a', { kind: 'photo', text: null, photo_id: photo.id })
        expect(await wrote(alone.id)).toEqual([true, false])
        await send(alone, 'c', {}, 3)
        expect(await wrote(alone.id)).toEqual([true, true])

        await send(refused, 'b')
        await block('b', 'c')
        expect(await send(refused, 'c')).toBe('blocked')
        expect(await wrote(refused.id)).toEqual([true, false])
      })

      test('across a block no chat is made, and one that is there is found', async () => {
        const { chats, block, chatOf, eventsOf } = await fresh()
        const chat = await chatOf('a', 'b')
        await block('b', 'a')
        await block('a', 'c')
        expect(await chats.ensure({ id: 'new', user_a: 'a', user_b: 'b', created_at: now })).toEqual({
          chat,
          created: false,
          events: [],
        })
        expect(await chats.ensure({ id: 'new', user_a: 'a', user_b: 'c', created_at: now })).toBe('blocked')
        expect(await chats.ofPair('a', 'c')).toBeNull()
        expect(await eventsOf('c')).toEqual([])
      })

      test('none is begun once one of the two is erased, whoever looked before', async () => {
        const { chats, erase, eventsOf } = await fresh()
        await erase('b')
        for (const [user_a, user_b] of [
          ['a', 'b'],
          ['b', 'c'],
        ] as const)
          expect(await chats.ensure({ id: 'new', user_a, user_b, created_at: now })).toBe('gone')
        expect(await chats.ofPair('a', 'b')).toBeNull()
        for (const id of ['a', 'b', 'c']) expect(await eventsOf(id)).toEqual([])
      })

      test('leave no event behind once all of them are old, and their numbers go on', async () => {
        const { storage, chatOf, send } = await fresh()
        const chat = await chatOf('a', 'b')
        await send(chat, 'a')
        expect(await storage.events.purge(now + 1)).toBe(4)
        expect(await storage.events.range('a')).toEqual({ oldest: 3, newest: 2 })
        await send(chat, 'a', { created_at: now + 1 })
        expect((await storage.events.after('a', 0, 9)).map(({ seq }) => seq)).toEqual([3])
      })

      test('leave none of their old events behind, however many somebody has', async () => {
        const { storage, chatOf, send } = await fresh()
        const [first, second] = [await chatOf('a', 'b'), await chatOf('a', 'c')]
        for (let i = 0; i < 260; i++) for (const chat of [first, second]) await send(chat, 'a')
        await send(first, 'a', { created_at: now + 9 })
        // Each chat was an event of its own for both.
        expect(await storage.events.purge(now + 1)).toBe(4 + 4 * 260)
        expect(await storage.events.range('a')).toEqual({ oldest: 523, newest: 523 })
        expect(await storage.events.range('b')).toEqual({ oldest: 262, newest: 262 })
        expect(await storage.events.range('c')).toEqual({ oldest: 262, newest: 261 })
      })

      test('are moved down by no clock that was set back, however a message comes', async () => {
        const { chats, chatOf, send } = await fresh()
        const chat = await chatOf('a', 'b')
        await send(chat, 'a', { created_at: now + 5 })
        await send(chat, 'b', { created_at: now })
        await send(chat, 'a', { created_at: now + 1 }, 3)
        expect((await chats.byId(chat.id))!.last_msg_at).toBe(now + 5)
      })

      test('are listed by their last message, page by page, of one time in the order of bytes', async () => {
        const { chats, users, chatOf, send } = await fresh()
        const names = ['B', 'Z', '_', 'c2', 'ä', '-', 'd']
        await users(...names)
        for (const [i, name] of names.entries())
          await chatOf(...((name < 'a' ? [name, 'a'] : ['a', name]) as [string, string]), {
            id: ['a', 'B', 'Z', 'b', '_', '-', 'ä'][i]!,
          })
        const busy = (await chats.ofPair('a', 'd'))!
        await send(busy, 'd', { created_at: now + 5 })
        await send(busy, 'd', { created_at: now + 7, text: 'last' })
        await send(busy, 'a', { created_at: now - 5, text: 'the clock was set back' })
        const seen: string[] = []
        for (let after: { at: number; id: string } | null = null; ;) {
          const page = await chats.list('a', 3, after)
          if (page.length === 0) break
          seen.push(...page.map(({ chat }) => chat.id))
          const last = page.at(-1)!.chat
          after = { at: last.last_msg_at ?? last.created_at, id: last.id }
        }
        expect(seen).toEqual(['ä', 'b', 'a', '_', 'Z', 'B', '-'])
        const [entry] = await chats.list('a', 1, null)
        expect(entry).toEqual({
          chat: { ...busy, last_msg_at: now + 7 },
          last_message: (await chats.before(busy.id, 9, 1))[0]!,
          unread_count: 2,
          muted_until: null,
          both_wrote: true,
        })
        expect(entry!.last_message).toMatchObject({ seq: 3, text: 'the clock was set back' })
        expect(await chats.entries('a', [busy.id, 'nothing'])).toEqual([entry!])
        expect((await chats.entries('d', [busy.id]))[0]!.unread_count).toBe(1)
        expect((await chats.list('a', 9, null))[1]).toMatchObject({ last_message: null, unread_count: 0 })
        expect(await chats.entries('a', [])).toEqual([])
      })

      test('peers are the others of those chats in which both have written, but across a block', async () => {
        const { chats, users, chatOf, block, send } = await fresh()
        await users('d', 'e', 'f')
        for (const [one, other] of ['ab', 'bc', 'bd', 'be', 'ac', 'bf']) {
          const chat = await chatOf(one!, other!)
          if (other !== 'f') await send(chat, one!)
          if (one !== 'a' || other !== 'c') await send(chat, other!)
        }
        expect((await chats.peers('b', 100)).sort()).toEqual(['a', 'c', 'd', 'e'])
        await block('b', 'c')
        await block('d', 'b')
        expect((await chats.peers('b', 100)).sort()).toEqual(['a', 'e'])
        expect(await chats.peers('a', 100)).toEqual(['b'])
        expect(await chats.peers('f', 100)).toEqual([])
        expect(await chats.peers('nobody', 100)).toEqual([])
      })

      test('peers are looked for in the newest chats only, on whichever side of them one is', async () => {
        const { chats, users, chatOf, send } = await fresh()
        const names = ['d', 'e', 'f', 'g']
        await users(...names)
        for (const [i, other] of ['a', 'b', ...names].entries()) {
          const [one, two] = [other, 'c'].toSorted() as [string, string]
          const chat = await chatOf(one, two, { created_at: now + i })
          await send(chat, one, { created_at: now + 10 * i })
          // Of the newest one only this side is there.
          if (other !== 'g') await send(chat, two, { created_at: now + 10 * i })
        }
        expect((await chats.peers('c', 4)).sort()).toEqual(['d', 'e', 'f'])
        expect((await chats.peers('c', 6)).sort()).toEqual(['a', 'b', 'd', 'e', 'f'])
      })
    })

    describe('when users were last seen', () => {
      test('is the newest time noted, and none of who is erased', async () => {
        const { lastSeen, erase, rows } = await fresh()
        await lastSeen.note([
          { user_id: 'a', at: now },
          { user_id: 'b', at: now },
          { user_id: 'nobody', at: now },
        ])
        await lastSeen.note([{ user_id: 'a', at: now - 1 }])
        await lastSeen.note([{ user_id: 'b', at: now + 1 }])
        const all = ['a', 'b', 'c', 'nobody']
        expect([...(await lastSeen.of(all))].sort()).toEqual([
          ['a', now],
          ['b', now + 1],
        ])
        await erase('b')
        await lastSeen.note([{ user_id: 'b', at: now + 2 }])
        expect([...(await lastSeen.of(all))]).toEqual([['a', now]])
        expect(await rows(`SELECT user_id FROM last_seen WHERE at > ${now + 1}`)).toEqual([])
      })
    })

    describe('messages', () => {
      test('what both send at once is numbered without a gap, and both are told of it in that order', async () => {
        const { chats, chat, send, eventsOf, seqs } = await pair()
        const sent = await Promise.all(times(many, (i) => send(chat, i % 2 ? 'a' : 'b', { created_at: now + i })))
        const found = await chats.after(chat.id, 0, 100)
        expect(await seqs(chat)).toEqual(times(many, (i) => i + 1))
        const inOrder = found.map(({ id }, i) => [i + 2, 'message', id])
        for (const id of ['a', 'b']) expect((await eventsOf(id)).slice(1)).toEqual(inOrder)
        for (const one of sent) {
          const { message, created, events } = stored(one)
          expect(created).toBe(true)
          expect(found[message.seq - 1]).toEqual(message)
          expect(events).toEqual(
            [message.sender_id, message.sender_id === 'a' ? 'b' : 'a'].map((user_id) => ({
              user_id,
              seq: message.seq + 1,
            })),
          )
        }
        expect((await chats.byId(chat.id))!.last_msg_at).toBe(now + many - 1)
      })

      test('of several chats of one person at once, each counts for itself, and the events are one row', async () => {
        const { chatOf, send, eventsOf, seqs } = await fresh()
        const both = [await chatOf('a', 'b'), await chatOf('a', 'c'), await chatOf('b', 'c')]
        await Promise.all(
          times(60, (i) => {
            const chat = both[i % 3]!
            return send(chat, i % 2 ? chat.user_a : chat.user_b)
          }),
        )
        for (const chat of both) expect(await seqs(chat)).toEqual(times(20, (i) => i + 1))
        for (const id of ['a', 'b', 'c'])
          expect((await eventsOf(id)).map(([seq]) => seq)).toEqual(times(42, (i) => i + 1))
      })

      test('one client_id at once is one message, with one number and one event', async () => {
        const { chat, chatOf, send, eventsOf, seqs } = await pair()
        const answers = await Promise.all(times(many, () => send(chat, 'a', { client_id: 'same' })))
        expect(answers.filter((one) => stored(one).created)).toHaveLength(1)
        const { message } = stored(answers[0]!)
        for (const one of answers) expect(stored(one).message).toEqual(message)
        for (const one of answers) expect(stored(one).events).toHaveLength(stored(one).created ? 2 : 0)
        expect(stored(await send(chat, 'b', { client_id: 'same' })).message.seq).toBe(2)
        expect(stored(await send(chat, 'a', { client_id: 'other' })).message.seq).toBe(3)
        for (const id of ['a', 'b']) expect((await eventsOf(id)).map(([seq]) => seq)).toEqual([1, 2, 3, 4])
        expect(await seqs(chat)).toEqual([1, 2, 3])

        const other = await chatOf('a', 'c')
        const across = await Promise.all(times(20, (i) => send(i % 2 ? chat : other, 'a', { client_id: 'across' })))
        expect(new Set(across.map((one) => stored(one).message.id)).size).toBe(1)
        expect((await seqs(chat)).length + (await seqs(other)).length).toBe(4)
      })

      test('before there is an answer, no more than so many are stored, however many come at once', async () => {
        const { chat, send, seqs, eventsOf } = await pair()
        const answers = await Promise.all(times(many, (i) => send(chat, 'a', { client_id: `${i}` }, 3)))
        expect(answers.filter((one) => one === 'awaiting_reply')).toHaveLength(many - 3)
        expect(await seqs(chat)).toEqual([1, 2, 3])
        const first = stored(answers.find((one) => one !== 'awaiting_reply')!)
        expect(await send(chat, 'a', { client_id: first.message.client_id }, 3)).toEqual({
          message: first.message,
          created: false,
          events: [],
        })
        await send(chat, 'b', {}, 3)
        expect(stored(await send(chat, 'a', {}, 3)).message.seq).toBe(5)
        expect((await eventsOf('b')).map(([seq]) => seq)).toEqual([1, 2, 3, 4, 5, 6])
      })

      test('across a block nothing is stored, edited or marked, but what is one’s own can be removed', async () => {
        const { chats, chat, send, block, seqs, eventsOf } = await pair()
        const { message } = stored(await send(chat, 'a', { client_id: 'x' }))
        await block('b', 'a')
        for (const sender of ['a', 'b']) expect(await send(chat, sender)).toBe('blocked')
        expect(await send(chat, 'a', { client_id: 'x' })).toBe('blocked')
        expect(await chats.edit(chat, message.id, 'changed', now, 100)).toBe('blocked')
        expect(await chats.markRead(chat, 'b', now, null)).toEqual(noMark)
        expect(await chats.message(message.id)).toEqual(message)
        expect(await seqs(chat)).toEqual([1])
        expect(stored(await chats.remove(chat, message.id, now)).events).toHaveLength(2)
        expect(await eventsOf('b')).toHaveLength(3)
      })

      test('nobody writes to whom is erased, nor they to anybody, and nothing is kept for them', async () => {
        const { chats, chat, send, erase, seqs, eventsOf } = await pair()
        const { message } = stored(await send(chat, 'a', { client_id: 'x' }))
        const { message: other } = stored(await send(chat, 'a'))
        await erase('b')
        expect(await send(chat, 'a')).toBe('nobody_there')
        expect(await send(chat, 'a', { client_id: 'x' })).toBe('nobody_there')
        // Nor does who is erased: a request that was let in before may come to this after it.
        expect(await send(chat, 'b')).toBe('nobody_there')
        expect(await seqs(chat)).toEqual([1, 2])
        expect(stored(await chats.edit(chat, message.id, 'changed', now, 100)).events).toEqual([
          { user_id: 'a', seq: 4 },
        ])
        expect(stored(await chats.remove(chat, other.id, now)).events).toEqual([{ user_id: 'a', seq: 5 }])
        expect(await eventsOf('b')).toHaveLength(3)
      })

      test('a photo must be the sender’s, and is shown with its measures', async () => {
        const { chats, chat, send, upload, seqs, eventsOf } = await pair()
        const [own, other] = [await upload('a'), await upload('b')]
        for (const photo_id of [other.id, 'nothing'])
          expect(await send(chat, 'a', { kind: 'photo', photo_id, text: null })).toBe('no_such_photo')
        expect(await seqs(chat)).toEqual([])
        expect(await chats.byId(chat.id)).toEqual(chat)
        expect(await eventsOf('b')).toHaveLength(1)
        const { message } = stored(await send(chat, 'a', { kind: 'photo', photo_id: own.id, text: null }))
        expect(message).toMatchObject({
          seq: 1,
          photo_id: own.id,
          photo_width: 640,
          photo_height: 480,
          photo_placeholder: 'LKO2',
        })
        expect(await chats.message(message.id)).toEqual(message)
        expect((await chats.list('b', 1, null))[0]!.last_message).toEqual(message)
        const removed = stored(await chats.remove(chat, message.id, now + 1))
        expect(removed).toMatchObject({ photo_id: own.id, message: { photo_id: null, photo_width: null } })
        expect(await chats.message(message.id)).toEqual(removed.message)
      })

      test('an image that is sent while it is swept is either sent or swept', async () => {
        const { chats, chat, send, upload, media } = await pair()
        for (let i = 0; i < 20; i++) {
          const { id, file } = await upload('a')
          const [sent, swept] = await Promise.all([
            send(chat, 'a', { kind: 'photo', photo_id: id, text: null }),
            media.removeUnused([id]),
          ])
          expect(swept).toEqual(sent === 'no_such_photo' ? [file] : [])
          if (sent !== 'no_such_photo') expect((await chats.message(stored(sent).message.id))!.photo_width).toBe(640)
        }
      })

      test('are read in both directions, by number, and by id', async () => {
        const { chats, chat, chatOf, send } = await pair()
        const all = []
        for (let i = 0; i < 7; i++) all.push(stored(await send(chat, i % 2 ? 'a' : 'b')).message)
        const other = stored(await send(await chatOf('b', 'c'), 'c')).message
        expect(await chats.before(chat.id, Number.MAX_SAFE_INTEGER, 3)).toEqual(all.slice(4).reverse())
        expect(await chats.before(chat.id, 3, 9)).toEqual(all.slice(0, 2).reverse())
        expect(await chats.after(chat.id, 5, 9)).toEqual(all.slice(5))
        expect(await chats.after(chat.id, 0, 2)).toEqual(all.slice(0, 2))
        expect(await chats.message('nothing')).toBeNull()
        const found = await chats.messages([other.id, all[0]!.id, 'nothing', '{}'])
        expect(found.toSorted((x, y) => (x.id < y.id ? -1 : 1))).toEqual([all[0]!, other])
        expect(await chats.messages([])).toEqual([])
        expect(await chats.hasWritten(other.chat_id, 'c')).toBe(true)
        expect(await chats.hasWritten(other.chat_id, 'b')).toBe(false)
      })

      test('all text is kept as it is', async () => {
        const { chats, chat, send } = await pair()
        const text = 'quote \' " back \\ 🧉 combining é, right to left \u202e, {a,b}, $1, %s'
        const { message } = stored(await send(chat, 'a', { text, client_id: text }))
        expect(await chats.message(message.id)).toMatchObject({ text, client_id: text })
      })

      test('marking as read at once marks each once, and tells both once', async () => {
        const { chats, chat, send, eventsOf } = await pair()
        const sent = []
        for (let i = 0; i < 5; i++) sent.push(stored(await send(chat, 'a')).message)
        await send(chat, 'b')
        await chats.remove(chat, sent[4]!.id, now)
        const marks = await Promise.all(times(many, () => chats.markRead(chat, 'b', now + 9, null)))
        const those = marks.filter(({ count }) => count > 0)
        expect(those).toHaveLength(1)
        expect(those[0]).toMatchObject({ count: 4, last_read_message_id: sent[3]!.id })
        expect(those[0]!.events.map(({ user_id }) => user_id)).toEqual(['a', 'b'])
        for (const mark of marks) if (mark.count === 0) expect(mark).toEqual(noMark)
        const read = await chats.after(chat.id, 0, 9)
        expect(read.map(({ read_at }) => read_at !== null)).toEqual([true, true, true, true, false, false])
        expect((await eventsOf('a')).map(([seq]) => seq)).toEqual(times(9, (i) => i + 1))
        expect((await chats.entries('b', [chat.id]))[0]!.unread_count).toBe(0)
      })

      test('what is sent while it is read is marked, or stays unread, and is counted once', async () => {
        const { chats, chat, send } = await pair()
        const work = times(60, (i) =>
          i % 3 === 0 ? chats.markRead(chat, 'b', now, null).then(({ count }) => count) : send(chat, 'a').then(() => 0),
        )
        const marked = (await Promise.all(work)).reduce((sum, n) => sum + n, 0)
        expect(marked + (await chats.entries('b', [chat.id]))[0]!.unread_count).toBe(40)
        expect((await chats.markRead(chat, 'b', now, null)).count).toBe(40 - marked)
      })

      test('what is read up to different messages at once is marked once each, and counted exactly', async () => {
        const { chats, chat, send, eventsOf } = await pair()
        for (let i = 0; i < 30; i++) await send(chat, 'a')
        const work = times(30, (i) =>
          i % 3 === 0
            ? send(chat, 'a').then(() => 0)
            : chats.markRead(chat, 'b', now, ((i * 7) % 28) + 1).then(({ count }) => count),
        )
        const marked = (await Promise.all(work)).reduce((sum, n) => sum + n, 0)
        const rows = await chats.after(chat.id, 0, 100)
        expect(rows.filter(({ read_at }) => read_at !== null).map(({ seq }) => seq)).toEqual(
          times(marked, (i) => i + 1),
        )
        const unread = rows.length - marked
        expect((await chats.entries('b', [chat.id]))[0]!.unread_count).toBe(unread)
        expect(await chats.unreadTotal('b')).toBe(unread)
        expect((await chats.markRead(chat, 'b', now, null)).count).toBe(unread)
        expect(await chats.unreadTotal('b')).toBe(0)
        expect((await eventsOf('a')).map(([seq]) => seq)).toEqual((await eventsOf('b')).map(([seq]) => seq))
      })

      test('of edits at once each keeps what stood before it', async () => {
        const { chats, chat, send, rows, eventsOf } = await pair()
        const { message } = stored(await send(chat, 'a', { text: 'first' }))
        const edits = await Promise.all(times(20, (i) => chats.edit(chat, message.id, `text ${i}`, now, 100)))
        for (const [i, one] of edits.entries())
          expect(stored(one).message).toEqual({ ...message, text: `text ${i}`, edited_at: now })
        const kept = await rows('SELECT at, text FROM message_versions ORDER BY at')
        expect(kept.map(([at]) => Number(at))).toEqual(times(20, (i) => now + i))
        const last = (await chats.message(message.id))!.text
        expect([...kept.map(([, text]) => text), last].sort()).toEqual(
          ['first', ...times(20, (i) => `text ${i}`)].sort(),
        )
        expect((await eventsOf('b')).map(([seq]) => seq)).toEqual(times(22, (i) => i + 1))
      })

      test('of edits at once no more are stored than may be, and the others change nothing', async () => {
        const { chats, chat, send, rows, eventsOf } = await pair()
        const { message } = stored(await send(chat, 'a', { text: 'first' }))
        const { message: other } = stored(await send(chat, 'a', { text: 'other' }))
        const edits = await Promise.all(times(12, (i) => chats.edit(chat, message.id, `text ${i}`, now, 5)))
        expect(edits.filter((one) => one === 'edited_too_often')).toHaveLength(7)
        expect(await rows('SELECT at FROM message_versions')).toHaveLength(5)
        expect(await eventsOf('b')).toHaveLength(3 + 5)
        const last = await chats.message(message.id)
        expect(await chats.edit(chat, message.id, 'again', now, 5)).toBe('edited_too_often')
        expect(await chats.message(message.id)).toEqual(last)
        // It is counted message by message, and a removal is no edit.
        expect(stored(await chats.edit(chat, other.id, 'changed', now, 5)).message.text).toBe('changed')
        expect(stored(await chats.remove(chat, message.id, now)).message.text).toBeNull()
      })

      test('an edit and a removal at once: the removal stays, and happens once', async () => {
        const { chats, chat, send, rows } = await pair()
        for (let i = 0; i < 10; i++) {
          const { message } = stored(await send(chat, 'a', { text: 'secret' }))
          const [edited, ...removed] = await Promise.all([
            chats.edit(chat, message.id, 'changed', now, 100),
            ...times(4, () => chats.remove(chat, message.id, now)),
          ])
          expect(removed.filter((one) => one !== null)).toHaveLength(1)
          expect(await chats.message(message.id)).toMatchObject({ text: null, deleted_at: now })
          const versions = await rows(
            `SELECT text FROM message_versions WHERE message_id = ${quoted(message.id)} ORDER BY at`,
          )
          expect(versions.flat()).toEqual(edited === null ? ['secret'] : ['secret', 'changed'])
          expect(await chats.edit(chat, message.id, 'again', now, 100)).toBeNull()
        }
        expect(await chats.remove(chat, 'nothing', now)).toBeNull()
      })
    })

    describe('images', () => {
      test('are served for what shows them, and for nothing else', async () => {
        const { chats, media, chat, send, upload, run } = await pair()
        const image = await upload('a')
        const scopes = async () => {
          const shown = []
          for (const scope of ['upload', 'profile', 'message', 'report'])
            if ((await media.fileFor(image.id, scope))?.file === image.file) shown.push(scope)
          return shown
        }
        expect(await scopes()).toEqual(['upload'])
        await run(`UPDATE users SET photo = ${quoted(image.id)} WHERE id = 'a'`)
        expect(await scopes()).toEqual(['upload', 'profile'])
        await send(chat, 'a', { id: 'message', kind: 'photo', photo_id: image.id })
        expect(await scopes()).toEqual(['upload', 'profile', 'message'])
        await run(
          `INSERT INTO reports (id, target, target_id, reason, created_at) VALUES ('report', 'message', 'message', 'spam', 0)`,
        )
        await run(`INSERT INTO evidence_photos (report_id, media_id) VALUES ('report', ${quoted(image.id)})`)
        await chats.remove(chat, 'message', now)
        expect(await scopes()).toEqual(['upload', 'profile', 'report'])
        await run(`UPDATE users SET photo = NULL WHERE id = 'a'`)
        // As evidence alone it is for moderators alone.
        expect(await scopes()).toEqual(['report'])
        expect(await media.removeUnused([image.id])).toEqual([])
        await run('DELETE FROM evidence_photos')
        expect(await media.removeUnused([image.id, 'nothing'])).toEqual([image.file])
        expect(await scopes()).toEqual([])
      })

      test('are named by their files, and other files by none', async () => {
        const { media, upload } = await fresh()
        const [one, other] = [await upload('a'), await upload('b')]
        expect(await media.strayFiles([one.file, 'stray.webp', '{"', other.file])).toEqual(['stray.webp', '{"'])
        expect(await media.strayFiles([])).toEqual([])
      })

      test('are listed oldest first, page by page, with whether anything uses them', async () => {
        const { media, upload, run } = await fresh()
        for (const id of ['a', 'B', 'Z', 'b', '_', '-', 'ä']) await upload('a', { id })
        await upload('b', { id: 'older', created_at: -5 })
        await upload('b', { id: 'too new', created_at: now + 1 })
        await run(`UPDATE users SET photo = '_' WHERE id = 'a'`)
        const seen: { id: string; created_at: number; used: boolean }[] = []
        for (;;) {
          const page = await media.before(now + 1, seen.at(-1) ?? null, 3)
          if (page.length === 0) break
          seen.push(...page)
        }
        expect(seen.map(({ id }) => id)).toEqual(['older', '-', 'B', 'Z', '_', 'a', 'b', 'ä'])
        expect(seen.filter(({ used }) => used)).toEqual([{ id: '_', created_at: now, used: true }])
        expect(await media.removeUnused(seen.map(({ id }) => id))).toHaveLength(7)
      })

      test('of those who sweep one image at once, one gets its file', async () => {
        const { media, upload } = await fresh()
        const images = [await upload('a'), await upload('b'), await upload('a')]
        const ids = images.map(({ id }) => id)
        const swept = await Promise.all(times(20, (i) => media.removeUnused(i % 2 ? ids : ids.toReversed())))
        expect(swept.flat().sort()).toEqual(images.map(({ file }) => file).sort())
      })
    })
  })
}
