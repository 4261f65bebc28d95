import { describe, expect, test } from 'bun:test'
import { editVerdict, tombstone, unreadWithout, versionTime } from '../../src/features/chats/rules.ts'
import type { Message } from '../../src/features/chats/store.ts'
import { isStillDue } from '../../src/features/moderation/rules.ts'
import { averageRating } from '../../src/features/reviews/rules.ts'
import { evidenceOf, photosOf, subjectOf, withPhotos } from '../../src/features/safety/rules.ts'

const message = (id: string, given: Partial<Message> = {}): Message => ({
  id,
  chat_id: 'chat',
  seq: 1,
  sender_id: 'ada',
  kind: 'text',
  text: id,
  photo_id: null,
  photo_width: null,
  photo_height: null,
  photo_placeholder: null,
  client_id: `client-${id}`,
  read_at: null,
  edited_at: null,
  deleted_at: null,
  created_at: 1,
  caution: null,
  ...given,
})
const photo = (id: string, photo_id: string) =>
  message(id, { kind: 'photo', photo_id, photo_width: 4, photo_height: 3, photo_placeholder: 'x' })

describe('messages', () => {
  test('a tombstone has the place of the message, and nothing of what it said', () => {
    const { text, photo_id, photo_width, photo_height, photo_placeholder, deleted_at, ...place } = tombstone(
      photo('m', 'p'),
      9,
    )
    expect([text, photo_id, photo_width, photo_height, photo_placeholder, deleted_at]).toEqual([
      null,
      null,
      null,
      null,
      null,
      9,
    ])
    expect(place).toMatchObject({ id: 'm', chat_id: 'chat', seq: 1, sender_id: 'ada', kind: 'photo', created_at: 1 })
  })

  test('of two versions within a millisecond the later one takes the next free time', () => {
    expect([versionTime(5, null), versionTime(5, 4), versionTime(5, 5), versionTime(5, 8)]).toEqual([5, 5, 6, 9])
  })

  test('a block refuses an edit before the number of versions does', () => {
    const state = { blocked: false, held: false, onlyHeld: false, versions: 1, maxVersions: 2 }
    expect(editVerdict(state)).toBeNull()
    expect(editVerdict({ ...state, versions: 2 })).toBe('edited_too_often')
    expect(editVerdict({ ...state, versions: 2, blocked: true })).toBe('blocked')
  })

  test('only the other member has one message less to read, and only if it was unread', () => {
    const chat = { user_a: 'ada', user_b: 'bob', unread_a: 2, unread_b: 3, read_to_a: 4, read_to_b: 4 }
    const removed = (given: Partial<Message>, of = chat) => {
      const { unread_a, unread_b } = unreadWithout(message('m', { seq: 5, ...given }), of)
      return [unread_a, unread_b]
    }
    expect(removed({})).toEqual([2, 2])
    expect(removed({ sender_id: 'bob' })).toEqual([1, 3])
    expect(removed({ seq: 4 })).toEqual([2, 3])
    expect(removed({ read_at: 1 })).toEqual([2, 3])
    expect(removed({}, { ...chat, unread_b: 0 })).toEqual([2, 0])
  })
})

test('an average has two decimals, half up, and there is none of no ratings', () => {
  const averages = [
    [0, 0],
    [5, 1],
    [13, 3],
    [14, 3],
    [9, 8],
    [801, 800],
  ].map(([sum, count]) => averageRating(sum!, count!))
  expect(averages).toEqual([null, 5, 4.33, 4.67, 1.13, 1])
})

describe('evidence', () => {
  const nothing = { talk: [], versions: [], review: null, user: null }
  const review = {
    id: 'r',
    chat_id: 'chat',
    reviewer_id: 'ada',
    reviewed_id: 'bob',
    rating: 1,
    anonymous: true,
    text: null,
    created_at: 1,
  }

  test('of a message has those before and after it, and nobody’s client_id', () => {
    const talk = ['a', 'b', 'c', 'd'].map((id) => message(id))
    const evidence = evidenceOf({ target: 'message', target_id: 'c' }, { ...nothing, talk })!
    const ids = (messages: readonly Message[]) => messages.map(({ id }) => id)
    expect([ids(evidence.before), evidence.message?.id, ids(evidence.after)]).toEqual([['a', 'b'], 'c', ['d']])
    expect(JSON.stringify(evidence)).not.toContain('client-')
  })

  test('is none where the target has gone', () => {
    expect(evidenceOf({ target: 'message', target_id: 'c' }, nothing)).toBeNull()
    expect(evidenceOf({ target: 'user', target_id: 'ada' }, nothing)).toBeNull()
    expect(evidenceOf({ target: 'review', target_id: 'r' }, nothing)).toBeNull()
    expect(evidenceOf({ target: 'review', target_id: 'r' }, { ...nothing, review })).toMatchObject({ review })
  })

  test('lists each photo once, and describes only those that are there', () => {
    const talk = [photo('a', 'p'), photo('b', 'q'), photo('c', 'p'), message('d')]
    const evidence = evidenceOf({ target: 'message', target_id: 'b' }, { ...nothing, talk })!
    expect(photosOf(evidence).sort()).toEqual(['p', 'q'])
    const shown = withPhotos(evidence, new Set(['p']))
    expect(shown.before[0]).toMatchObject({ photo_id: 'p', photo_width: 4 })
    expect(shown.message).toMatchObject({ photo_id: 'q', photo_width: null, photo_placeholder: null })
  })

  test('of a review names its author as it is known now', () => {
    expect(subjectOf({ subject_id: 'ada' }, { review: { ...review, reviewer_id: null } })).toBeNull()
    expect(subjectOf({ subject_id: 'ada' }, { review: null })).toBe('ada')
  })
})

test('a decision is due as long as what it settles is open and what it lifts is the same suspension', () => {
  const appeal = { id: 'a', resolved_by: 'mod', status: 'upheld', note: '' } as const
  const lift = { user_id: 'ada', suspension_id: 's' }
  const now = {
    appeal: { status: 'open' },
    suspended: { suspended_until: 9, suspension_id: 's' },
  } as const
  expect(isStillDue({ appeal, lift }, now)).toBe(true)
  expect(isStillDue({}, { appeal: null, suspended: null })).toBe(true)
  expect(isStillDue({ appeal }, { ...now, appeal: { status: 'rejected' } })).toBe(false)
  expect(isStillDue({ lift }, { ...now, suspended: { suspended_until: 9, suspension_id: 't' } })).toBe(false)
  expect(isStillDue({ lift }, { ...now, suspended: { suspended_until: null, suspension_id: 's' } })).toBe(false)
})
