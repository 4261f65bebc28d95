import { describe, expect, test } from 'bun:test'
import {
  type ChatMoment,
  defaultPreferences,
  isQuiet,
  isTimeZone,
  type Moment,
  notificationVerdict,
  type Recipient,
  tagOf,
} from '../../src/features/notifications/rules.ts'
import { wordsOf } from '../../src/features/notifications/texts.ts'

const id = '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11'
const at = (time: string) => Date.parse(time)

describe('quiet hours', () => {
  const berlin = (from: number, to: number) => ({ from: from * 60, to: to * 60, time_zone: 'Europe/Berlin' })

  test('go over midnight, begin with their first minute and end before their last', () => {
    const night = berlin(22, 8)
    // Winter time: an hour before UTC.
    for (const [time, quiet] of [
      ['2026-01-10T20:59:59Z', false],
      ['2026-01-10T21:00:00Z', true],
      ['2026-01-11T00:30:00Z', true],
      ['2026-01-11T06:59:59Z', true],
      ['2026-01-11T07:00:00Z', false],
    ] as const)
      expect([time, isQuiet(night, at(time))]).toEqual([time, quiet])
    expect(isQuiet(berlin(9, 17), at('2026-01-10T12:00:00Z'))).toBe(true)
    expect(isQuiet(berlin(9, 17), at('2026-01-10T18:00:00Z'))).toBe(false)
    expect(isQuiet(null, at('2026-01-10T00:00:00Z'))).toBe(false)
  })

  test('follow summer time, on the nights of the change too', () => {
    const night = berlin(22, 8)
    expect(isQuiet(night, at('2026-07-10T20:00:00Z'))).toBe(true)
    expect(isQuiet(night, at('2026-07-10T06:00:00Z'))).toBe(false)
    // On 29 March 2026 clocks go from 2:00 to 3:00: quiet from 2:00 to 3:00 is none that night.
    const lost = berlin(2, 3)
    for (let minute = 0; minute < 24 * 60; minute += 15)
      expect(isQuiet(lost, at('2026-03-28T23:00:00Z') + minute * 60_000)).toBe(false)
    // On 25 October 2026 the hour from 2:00 to 3:00 comes twice: quiet both times.
    expect(isQuiet(lost, at('2026-10-25T00:30:00Z'))).toBe(true)
    expect(isQuiet(lost, at('2026-10-25T01:30:00Z'))).toBe(true)
    expect(isQuiet(lost, at('2026-10-25T02:00:00Z'))).toBe(false)
  })

  test('are of zones that there are', () => {
    for (const zone of ['Europe/Berlin', 'Asia/Kathmandu', 'Etc/UTC', 'UTC'])
      expect([zone, isTimeZone(zone)]).toEqual([zone, true])
    for (const zone of ['Europe/Atlantis', '+02:00', '', 'Europe/Berlin\0', 'x'.repeat(100)])
      expect([zone, isTimeZone(zone)]).toEqual([zone, false])
    // Half and quarter hours.
    const quiet = { from: 0, to: 30, time_zone: 'Asia/Kathmandu' }
    expect(isQuiet(quiet, at('2026-01-10T18:20:00Z'))).toBe(true)
    expect(isQuiet(quiet, at('2026-01-10T18:10:00Z'))).toBe(false)
  })
})

describe('the verdict', () => {
  const recipient: Recipient = {
    erased: false,
    suspended: false,
    gate: null,
    preferences: defaultPreferences,
    foreground: false,
  }
  const chat: NonNullable<ChatMoment> = {
    blocked: false,
    otherErased: false,
    otherSuspended: false,
    mutedUntil: null,
    newest: { id },
    isEmpty: false,
  }
  const now = at('2026-01-10T12:00:00Z')
  const about = (given: object, who: Partial<Recipient> = {}) =>
    notificationVerdict({ now, recipient: { ...recipient, ...who }, ...given } as Moment)
  const message = (given: object | null, who: Partial<Recipient> = {}) =>
    about({ about: 'message', chat: given && { ...chat, ...given } }, who)
  const prefers = (given: object) => ({ preferences: { ...defaultPreferences, ...given } })
  const noon = { from: 11 * 60, to: 13 * 60, time_zone: 'UTC' }

  test('shows what may be read, leaves what is unwelcome and takes back what may not be seen', () => {
    const shows = { show: 'message' as const }
    expect(message({})).toEqual(shows)
    expect(message({ mutedUntil: now })).toEqual(shows)
    for (const who of [{ foreground: true }, prefers({ messages: false }), prefers({ quiet: noon })])
      expect(message({}, who)).toBe('leave')
    expect(message({ mutedUntil: now + 1 })).toBe('leave')
    for (const who of [
      { erased: true },
      { suspended: true },
      { gate: 'consents' as const },
      { gate: 'email' as const },
    ])
      expect(message({}, who)).toBe('take_back')
    for (const given of [{ blocked: true }, { otherErased: true }, { otherSuspended: true }, { newest: null }])
      expect(message(given)).toBe('take_back')
    expect(message(null)).toBe('take_back')
    // What may not be seen goes although nothing would be sent.
    expect(message({ newest: null }, { foreground: true })).toBe('take_back')
    expect(message({ blocked: true, mutedUntil: now + 1 }, prefers({ quiet: noon }))).toBe('take_back')
  })

  test('a new chat is told of until it is read, and as its first message by who wants these', () => {
    const newChat = (given: object, who?: Partial<Recipient>) =>
      about({ about: 'chat', chat: { ...chat, ...given } }, who)
    const empty = { newest: null, isEmpty: true }
    expect(newChat(empty)).toEqual({ show: 'chat' })
    expect(newChat(empty, prefers({ chats: false }))).toBe('leave')
    expect(newChat(empty, prefers({ messages: false }))).toEqual({ show: 'chat' })
    expect(newChat({})).toEqual({ show: 'message' })
    expect(newChat({}, prefers({ messages: false }))).toEqual({ show: 'chat' })
    expect(newChat({ newest: null })).toBe('take_back')
    expect(message(empty)).toBe('take_back')
  })

  test('notices are always told, even to the suspended, but not into the open app', () => {
    const notice = (who: Partial<Recipient>, exists = true) => about({ about: 'notice', exists }, who)
    const all = prefers({ messages: false, chats: false, reviews: false, quiet: noon })
    for (const who of [{}, { suspended: true }, { gate: 'consents' as const }, all])
      expect(notice(who)).toEqual({ show: 'notice' })
    expect(notice({ foreground: true })).toBe('leave')
    for (const who of [{ erased: true }, { gate: 'email' as const }]) expect(notice(who)).toBe('take_back')
    expect(notice({}, false)).toBe('take_back')
  })

  test('reviews and reports', () => {
    expect(about({ about: 'review', exists: true })).toEqual({ show: 'review' })
    expect(about({ about: 'review', exists: true }, prefers({ reviews: false }))).toBe('leave')
    expect(about({ about: 'review', exists: false })).toBe('take_back')
    expect(about({ about: 'report', open: 2, isModerator: true })).toEqual({ show: 'report' })
    expect(about({ about: 'report', open: 0, isModerator: true })).toBe('take_back')
    expect(about({ about: 'report', open: 2, isModerator: false })).toBe('take_back')
  })
})

test('tags have 64 characters at most, and tell chats apart', () => {
  for (const occasion of [
    { about: 'message' as const, chat_id: id },
    { about: 'review' as const, review_id: id },
    { about: 'notice' as const, notice_id: id },
    { about: 'report' as const },
  ])
    expect(tagOf(occasion).length).toBeLessThanOrEqual(64)
  expect(tagOf({ about: 'message', chat_id: id })).toBe(tagOf({ about: 'chat', chat_id: id }))
})

test('what a device shows is short, and says no more than the preview allows', () => {
  const said = { about: 'message' as const, name: 'Ada', kind: 'text' as const, text: `${'😀'.repeat(300)}\n\nend` }
  expect(wordsOf(said, 'none', 'en', 'Convene')).toEqual({ title: 'Convene', body: 'New message' })
  expect(wordsOf(said, 'name', 'en', 'Convene')).toEqual({ title: 'Convene', body: 'Ada sent a message' })
  const { title, body } = wordsOf(said, 'full', 'en', 'Convene')
  expect([title, [...body].length, body.endsWith('😀…')]).toEqual(['Ada', 200, true])
  expect(wordsOf({ ...said, kind: 'photo', text: null }, 'full', 'ru', 'Convene')).toEqual({
    title: 'Ada',
    body: 'Фото',
  })
  expect(wordsOf({ about: 'chat', name: 'Ada' }, 'none', 'en', 'Convene').body).toBe('New chat')
})
