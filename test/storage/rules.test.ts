import { afterEach, describe, expect, test } from 'bun:test'
import { hasRoomForAnnouncement } from '../../src/features/announcements/rules.ts'
import { isLoginMethodValid, tellsOfNewDevice } from '../../src/features/auth/rules.ts'
import type { Session, LoginMethod } from '../../src/features/auth/store.ts'
import { changedPermission, type PermissionCause, type PermissionState } from '../../src/features/bot/rules.ts'
import { bankHasRoom } from '../../src/features/image-bank/rules.ts'
import { digestAddress, type DigestState } from '../../src/features/notifications/rules.ts'
import { canHide, historyOf, isFiled } from '../../src/features/safety/rules.ts'
import type { FiledReport } from '../../src/features/safety/store.ts'
import { hasRoomForTemplate } from '../../src/features/templates/rules.ts'
import { days, hours } from '../../src/lib/time.ts'
import type { NewParcel } from '../../src/outbox/store.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { engines, type Rows } from '../engines.ts'
import { now, person, times } from '../rows.ts'
import { endsEarlierLinks, givesAddress } from '../../src/features/email/rules.ts'
import { decidesAboutStaff, releaseVerdict } from '../../src/features/moderation/rules.ts'
import { dayOf, shownAt } from '../../src/features/reviews/rules.ts'

// The tables of rules that are decided inside a unit of work: what the rule says of a state, and that each engine does so.

const open: Storage[] = []
afterEach(async () => {
  for (const storage of open.splice(0)) await storage.close()
})

const when = { now, unreadBefore: now - 12 * hours, lastBefore: now - days }
const due: DigestState = {
  digest: 'daily',
  digest_at: null,
  email: 'ada@example.org',
  email_verified_at: 1,
  deleted_at: null,
  suspended_until: null,
  newest: now - 13 * hours,
}
const digests: [state: Partial<DigestState>, goes: boolean][] = [
  [{}, true],
  [{ digest: 'off' }, false],
  [{ digest_at: now - days + 1 }, false],
  [{ digest_at: now - days }, true],
  // The newest was in the last digest already, or came after what that one looked at.
  [{ digest_at: now - days, newest: now - days - 12 * hours }, false],
  [{ digest_at: now - days, newest: now - days - 12 * hours + 1 }, true],
  [{ email: null }, false],
  [{ email_verified_at: null }, false],
  [{ deleted_at: now }, false],
  [{ suspended_until: now }, true],
  [{ suspended_until: now + 1 }, false],
  [{ newest: null }, false],
]

type Devices = { agents: string[]; ended?: boolean; age?: number }
const newDevices: [before: Devices, tells: boolean][] = [
  [{ agents: [] }, false],
  [{ agents: ['other'] }, true],
  [{ agents: ['other', 'mine'] }, false],
  [{ agents: ['mine'], ended: true }, false],
  [{ agents: ['other'], ended: true }, true],
  [{ agents: times(10, (i) => `other ${i}`) }, true],
  [{ agents: times(11, (i) => `other ${i}`) }, false],
  [{ agents: times(11, (i) => `other ${i}`), ended: true }, false],
  [{ agents: times(11, (i) => `other ${i}`), age: days }, true],
]

type Named = Extract<LoginMethod, { kind: 'password' | 'messenger' }>
const account = { password_hash: 'a hash', messenger_id: '17' }
const loginMethods: [loginMethod: Named, letsIn: boolean][] = [
  [{ kind: 'password', password_hash: 'a hash' }, true],
  [{ kind: 'password', password_hash: 'an older hash' }, false],
  [{ kind: 'messenger', messenger_id: '17' }, true],
  [{ kind: 'messenger', messenger_id: '18' }, false],
]

type Known = { state: PermissionState; messenger_id: string } | null
const granted = (messenger_id = '17'): Known => ({ state: 'granted', messenger_id })
const permissions: [before: Known, cause: PermissionCause, after: { state: PermissionState; isNew: boolean } | null][] =
  [
    [null, 'start', { state: 'granted', isNew: true }],
    [null, 'forbidden', null],
    [granted(), 'start', { state: 'granted', isNew: false }],
    [granted(), 'stop', { state: 'stopped', isNew: true }],
    [granted(), 'forbidden', { state: 'refused', isNew: true }],
    [{ state: 'stopped', messenger_id: '17' }, 'init_data', { state: 'stopped', isNew: false }],
    // Of another account of the messenger.
    [{ state: 'stopped', messenger_id: '18' }, 'init_data', { state: 'granted', isNew: true }],
    [granted('18'), 'start', { state: 'granted', isNew: true }],
  ]

type Parties = { reporter: 'living' | 'gone' | null; subject: 'living' | 'gone' | null }
const filings: [parties: Parties, filed: boolean][] = [
  [{ reporter: 'living', subject: 'living' }, true],
  [{ reporter: 'living', subject: 'gone' }, true],
  [{ reporter: 'living', subject: null }, true],
  [{ reporter: 'gone', subject: 'living' }, false],
  [{ reporter: null, subject: 'living' }, true],
  [{ reporter: null, subject: 'gone' }, false],
  [{ reporter: null, subject: null }, true],
]

type Claim = { by: 'me' | 'other' | null; until: number | null }
const releases: [claim: Claim, outcome: ReturnType<typeof releaseVerdict>][] = [
  [{ by: null, until: null }, 'unclaimed'],
  [{ by: 'me', until: now + 1 }, 'release'],
  [{ by: 'me', until: now }, 'unclaimed'],
  [{ by: 'other', until: now + 1 }, 'claimed_by_other'],
  [{ by: 'other', until: now }, 'unclaimed'],
]

const quotas: [there: number, more: number, most: number, fits: boolean][] = [
  [0, 1, 1, true],
  [1, 1, 1, false],
  [2, 1, 3, true],
  [3, 1, 3, false],
]

describe('rules that engines call', () => {
  test.each(digests)('a digest with %j: %j', (state, goes) =>
    expect(digestAddress({ ...due, ...state }, when)).toBe(goes ? due.email : null),
  )
  test.each(newDevices)('a new device after %j is told of: %j', ({ agents, age = 0 }, tells) => {
    const agentsLately = age < days ? new Set(agents).size : 0
    const state = { isKnown: agents.includes('mine'), hadSessions: agents.length > 0, agentsLately }
    expect(tellsOfNewDevice(state)).toBe(tells)
  })
  test.each(loginMethods)('%j lets in: %j', (loginMethod, letsIn) =>
    expect(isLoginMethodValid(loginMethod, account)).toBe(letsIn),
  )
  test.each(permissions)('a permission %j after %s: %j', (before, cause, after) => {
    const changed = changedPermission(before && { ...before, changed_at: 1 }, { messenger_id: '17' }, cause, 2)
    expect(changed && { state: changed.state, isNew: changed.changed_at === 2 }).toEqual(after)
  })
  test.each(filings)('a report of %j is filed: %j', ({ reporter, subject }, filed) => {
    const parties = { reporter_id: reporter && `${reporter} reporter`, subject_id: subject && `${subject} subject` }
    expect(isFiled(parties, new Set(['living reporter', 'living subject']))).toBe(filed)
  })
  test.each(quotas)('of %d and %d more, %d at most: %j', (there, more, most, fits) => {
    expect(bankHasRoom({ there, more, most })).toBe(fits)
    expect(hasRoomForAnnouncement({ active: there, most })).toBe(fits)
    expect(hasRoomForTemplate({ there, most })).toBe(fits)
  })
  test.each(releases)('giving back a report with the claim %j: %s', ({ by, until }, outcome) =>
    expect(releaseVerdict({ claimed_by: by, claimed_until: until }, 'me', now)).toBe(outcome),
  )
  test('no report at all is nothing to give back', () => expect(releaseVerdict(null, 'me', now)).toBe('unclaimed'))
  test('cases about moderators and admins are for admins', () => {
    expect((['user', 'moderator', 'admin'] as const).filter(decidesAboutStaff)).toEqual(['admin'])
  })
  test('a new link ends the earlier ones of its kind, but for those that undo a change', () => {
    expect((['verify', 'reset', 'change', 'undo'] as const).map(endsEarlierLinks)).toEqual([true, true, true, false])
  })
  test('a link verifies the address that the account has, and changes any other', () => {
    const verify = { kind: 'verify', email: 'ada@example.org' } as const
    expect(givesAddress(verify, 'ada@example.org')).toBe(true)
    expect(givesAddress(verify, 'bob@example.org')).toBe(false)
    expect(givesAddress(verify, null)).toBe(false)
    expect(givesAddress({ ...verify, kind: 'change' }, 'bob@example.org')).toBe(true)
  })
  test('of an anonymous review others see the day', () => {
    const created_at = 3 * days + hours
    expect(shownAt({ anonymous: false, created_at })).toBe(created_at)
    expect(shownAt({ anonymous: true, created_at })).toBe(3 * days)
    expect(dayOf(created_at)).toBe(3)
  })
  test('a report by a person can hide, but for one of a review', () => {
    expect(canHide({ reporter_id: 'ada', target: 'user' })).toBe(true)
    expect(canHide({ reporter_id: 'ada', target: 'review' })).toBe(false)
    expect(canHide({ reporter_id: null, target: 'message' })).toBe(false)
  })
  test('a history counts what is decided, and what of it was dismissed', () => {
    const actions = ['dismiss', null, 'warn', 'dismiss'] as const
    expect(historyOf(actions.map((action) => ({ action })))).toEqual({ decided: 3, dismissed: 2 })
  })
})

const entry = () => ({
  id: Bun.randomUUIDv7(),
  at: now,
  actor_id: null,
  action: 'erase',
  subject_id: null,
  metadata: {},
})

const sessionOf = (user_id: string, user_agent: string, given: Partial<Session> = {}): Session => ({
  id: Bun.randomUUIDv7(),
  user_id,
  generation: 0,
  rotated_at: now,
  created_at: now,
  last_used_at: now,
  user_agent,
  ended_at: null,
  passkey_at: null,
  ...given,
})

for (const engine of engines) {
  describe.skipIf(engine.skipped !== null)(engine.skipped ? `${engine.name}, ${engine.skipped}` : engine.name, () => {
    async function fresh(): Promise<{ storage: Storage; rows: Rows }> {
      const { storage, rows } = await engine.open()
      open.push(storage)
      return { storage, rows }
    }

    test('sends digests as the rule says', async () => {
      const { storage, rows } = await fresh()
      const other = await person(storage)
      const expected: string[] = []
      for (const [given, goes] of digests) {
        const state = { ...due, ...given }
        const id = await person(storage)
        if (goes) expected.push(id)
        const preferences = await storage.notifications.preferences(id)
        await storage.notifications.savePreferences(id, { ...preferences, digest: state.digest })
        await rows('UPDATE notification_preferences SET digest_at = ? WHERE user_id = ?', state.digest_at, id)
        await rows(
          'UPDATE users SET email = ?, email_verified_at = ?, deleted_at = ?, suspended_until = ? WHERE id = ?',
          ...[state.email && `${id}@example.org`, state.email_verified_at, state.deleted_at, state.suspended_until, id],
        )
        const [user_a, user_b] = id < other ? [id, other] : [other, id]
        const ensured = await storage.chats.ensure({ id: Bun.randomUUIDv7(), user_a, user_b, created_at: 1 })
        if (state.newest === null || typeof ensured === 'string') continue
        const message = { id: Bun.randomUUIDv7(), chat_id: ensured.chat.id, sender_id: other, kind: 'text' as const }
        const content = { text: 'Hi', photo_id: null, client_id: null, created_at: state.newest }
        await rows('UPDATE users SET deleted_at = NULL WHERE id = ?', id)
        expect(await storage.chats.append({ ...message, ...content }, id, null)).toMatchObject({ created: true })
        await rows('UPDATE users SET deleted_at = ? WHERE id = ?', state.deleted_at, id)
      }
      const { candidates } = await storage.notifications.digests(when, '', 100)
      expect(candidates.map(({ user_id }) => user_id).sort()).toEqual(expected.sort())
    })

    test('sends a digest once, however many send it at once', async () => {
      const { storage } = await fresh()
      const id = await person(storage)
      const preferences = await storage.notifications.preferences(id)
      await storage.notifications.savePreferences(id, { ...preferences, digest: 'daily' })
      const payload = { about: 'digest' as const, to: 'ada@example.org', language: 'en' as const, user_id: id }
      const mail = (): NewParcel<'mail'> => ({
        id: Bun.randomUUIDv7(),
        kind: 'mail',
        user_id: id,
        payload: { ...payload, messages: 1, chats: 1 },
        created_at: now,
        due_at: now,
      })
      const send = (at: number) => storage.notifications.sendDigest(id, at, at - days, mail())
      expect((await Promise.all(times(4, () => send(now)))).filter(Boolean)).toHaveLength(1)
      expect(await send(now + days - 1)).toBe(false)
      expect(await send(now + days)).toBe(true)
      await storage.notifications.endDigest(id)
      expect(await send(now + 3 * days)).toBe(false)
    })

    test.each(newDevices)('tells of a new device as the rule says: %j, %j', async (before, tells) => {
      const { storage } = await fresh()
      const id = await person(storage)
      const given = { created_at: now - (before.age ?? 0), ended_at: before.ended ? now : null }
      for (const agent of before.agents) await storage.sessions.create(sessionOf(id, agent, given))
      const payload = { about: 'new_device' as const, to: 'ada@example.org', language: 'en' as const }
      const newDeviceMail: NewParcel<'mail'> = {
        id: Bun.randomUUIDv7(),
        kind: 'mail',
        user_id: id,
        payload: { ...payload, user_agent: 'mine', at: now },
        created_at: now,
        due_at: now,
      }
      expect(await storage.sessions.create(sessionOf(id, 'mine'), { newDeviceMail })).toBe(true)
      expect((await storage.outbox.ofUser(id)).map((parcel) => parcel.id)).toEqual(tells ? [newDeviceMail.id] : [])
    })

    test('lets in by what the account still has', async () => {
      const { storage } = await fresh()
      const id = await person(storage, account)
      for (const [loginMethod, letsIn] of loginMethods)
        expect([loginMethod, await storage.sessions.create(sessionOf(id, 'mine'), { loginMethod })]).toEqual([
          loginMethod,
          letsIn,
        ])
    })

    test.each(permissions)(
      'keeps the permission of the bot as the rule says: %j, %s, %j',
      async (before, cause, after) => {
        const { storage, rows } = await fresh()
        const id = await person(storage, { messenger_id: '17' })
        if (before)
          await rows(
            'INSERT INTO bot_permissions (user_id, messenger_id, language, state, changed_at) VALUES (?, ?, ?, ?, ?)',
            ...[id, before.messenger_id, 'en', before.state, 1],
          )
        await storage.bot.note(id, { messenger_id: '17', language: 'en' }, cause, 2)
        const [stored] = await rows('SELECT state, changed_at FROM bot_permissions WHERE user_id = ?', id)
        expect(stored && { state: stored.state, isNew: Number(stored.changed_at) === 2 }).toEqual(after ?? undefined)
      },
    )

    test.each(filings)('files a report as the rule says: %j, %j', async ({ reporter, subject }, filed) => {
      const { storage, rows } = await fresh()
      const partyOf = async (state: 'living' | 'gone' | null) => {
        if (state === null) return null
        const id = await person(storage)
        if (state === 'gone') await rows('UPDATE users SET deleted_at = ? WHERE id = ?', now, id)
        return id
      }
      const target_id = Bun.randomUUIDv7()
      const [a, b] = [await person(storage), await person(storage)]
      const [user_a, user_b] = a < b ? [a, b] : [b, a]
      const chat = { id: Bun.randomUUIDv7(), user_a, user_b, created_at: now }
      await storage.chats.ensure(chat)
      const message = {
        id: target_id,
        chat_id: chat.id,
        sender_id: a,
        kind: 'text' as const,
        text: 'Hi',
        photo_id: null,
      }
      await storage.chats.append({ ...message, client_id: null, created_at: now }, b, null)
      const report: FiledReport = {
        id: Bun.randomUUIDv7(),
        reporter_id: await partyOf(reporter),
        target: 'message',
        target_id,
        subject_id: await partyOf(subject),
        reason: 'spam',
        details: null,
        created_at: now,
      }
      expect((await storage.reports.file(report, 0)) !== null).toBe(filed)
    })

    test('gives back reports as the rule says', async () => {
      const { storage, rows } = await fresh()
      const ids = { me: await person(storage), other: await person(storage) }
      for (const [{ by, until }, outcome] of releases) {
        const subject_id = await person(storage)
        const id = Bun.randomUUIDv7()
        const about = { target: 'user' as const, target_id: subject_id, subject_id, reason: 'spam' as const }
        await storage.reports.file({ id, reporter_id: ids.other, ...about, details: null, created_at: now }, 0)
        await rows('UPDATE reports SET claimed_by = ?, claimed_until = ? WHERE id = ?', by && ids[by], until, id)
        expect([by, until, await storage.queue.release(id, ids.me, now)]).toEqual([
          by,
          until,
          outcome !== 'claimed_by_other',
        ])
        const [left] = await rows('SELECT claimed_by FROM reports WHERE id = ?', id)
        expect([by, until, left?.claimed_by]).toEqual([by, until, outcome === 'release' ? null : by && ids[by]])
      }
    })

    test.each(quotas)('of %d and %d more, %d at most, the last is stored: %j', async (there, more, most, fits) => {
      const { storage } = await fresh()
      const { announcements, templates, imageBank } = storage
      const id = () => Bun.randomUUIDv7()
      const outcomes: string[] = []
      const hash = (i: number) => i.toString(16).padStart(64, '0')
      for (let i = 0; i < there + more; i++) {
        const limit = i < there ? 100 : most
        const text = { text: 'Hello', created_at: now }
        const banned = {
          id: id(),
          hash: hash(i),
          distance: null,
          reason: 'spam',
          report_id: null,
          added_by: null,
          created_at: now,
        }
        const added = [
          await announcements.add({ id: id(), until: null, ...text }, limit, entry()),
          await templates.add({ id: id(), name: `Template ${i}`, language: 'en', ...text }, limit, entry()),
          await imageBank.add([banned], limit, entry()),
        ]
        if (i >= there) outcomes.push(...added)
      }
      expect(new Set(outcomes)).toEqual(new Set([fits ? 'added' : 'full']))
    })
  })
}
