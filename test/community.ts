import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { operator } from '../src/features/moderation/moderators.ts'
import { password, type Person, testApp } from './app.ts'
import { granted } from './rows.ts'

export const botToken = '12345678:the-bot-of-these-tests'
export const metricsToken = 'the-token-of-the-metrics'
/** What a rule holds, where there is one. */
export const heldWord = 'heldword'

export const unknown = '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11'

/** Where everybody here really is. To nobody but the server, which keeps it from everybody. */
export const truth = { latitude: 52.516312345, longitude: 13.377712345 }

const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

export function imageForm(): FormData {
  const form = new FormData()
  form.append('file', new Blob([pixel]), 'photo.gif')
  return form
}

export type Community = Awaited<ReturnType<typeof community>>

/**
 * People who know each other, and what they did to each other: chats with messages and photos, reviews, blocks, reports,
 * notices and appeals. `restore` brings all of it back as it was.
 */
export async function community(options: Parameters<typeof testApp>[1] = {}, { holds = false } = {}) {
  const app = await testApp({ MESSENGER_BOT_TOKEN: botToken, METRICS_TOKEN: metricsToken }, options)
  const { services, dataDir } = app

  const [ada, bob, cleo, dan, eve, ivy, mo, nora, sue, tom] = await Promise.all([
    app.person('Ada'),
    app.person('Bob'),
    app.person('Cleo'),
    app.person('Dan'),
    app.person('Eve'),
    app.person('Ivy'),
    app.person('Mo'),
    app.person('Nora'),
    app.person('Sue'),
    app.person('Tom'),
  ])
  const people = [ada, bob, cleo, dan, eve, ivy, mo, nora, sue, tom]
  await services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))

  /** What belongs into the answers to its owner alone, or nowhere. */
  const secrets = new Map<Person, Record<string, string>>()
  for (const [i, person] of people.entries()) {
    const phone = `+4930555010${i}`
    const messenger_id = `70010020${i}`
    await app.rows('UPDATE users SET phone = ?, messenger_id = ? WHERE id = ?', phone, messenger_id, person.id)
    const { email, token, refresh } = person
    secrets.set(person, { email, phone, messenger_id, token, refresh, client_id: clientIdOf(person) })
    // Nora is found nowhere, so that she is named only where somebody has to do with her.
    if (person !== nora) await person.put('me/location', truth)
  }

  async function upload(person: Person) {
    return (await person.post('media', imageForm())).body as { id: string; url: string }
  }

  const profilePhotos = new Map<Person, { id: string; url: string }>()

  /** What others see of somebody, but for the name. */
  async function introduce(person: Person) {
    const photo = (await upload(person)).id
    profilePhotos.set(person, { id: photo, url: services.media.profilePhoto(photo).photo! })
    await person.put('me', { bio: `Bio of ${person.name}`, city: `City of ${person.name}`, photo })
    await person.put('me/prefs', { drinks: [`Tea of ${person.name}`], language: 'cy' })
  }

  async function talk(one: Person, other: Person) {
    const chat = (await one.post('chats', { user_id: other.id })).body.id as string
    const say = async (from: Person) =>
      (await from.post(`chats/${chat}/messages`, { text: `${from.name} says`, client_id: clientIdOf(from) + chat }))
        .body.id as string
    return { id: chat, ofOne: await say(one), ofOther: await say(other) }
  }

  for (const person of [ada, bob, dan]) await introduce(person)
  const chats = { bob: await talk(ada, bob), dan: await talk(ada, dan), sue: await talk(ada, sue) }
  const show = async (chat: string) =>
    (await ada.post(`chats/${chat}/messages`, { kind: 'photo', photo: (await upload(ada)).id })).body as {
      id: string
      photo: { id: string; url: string }
    }
  const photos = { bob: await show(chats.bob.id), dan: await show(chats.dan.id) }
  const spare = await upload(ada)

  /** Messages that a rule holds, by who sent them: of Ada and Dan to each other. */
  const held = new Map<Person, { id: string; photo: { id: string } }>()
  if (holds) {
    const match = { type: 'words' as const, words: [heldWord] }
    const rule = { name: 'Held', on: true, applies_to: ['message' as const], match, action: 'hold' as const }
    await services.filter.replaceAll(operator, [rule])
    for (const person of [ada, dan]) {
      const body = { kind: 'photo', photo: (await upload(person)).id, text: `${heldWord} of ${person.name}` }
      held.set(person, (await person.post(`chats/${chats.dan.id}/messages`, body)).body)
    }
  }

  const written = async (by: Person, of: Person, anonymous: boolean) =>
    (await by.post('reviews', { chat_id: (await talk(by, of)).id, rating: 4, anonymous, text: 'Good company' })).body
      .id as string
  const reviews = {
    ada: await written(tom, ada, false),
    dan: await written(tom, dan, false),
    bob: await written(nora, bob, true),
    ivy: [await written(ada, ivy, false), await written(dan, ivy, false)],
  }

  const blocks = {
    dan: (await ada.post('blocks', { user_id: dan.id })).body.id as string,
    eve: (await ada.post('blocks', { user_id: eve.id })).body.id as string,
  }

  const report = async (by: Person, body: object) =>
    (await by.post('reports', { reason: 'other', ...body })).body.id as string
  const reports = {
    message: await report(ada, { message_id: chats.bob.ofOther }),
    review: await report(bob, { review_id: reviews.bob }),
  }
  const warned = await report(bob, { user_id: ada.id })
  await mo.post(`admin/reports/${warned}/resolve`, { action: 'warn', note: 'Be kind.' })
  const notice = (await ada.get('me/notices')).body.items[0].id as string
  for (const person of [sue, tom]) await mo.post(`admin/users/${person.id}/suspend`, { reason: 'Insults.' })
  const toms = (await tom.get('me/notices')).body.items[0].id as string
  const appeal = (await tom.post('appeals', { notice_id: toms, text: 'It was not me.' })).body.id as string

  app.clock.now += 1000
  const session = (await services.auth.begin(ada.id, { address: '', user_agent: null, language: null })).access_token
  const ofSession = await app.as(session).get('me/sessions')
  const second = ofSession.body.items.find((item: { current: boolean }) => item.current).id as string

  // Copied within the database, as making all this again for each call would take too long.
  const before = await app.remember()
  const [files, kept] = [join(dataDir, 'media'), join(dataDir, 'kept')]
  cpSync(files, kept, { recursive: true })

  return {
    ...{ app, password, people, secrets, ada, bob, cleo, dan, eve, ivy, mo, nora, sue, tom },
    ...{ held, chats, photos, profilePhotos, spare, reviews, blocks, reports, notice, appeal, second },

    changed: before.changed,

    async restore() {
      const changed = await before.changed()
      await before.restore(changed)
      if (changed.includes('media')) {
        rmSync(files, { recursive: true })
        cpSync(kept, files, { recursive: true })
      }
      for (const { id } of people) app.forget(id)
    },
  }
}

const clientIdOf = ({ name }: Person) => `client-id-of-${name}-`
