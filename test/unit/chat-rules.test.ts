import { describe, expect, test } from 'bun:test'
import {
  afterReading,
  asStored,
  editVerdict,
  marksRead,
  noPhoto,
  type SendRefusal,
  type SendState,
  sendVerdict,
  startVerdict,
  unreadWithout,
  versionTime,
} from '../../src/features/chats/rules.ts'

// The decisions of chats by their tables. That both engines follow them is tested in test/storage/chats.test.ts.

const sent = { id: 'first', chat_id: 'chat', sender_id: 'ada', kind: 'text', text: 'Hi', photo_id: null } as const
const first = asStored({ ...sent, client_id: 'one', created_at: 1 }, 1, noPhoto)

/** Nothing speaks against it. */
const free: SendState = {
  blocked: false,
  erased: false,
  untilReply: null,
  sent: 0,
  answered: false,
  first: null,
  photo: noPhoto,
}
const guarded = { untilReply: 3, sent: 3 }
const noPhotoOfTheirs = { photo: null }

const sends: [given: Partial<SendState>, verdict: 'send' | 'repeated' | SendRefusal][] = [
  [{}, 'send'],
  [{ first }, 'repeated'],
  [{ blocked: true }, 'blocked'],
  [guarded, 'awaiting_reply'],
  [{ ...guarded, sent: 2 }, 'send'],
  [{ ...guarded, answered: true }, 'send'],
  [{ ...guarded, untilReply: null }, 'send'],
  [{ ...guarded, first }, 'repeated'],
  [{ erased: true }, 'nobody_there'],
  [noPhotoOfTheirs, 'no_such_photo'],
  // Of several reasons the first one counts.
  [{ blocked: true, ...guarded, erased: true, ...noPhotoOfTheirs, first }, 'blocked'],
  [{ ...guarded, erased: true, ...noPhotoOfTheirs }, 'awaiting_reply'],
  [{ ...guarded, erased: true, ...noPhotoOfTheirs, first }, 'repeated'],
  [{ erased: true, ...noPhotoOfTheirs, first }, 'nobody_there'],
  [{ ...noPhotoOfTheirs, first }, 'no_such_photo'],
]

test.each(sends)('a send with %j: %s', (given, outcome) => {
  const verdict = sendVerdict({ ...free, ...given })
  expect(verdict.is === 'refused' ? verdict.why : verdict.is).toBe(outcome)
  if (verdict.is === 'repeated') expect(verdict.message).toBe(first)
})

test.each([
  [{ erased: false, blocked: false }, null],
  [{ erased: false, blocked: true }, 'blocked'],
  [{ erased: true, blocked: false }, 'gone'],
  [{ erased: true, blocked: true }, 'gone'],
] as const)('a new chat with %j: %j', (state, verdict) => expect(startVerdict(state)).toBe(verdict))

test.each([
  [{ blocked: false, versions: 0 }, null],
  [{ blocked: false, versions: 99 }, null],
  [{ blocked: false, versions: 100 }, 'edited_too_often'],
  [{ blocked: true, versions: 0 }, 'blocked'],
  [{ blocked: true, versions: 100 }, 'blocked'],
  [{ blocked: false, versions: 0, onlyHeld: true }, 'arrived'],
  [{ blocked: false, versions: 0, onlyHeld: true, held: true }, null],
  [{ blocked: false, versions: 100, onlyHeld: true, held: true }, 'edited_too_often'],
] as const)('an edit with %j: %j', (state, verdict) =>
  expect(editVerdict({ held: false, onlyHeld: false, maxVersions: 100, ...state })).toBe(verdict),
)

describe('reading', () => {
  test.each([
    [{ blocked: false, unread: 1 }, true],
    [{ blocked: false, unread: 0 }, false],
    [{ blocked: true, unread: 1 }, false],
  ])('with %j marks messages: %j', (state, marks) => expect(marksRead(state)).toBe(marks))

  test.each([
    ['everything leaves nothing', null, 5, { unread: 0, read_to: 9 }],
    ['everything leaves nothing, even where the count was too high', null, 3, { unread: 0, read_to: 9 }],
    ['up to a message leaves those after it', 6, 2, { unread: 3, read_to: 6 }],
  ] as const)('%s', (_, upTo, count, left) =>
    expect(afterReading({ unread: 5, last_seq: 9 }, { upTo, count })).toEqual(left),
  )
})

describe('a message that goes', () => {
  const chat = { user_a: 'a', user_b: 'b', unread_a: 2, unread_b: 3, read_to_a: 4, read_to_b: 4 }
  test.each([
    ['is unread no more', { sender_id: 'b', seq: 5, read_at: null }, { unread_a: 1, unread_b: 3 }],
    ['is counted for its reader alone', { sender_id: 'a', seq: 5, read_at: null }, { unread_a: 2, unread_b: 2 }],
    ['was read', { sender_id: 'b', seq: 5, read_at: 1 }, { unread_a: 2, unread_b: 3 }],
    ['is older than what was read', { sender_id: 'b', seq: 4, read_at: null }, { unread_a: 2, unread_b: 3 }],
  ])('%s', (_, message, left) => expect(unreadWithout(message, chat)).toEqual(left))

  test('never makes a count negative', () =>
    expect(unreadWithout({ sender_id: 'b', seq: 5, read_at: null }, { ...chat, unread_a: 0 }).unread_a).toBe(0))
})

test('versions of a message have times of their own', () => {
  expect(versionTime(5, null)).toBe(5)
  expect(versionTime(5, 4)).toBe(5)
  expect(versionTime(5, 5)).toBe(6)
  expect(versionTime(5, 7)).toBe(8)
})
