import type { Message, Profile } from 'convene-client'
import type { Providers } from '../../app/account/providers.tsx'
import { nameOfLanguage } from '../../shared/texts.ts'
import {
  type AnyScreen,
  type Answers,
  existing,
  type Face,
  type Hands,
  lost,
  refused,
  type Screen,
  silent,
  type State,
} from '../book.ts'
import { ago, days, type World } from './world.ts'

const screen = (made: Screen<World>): AnyScreen => made as unknown as AnyScreen

/** Other ways in than the usual ones. */
const providers = (world: World, unusual: Partial<Providers>): Answers => ({
  '/api/v1/auth/providers': {
    get: { ...(world.answers['/api/v1/auth/providers']?.get as object), ...unusual } as never,
  },
})

const broken = refused('internal_error', 500)
const hurried = refused('rate_limited', 429)
const nothing = { items: [], next_cursor: null }
const nearby = '/api/v1/search/nearby' as const

const noData = 'It shows nothing that is read.'
const oneThing = 'It shows one thing.'
const noWait = 'It waits for nothing.'
const noNeed = 'It works without a network until its button is pressed, which the error shows.'
const ownWords = 'All words on it are its own.'

const longPerson = (world: World, more: Partial<Profile> = {}): Profile =>
  world.profile(0, {
    name: world.words.long,
    bio: `${world.words.longText} `.repeat(4),
    city: world.words.long,
    drinks: [world.words.longText.slice(0, 40), ...world.words.drinks],
    activities: world.words.activities,
    purposes: world.words.purposes,
    ...more,
  })

/** A drawn photo, for screens that ask for a file. */
async function photoFile(): Promise<File> {
  const canvas = document.createElement('canvas')
  canvas.width = 900
  canvas.height = 600
  const context = canvas.getContext('2d')
  if (context) {
    const sky = context.createLinearGradient(0, 0, 0, 600)
    sky.addColorStop(0, '#31527a')
    sky.addColorStop(0.6, '#f0a36b')
    sky.addColorStop(1, '#23405c')
    context.fillStyle = sky
    context.fillRect(0, 0, 900, 600)
    context.fillStyle = '#ffe9b8'
    context.beginPath()
    context.arc(640, 280, 56, 0, 7)
    context.fill()
  }
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', 0.9))
  return new File([blob ?? ''], 'river.jpg', { type: 'image/jpeg' })
}

/** Makes the browser fail to draw photos, as when its memory is full. */
const loseCanvas = () => {
  HTMLCanvasElement.prototype.toBlob = (done) => done(null)
}

const welcome = screen({
  title: 'Welcome',
  states: {
    usual: () => ({ path: '/', session: 'out' }),
    empty: noData,
    slow: () => ({ path: '/', session: 'out', answers: { '/api/v1/auth/providers': { get: silent } } }),
    offline: () => ({ path: '/', session: 'out', network: 'off' }),
    error: 'Whether new people may come is all that it reads; without an answer it offers both ways.',
    long: ({ words }) => ({ path: '/', session: 'out', brand: { name: words.long } }),
    many: oneThing,
    closed: (world) => ({ path: '/', session: 'out', answers: providers(world, { registration: 'closed' }) }),
    terms: () => ({
      path: '/',
      session: 'out',
      act: async ({ t, press, find }) => {
        await press(t('account.legal.terms'))
        await find('dialog h2 + button, dialog li')
      },
    }),
    'terms slow': () => ({
      path: '/',
      session: 'out',
      answers: { '/api/v1/legal/{kind}': { get: silent } },
      act: async ({ t, press }) => press(t('account.legal.terms')),
    }),
    'terms offline': () => ({
      path: '/',
      session: 'out',
      answers: { '/api/v1/legal/{kind}': { get: lost } },
      act: async ({ t, press, see }) => {
        await press(t('account.legal.terms'))
        await see(t('app.retry'))
      },
    }),
  },
})

const fillSignIn = async ({ t, type, press }: Hands) => {
  await type(t('account.contact'), 'mia@example.org')
  await type(t('account.password'), 'a long pass phrase')
  await press(t('account.signIn.title'))
}

const signIn = screen({
  title: 'Sign in',
  states: {
    usual: () => ({ path: '/sign-in', session: 'out' }),
    empty: 'It is a form.',
    slow: () => ({
      path: '/sign-in',
      session: 'out',
      answers: { '/api/v1/auth/login': { post: silent } },
      act: fillSignIn,
    }),
    offline: () => ({
      path: '/sign-in',
      session: 'out',
      network: 'off',
      act: async (hands) => {
        await fillSignIn(hands)
        await hands.see(hands.t('app.failure.offline'))
      },
    }),
    error: () => ({
      path: '/sign-in',
      session: 'out',
      answers: { '/api/v1/auth/login': { post: refused('invalid_credentials', 401) } },
      act: async (hands) => {
        await fillSignIn(hands)
        await hands.see(hands.t('account.signIn.wrong'))
      },
    }),
    long: ownWords,
    many: () => ({
      path: '/sign-in',
      session: 'out',
      answers: {
        '/api/v1/auth/providers': {
          get: {
            password: true,
            min_age: null,
            mail: true,
            passkey: true,
            registration: 'invite',
            messenger: { bot: 'convene_bot' },
            oidc: ['Google', 'Apple', 'GitLab of the university'].map((label) => ({ name: label, label })),
          },
        },
      },
    }),
  },
})

const fillSignUp = async ({ t, type, choose, press }: Hands, birthDate?: string) => {
  if (birthDate !== undefined) await type(t('account.birthDate'), birthDate)
  await type(t('account.name'), 'Mia')
  await type(t('account.contact'), 'mia@example.org')
  await type(t('account.password'), 'password')
  for (const kind of ['terms', 'privacy', 'disclaimer']) await choose(t(`account.consents.${kind}`))
  await press(t('account.signUp.title'))
}

const signUp = screen({
  title: 'Sign up',
  states: {
    usual: () => ({ path: '/sign-up', session: 'out' }),
    empty: 'It is a form.',
    slow: () => ({ path: '/sign-up', session: 'out', answers: { '/api/v1/auth/providers': { get: silent } } }),
    offline: () => ({ path: '/sign-up', session: 'out', network: 'off' }),
    error: () => ({
      path: '/sign-up',
      session: 'out',
      answers: {
        '/api/v1/auth/register': {
          post: refused('validation_failed', 422, {
            errors: [{ path: '/password', code: 'too_common', message: '' }] as never,
          }),
        },
      },
      act: async (hands) => {
        await fillSignUp(hands)
        await hands.see(hands.t('app.field.tooCommon'))
      },
    }),
    long: ownWords,
    many: oneThing,
    invite: (world) => ({
      path: '/sign-up#invite=mia-2026',
      session: 'out',
      answers: providers(world, { registration: 'invite' }),
    }),
    closed: (world) => ({ path: '/sign-up', session: 'out', answers: providers(world, { registration: 'closed' }) }),
    'least age': (world) => ({ path: '/sign-up', session: 'out', answers: providers(world, { min_age: 18 }) }),
    'too young': (world) => ({
      path: '/sign-up',
      session: 'out',
      answers: {
        ...providers(world, { min_age: 18 }),
        '/api/v1/auth/register': { post: refused('too_young', 422) },
      },
      act: async (hands) => {
        await fillSignUp(hands, '2015-06-01')
        await hands.see(hands.t('account.birthDate.tooYoung'))
      },
    }),
    'address taken': () => ({
      path: '/sign-up',
      session: 'out',
      answers: { '/api/v1/auth/register': { post: refused('email_taken', 409) } },
      act: async (hands) => {
        await fillSignUp(hands)
        await hands.see(hands.t('app.failure.emailTaken'))
      },
    }),
    'not agreed': () => ({
      path: '/sign-up',
      session: 'out',
      act: async ({ t, type, press, see }) => {
        await type(t('account.name'), 'Mia')
        await type(t('account.contact'), 'mia@example.org')
        await type(t('account.password'), 'a long pass phrase')
        await press(t('account.signUp.title'))
        await see(t('account.consents.missing'))
      },
    }),
  },
})

const askForLink = async ({ t, type, press }: Hands) => {
  await type(t('account.email'), 'mia@example.org')
  await press(t('account.forgot.send'))
}

const forgot = screen({
  title: 'Forgotten password',
  states: {
    usual: () => ({ path: '/forgot-password', session: 'out' }),
    empty: 'It is a form.',
    slow: () => ({
      path: '/forgot-password',
      session: 'out',
      answers: { '/api/v1/auth/password/forgot': { post: silent } },
      act: askForLink,
    }),
    offline: () => ({
      path: '/forgot-password',
      session: 'out',
      network: 'off',
      act: async (hands) => {
        await askForLink(hands)
        await hands.see(hands.t('app.failure.offline'))
      },
    }),
    error: () => ({
      path: '/forgot-password',
      session: 'out',
      answers: { '/api/v1/auth/password/forgot': { post: hurried } },
      act: async (hands) => {
        await askForLink(hands)
        await hands.see(hands.t('app.failure.rateLimited'))
      },
    }),
    long: ownWords,
    many: oneThing,
    'no mail here': (world) => ({
      path: '/forgot-password',
      session: 'out',
      answers: providers(world, { mail: false }),
    }),
    sent: () => ({
      path: '/forgot-password',
      session: 'out',
      answers: { '/api/v1/auth/password/forgot': { post: null } },
      act: async (hands) => {
        await askForLink(hands)
        await hands.see(hands.t('account.forgot.sent'))
      },
    }),
  },
})

const links = screen({
  title: 'Links in mails',
  states: {
    usual: () => ({ path: '/verify#token=made-up', session: 'out' }),
    empty: () => ({ path: '/verify', session: 'out' }),
    slow: () => ({
      path: '/verify#token=made-up',
      session: 'out',
      answers: { '/api/v1/auth/email/verify': { post: silent } },
      act: async ({ t, press }) => press(t('account.link.verify.button')),
    }),
    offline: () => ({
      path: '/verify#token=made-up',
      session: 'out',
      network: 'off',
      act: async ({ t, press, see }) => {
        await press(t('account.link.verify.button'))
        await see(t('app.failure.offline'))
      },
    }),
    error: () => ({
      path: '/verify#token=made-up',
      session: 'out',
      answers: { '/api/v1/auth/email/verify': { post: refused('link_invalid', 401) } },
      act: async ({ t, press, see }) => {
        await press(t('account.link.verify.button'))
        await see(t('account.link.invalid'))
      },
    }),
    long: ownWords,
    many: oneThing,
    done: () => ({
      path: '/verify#token=made-up',
      session: 'out',
      answers: { '/api/v1/auth/email/verify': { post: null } },
      act: async ({ t, press, see }) => {
        await press(t('account.link.verify.button'))
        await see(t('account.link.verify.done'))
      },
    }),
    'new password': () => ({ path: '/reset#token=made-up', session: 'out' }),
    'address taken back': () => ({ path: '/email-undo#token=made-up', session: 'out' }),
    unsubscribe: () => ({ path: '/unsubscribe#token=made-up', session: 'out' }),
  },
})

const fromProvider = screen({
  title: 'Back from a provider',
  states: {
    usual: 'Signed in, it leads on to Nearby at once.',
    empty: noData,
    slow: () => ({ path: '/signed-in', session: 'out', answers: { '/api/v1/auth/refresh': { post: silent } } }),
    offline: () => ({ path: '/signed-in', session: 'out', network: 'off' }),
    error: () => ({ path: '/signed-in#error=forbidden', session: 'out' }),
    long: ownWords,
    many: oneThing,
    'no invitation': () => ({ path: '/signed-in#error=invite_required', session: 'out' }),
    'no answer': () => ({ path: '/signed-in#error=busy', session: 'out' }),
  },
})

const noticed = ({ notice, page }: World, ...notices: Parameters<World['notice']>[0][]): Answers => ({
  '/api/v1/me/notices': { get: page(notices.map(notice)) },
})

const ended = screen({
  title: 'The session has ended',
  states: {
    usual: () => ({ path: '/chats', session: 'ended' }),
    empty: noData,
    slow: () => ({ path: '/chats', session: 'suspended', answers: { '/api/v1/me/notices': { get: silent } } }),
    offline: () => ({ path: '/chats', session: 'suspended', answers: { '/api/v1/me/notices': { get: lost } } }),
    error: () => ({ path: '/chats', session: 'refresh_reused' }),
    long: (world) => ({
      path: '/chats',
      session: 'suspended',
      answers: noticed(world, { action: 'suspend', reason: `${world.words.longText} `.repeat(6) }),
    }),
    many: oneThing,
    'password changed': () => ({ path: '/chats', session: 'password_changed' }),
    erased: () => ({ path: '/chats', session: 'erased' }),
    suspended: (world) => ({
      path: '/chats',
      session: 'suspended',
      answers: noticed(world, { action: 'suspend', until: ago(-days(7)) }),
    }),
    'suspended, signing in again': (world) => ({
      path: '/chats',
      session: 'suspended',
      answers: noticed(world, { action: 'suspend', until: ago(-days(7)) }),
      act: async ({ t, press, see }) => {
        await press(t('account.ended.again'))
        await see(t('account.password'))
      },
    }),
    'open again': (world) => ({
      path: '/chats',
      session: 'suspended',
      answers: noticed(world, { action: 'suspend', appeal: { id: world.notices[0]?.id ?? '', status: 'upheld' } }),
    }),
    'suspended, the token is over': () => ({
      path: '/chats',
      session: 'suspended',
      answers: {
        '/api/v1/me/notices': { get: refused('unauthenticated', 401) },
        '/api/v1/auth/login': { post: refused('suspended', 403) },
      },
      act: async ({ t, type, press, see }) => {
        await type(t('account.password'), 'a long pass phrase')
        await press(t('account.signIn.title'))
        await see(t('settings.appeal.begin'))
        await press(t('settings.appeal.begin'))
      },
    }),
    appeal: (world) => ({
      path: '/chats',
      session: 'suspended',
      answers: {
        ...noticed(world, { action: 'suspend', until: ago(-days(7)) }),
        '/api/v1/appeals': { post: hurried },
      },
      act: async ({ t, press, type, see }) => {
        await press(t('settings.appeal.begin'))
        await type(t('settings.appeal.text'), 'It was meant for somebody else.')
        await press(t('settings.appeal.send'))
        await see(t('app.failure.rateLimited'))
      },
    }),
  },
})

const consents = screen({
  title: 'Consents',
  states: {
    usual: () => ({
      path: '/nearby',
      me: { consents_missing: ['terms', 'privacy', 'disclaimer'] },
    }),
    empty: noData,
    slow: () => ({
      path: '/nearby',
      me: { consents_missing: ['terms'] },
      answers: { '/api/v1/auth/consents': { post: silent } },
      act: async ({ t, choose, press }) => {
        await choose(t('account.consents.terms'))
        await press(t('account.consents.agree'))
      },
    }),
    offline: () => ({
      path: '/nearby',
      network: 'off',
      me: { consents_missing: ['terms'] },
      act: async ({ t, choose, press, see }) => {
        await choose(t('account.consents.terms'))
        await press(t('account.consents.agree'))
        await see(t('app.failure.offline'))
      },
    }),
    error: () => ({
      path: '/nearby',
      me: { consents_missing: ['terms'] },
      answers: { '/api/v1/auth/consents': { post: broken } },
      act: async ({ t, choose, press, see }) => {
        await choose(t('account.consents.terms'))
        await press(t('account.consents.agree'))
        await see(t('app.failure.server'))
      },
    }),
    long: ownWords,
    many: oneThing,
    later: () => ({
      path: '/nearby',
      me: { consents_missing: ['terms'] },
      act: async ({ t, press, see }) => {
        await press(t('account.consents.later'))
        await see(t('account.consents.open'))
      },
    }),
  },
})

const telegram = screen({
  title: 'In Telegram',
  states: {
    // Telegram itself follows the device's colour scheme.
    usual: () => ({
      path: '/nearby',
      telegram: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
    }),
    empty: noData,
    slow: () => ({
      path: '/',
      session: 'out',
      telegram: 'light',
      answers: { '/api/v1/auth/messenger': { post: silent } },
    }),
    offline: () => ({ path: '/', session: 'out', telegram: 'light', network: 'off' }),
    error: () => ({
      path: '/',
      session: 'out',
      telegram: 'light',
      answers: { '/api/v1/auth/messenger': { post: broken } },
    }),
    long: ownWords,
    many: oneThing,
    dark: () => ({ path: '/nearby', telegram: 'dark' }),
    invite: () => ({
      path: '/',
      session: 'out',
      telegram: 'dark',
      answers: { '/api/v1/auth/messenger': { post: refused('invite_required', 403) } },
    }),
    'least age': (world) => ({
      path: '/',
      session: 'out',
      telegram: 'light',
      answers: {
        ...providers(world, { min_age: 18 }),
        '/api/v1/auth/messenger': {
          post: refused('validation_failed', 422, {
            errors: [{ path: '/birth_date', code: 'required', message: '' }] as never,
          }),
        },
      },
      act: async ({ t, see }) => see(t('account.birthDate')),
    }),
    profile: ({ people }) => ({ path: `/people/${people[0]?.id}`, telegram: 'light' }),
  },
})

const people = screen({
  title: 'Nearby',
  states: {
    usual: ({ online }) => ({ path: '/nearby', frames: online }),
    empty: () => ({ path: '/nearby', answers: { [nearby]: { get: nothing } } }),
    slow: () => ({ path: '/nearby', answers: { [nearby]: { get: silent } } }),
    offline: () => ({ path: '/nearby', network: 'off' }),
    error: () => ({ path: '/nearby', answers: { [nearby]: { get: broken } } }),
    long: (world) => ({
      path: '/nearby',
      answers: { [nearby]: { get: { ...nothing, items: [longPerson(world), ...world.people].map(world.neighbour) } } },
    }),
    many: (world) => ({
      path: '/nearby',
      answers: {
        [nearby]: {
          get: {
            ...nothing,
            items: Array.from({ length: 100 }, (_, at) =>
              world.neighbour(world.profile(at, { id: world.idOf(20, at) }), at),
            ),
          },
        },
      },
    }),
    'no place': () => ({
      path: '/nearby',
      answers: { '/api/v1/me/location': { get: refused('not_found', 404) } },
    }),
    'place refused': () => ({
      path: '/nearby',
      position: 'denied',
      answers: { '/api/v1/me/location': { get: refused('not_found', 404) } },
      act: async ({ t, press, see }) => {
        await press(t('people.position.share'))
        await see(t('people.position.denied'))
      },
    }),
    'place unknown': () => ({
      path: '/nearby',
      position: 'unavailable',
      answers: { '/api/v1/me/location': { get: refused('not_found', 404) } },
      act: async ({ t, press, see }) => {
        await press(t('people.position.share'))
        await see(t('people.position.unavailable'))
      },
    }),
    'hidden by reports': () => ({ path: '/nearby', me: { hidden: 'nearby' } }),
    hidden: () => ({
      path: '/nearby',
      me: { visible: false },
      answers: {
        '/api/v1/me/location': { get: { latitude: 52.5, longitude: 13.4, visible: false, updated_at: ago(days(1)) } },
      },
    }),
    'what others see': () => ({
      path: '/nearby',
      act: async ({ t, press, see }) => {
        await press(t('people.whatOthersSee'))
        await see(t('people.updatePosition'))
      },
    }),
    'not hidden': () => ({
      path: '/nearby',
      answers: { '/api/v1/me/visibility': { put: broken } },
      act: async ({ t, press, see }) => {
        await press(t('people.hide'))
        await see(t('app.failure.server'))
      },
    }),
    'one page more': (world) => ({
      path: '/nearby',
      answers: {
        [nearby]: {
          get: ({ query }) => (query.has('cursor') ? broken : { items: world.neighbours, next_cursor: 'more' }),
        },
      },
      act: async ({ t, see }) => see(t('app.retry')),
    }),
    unverified: () => ({ path: '/nearby', me: { email_verified: false } }),
    'announcement and decision': (world) => ({
      path: '/nearby',
      answers: noticed(
        world,
        { id: world.idOf(5, 3), action: 'announce', ground: null, reason: world.words.lasts[1] },
        { action: 'warn' },
      ),
      act: async ({ t, see }) => see(t('account.decision.banner')),
    }),
    'new version': () => ({
      path: '/nearby',
      push: 'default',
      begin() {
        const waiting = { postMessage() {} }
        const registration = {
          waiting,
          addEventListener() {},
          update: async () => {},
          pushManager: { getSubscription: async () => null },
        }
        const container = {
          controller: {},
          ready: Promise.resolve(registration),
          register: async () => registration,
          addEventListener() {},
          removeEventListener() {},
        }
        Object.defineProperty(navigator, 'serviceWorker', { value: container, configurable: true })
      },
      act: async ({ t, see }) => see(t('app.update.load')),
    }),
  },
})

const around = async ({ t, press, find }: Hands) => {
  await press(t('people.around'))
  await find('svg[role=img]')
}

const hundred = (world: World) =>
  Array.from({ length: 100 }, (_, at) => world.neighbour(world.profile(at, { id: world.idOf(20, at) }), at / 4))

const radar = screen({
  title: 'Around me',
  states: {
    usual: ({ online }) => ({
      path: '/nearby',
      frames: online,
      act: async (hands) => {
        await around(hands)
        await hands.press(hands.t('people.next'))
      },
    }),
    empty: () => ({ path: '/nearby', answers: { [nearby]: { get: nothing } }, act: around }),
    slow: () => ({
      path: '/nearby',
      answers: { [nearby]: { get: silent } },
      act: async ({ t, press }) => press(t('people.around')),
    }),
    offline: 'Without a network there are no people to show: Nearby says so for both views.',
    error: 'The same request as that of Nearby, whose error stands above both views.',
    long: (world) => ({
      path: '/nearby',
      answers: { [nearby]: { get: { ...nothing, items: [world.neighbour(longPerson(world), 2)] } } },
      act: async (hands) => {
        await around(hands)
        await hands.press(hands.t('people.next'))
      },
    }),
    many: (world) => ({
      path: '/nearby',
      answers: {
        [nearby]: {
          get: {
            ...nothing,
            items: hundred(world),
          },
        },
      },
      act: around,
    }),
    'more people': (world) => ({
      path: '/nearby',
      answers: {
        [nearby]: {
          get: ({ query }) => (query.has('cursor') ? silent : { items: hundred(world), next_cursor: 'more' }),
        },
      },
      act: async (hands) => {
        await around(hands)
        await hands.see(hands.t('people.around.more'))
      },
    }),
    map: () => ({
      path: '/nearby',
      brand: {
        map_style_url: `${location.origin}/assets/map.json`,
      },
      act: async ({ t, press, find }) => {
        await press(t('people.around'))
        await find('[role=application] canvas, svg[role=img]')
      },
    }),
  },
})

const openFilters = async ({ t, press, see }: Hands) => {
  await press(t('people.filters'))
  await see(t('people.showPeople'))
}

const filters = screen({
  title: 'Filters',
  states: {
    usual: () => ({ path: '/nearby', act: openFilters }),
    empty: () => ({
      path: '/nearby',
      answers: {
        [nearby]: { get: nothing },
        '/api/v1/me/prefs': { get: { drinks: [], activities: [], purposes: [], language: 'en' } },
      },
      act: openFilters,
    }),
    slow: noWait,
    offline: noNeed,
    error: noNeed,
    long: (world) => ({
      path: '/nearby',
      answers: { [nearby]: { get: { ...nothing, items: [longPerson(world)].map(world.neighbour) } } },
      act: openFilters,
    }),
    many: (world) => ({
      path: '/nearby',
      answers: {
        [nearby]: {
          get: {
            ...nothing,
            items: Array.from({ length: 40 }, (_, at) =>
              world.neighbour(
                world.profile(at, { id: world.idOf(20, at), drinks: [`drink ${at}`], activities: [`activity ${at}`] }),
                at,
              ),
            ),
          },
        },
      },
      act: openFilters,
    }),
    'nobody fits': (world) => ({
      path: '/nearby',
      answers: {
        [nearby]: { get: ({ query }) => ({ ...nothing, items: query.has('drinks') ? [] : world.neighbours }) },
      },
      act: async (hands) => {
        await openFilters(hands)
        await hands.choose(world.words.drinks[0] ?? '')
        await hands.press(hands.t('people.showPeople'))
        await hands.see(hands.t('people.nobodyFiltered'))
      },
    }),
  },
})

const profilePath = ({ people }: World) => `/people/${people[0]?.id}`
const reviewsOf = '/api/v1/users/{id}/reviews' as const

const person = screen({
  title: 'Profile',
  states: {
    usual: (world) => ({ path: profilePath(world), frames: world.online }),
    empty: (world) => ({
      path: profilePath(world),
      answers: {
        '/api/v1/users/{id}': {
          get: world.profile(0, {
            photo: null,
            photo_thumb: null,
            bio: null,
            city: null,
            drinks: [],
            activities: [],
            purposes: [],
            rating_avg: null,
            reviews_count: 0,
          }),
        },
        [reviewsOf]: { get: nothing },
      },
    }),
    slow: (world) => ({ path: profilePath(world), answers: { '/api/v1/users/{id}': { get: silent } } }),
    offline: (world) => ({ path: profilePath(world), network: 'off' }),
    error: (world) => ({ path: profilePath(world), answers: { '/api/v1/users/{id}': { get: broken } } }),
    long: (world) => ({
      path: profilePath(world),
      answers: {
        '/api/v1/users/{id}': { get: longPerson(world) },
        [reviewsOf]: {
          get: { ...nothing, items: [{ ...world.review(0), text: `${world.words.longText} `.repeat(5) }] },
        },
      },
    }),
    many: (world) => ({
      path: profilePath(world),
      answers: {
        [reviewsOf]: {
          get: {
            items: Array.from({ length: 10 }, (_, at) => ({ ...world.review(at % 3), id: world.idOf(30, at) })),
            next_cursor: 'more',
          },
        },
      },
    }),
    gone: () => ({ path: '/people/0199a3c4-0000-7000-8000-00000000dead' }),
    'reviews slow': (world) => ({ path: profilePath(world), answers: { [reviewsOf]: { get: silent } } }),
    'reviews failed': (world) => ({ path: profilePath(world), answers: { [reviewsOf]: { get: lost } } }),
    'chat refused': (world) => ({
      path: profilePath(world),
      answers: { '/api/v1/chats': { post: refused('email_not_verified', 403) } },
      act: async ({ t, press, see }) => {
        await press(t('people.write'))
        await see(t('account.verify.needed'))
      },
    }),
    block: (world) => ({
      path: profilePath(world),
      act: async ({ t, press, see }) => {
        await press(t('people.block'))
        await see(t('people.blockHint'))
      },
    }),
    blocked: (world) => ({
      path: profilePath(world),
      act: async ({ t, press, see, find }) => {
        await press(t('people.block'))
        await see(t('people.blockHint'))
        await press(t('people.block'))
        await find('nav a[aria-current=page][href="/chats"]')
      },
    }),
    report: (world) => ({
      path: profilePath(world),
      act: async ({ t, press, see }) => {
        // The last button belongs to the person, the ones before to reviews.
        await see(t('people.block'))
        for (const button of [...document.querySelectorAll('footer button')])
          if (button.textContent === t('people.report')) (button as HTMLElement).click()
        await press(t('people.addWords'))
        await see(t('people.reason.spam'))
      },
    }),
    'report failed': (world) => ({
      path: profilePath(world),
      answers: { '/api/v1/reports': { post: lost } },
      act: async ({ t, press, see }) => {
        await press(t('people.report'))
        await press(t('people.reason.spam'))
        await see(t('app.failure.offline'))
      },
    }),
    reported: (world) => ({
      path: profilePath(world),
      act: async ({ t, press, see }) => {
        await press(t('people.report'))
        await press(t('people.reason.spam'))
        await see(t('people.reported'))
      },
    }),
    'reported before': (world) => ({
      path: profilePath(world),
      answers: {
        '/api/v1/reports': { post: existing({ id: world.idOf(7, 1), status: 'open', created_at: ago(days(1)) }) },
      },
      act: async ({ t, press, see }) => {
        await press(t('people.report'))
        await press(t('people.reason.spam'))
        await see(t('people.reportedBefore'))
      },
    }),
  },
})

const chats = screen({
  title: 'Chats',
  states: {
    usual: (world) => ({
      path: '/chats',
      frames: [
        ...world.online,
        { type: 'typing', at: ago(0), data: { chat_id: world.chats[2]?.id ?? '', user_id: world.people[2]?.id ?? '' } },
      ],
    }),
    empty: () => ({ path: '/chats', answers: { '/api/v1/chats': { get: { ...nothing, unread_total: 0 } } } }),
    slow: () => ({ path: '/chats', answers: { '/api/v1/chats': { get: silent } } }),
    offline: (world) => ({ path: '/chats', network: 'off', kept: { [`${world.me.id}:chats`]: world.chats } }),
    error: () => ({ path: '/chats', answers: { '/api/v1/chats': { get: broken } } }),
    long: (world) => ({
      path: '/chats',
      answers: {
        '/api/v1/chats': {
          get: {
            ...nothing,
            unread_total: 12_345,
            items: [
              world.chatOf(0, {
                user: longPerson(world),
                unread_count: 12_345,
                last_message: world.message('', 1, world.me.id, `${world.words.longText} `.repeat(3), 1),
              }),
              ...world.chats.slice(1),
            ],
          },
        },
      },
    }),
    many: (world) => ({
      path: '/chats',
      answers: {
        '/api/v1/chats': {
          get: {
            ...nothing,
            unread_total: 100,
            items: Array.from({ length: 1000 }, (_, at) => ({ ...world.chatOf(at), id: world.idOf(21, at) })),
          },
        },
      },
    }),
    'offline at first': () => ({ path: '/chats', network: 'off' }),
    stopped: () => ({ path: '/chats', network: 'stopped', act: async ({ t, see }) => see(t('app.stopped')) }),
  },
})

const chatPath = ({ chat }: World) => `/chats/${chat.id}`
const messages = '/api/v1/chats/{id}/messages' as const
const talkOf = (items: Message[]) => ({ [messages]: { get: { ...nothing, items: items.toReversed() } } })
const menuOf = async (hands: Hands, at: number) => {
  await hands.find('article')
  const menus = [...document.querySelectorAll<HTMLElement>('article button')].filter(
    (one) => one.getAttribute('aria-label') === hands.t('chats.messageMenu'),
  )
  menus.at(at)?.click()
}
const write = async ({ t, type, press }: Hands, name: string, text: string) => {
  await type(t('chats.messageTo', { name }), text)
  await press(t('chats.send'))
}
const nameIn = (world: World) => world.chat.user.name ?? ''

const chat = screen({
  title: 'A chat',
  states: {
    usual: (world) => ({ path: chatPath(world), frames: world.online }),
    empty: (world) => ({ path: chatPath(world), answers: { [messages]: { get: nothing } } }),
    slow: (world) => ({
      path: chatPath(world),
      answers: { [messages]: { get: silent }, '/api/v1/chats/{id}': { get: silent } },
    }),
    offline: (world) => ({
      path: chatPath(world),
      network: 'off',
      kept: { [`${world.me.id}:chats`]: world.chats, [`${world.me.id}:chat:${world.chat.id}`]: world.talk },
      act: async (hands) => {
        await hands.find('article')
        await write(hands, nameIn(world), world.words.lasts[2] ?? '')
        await hands.see(hands.t('chats.pending'))
      },
    }),
    error: (world) => ({ path: chatPath(world), answers: { [messages]: { get: broken } } }),
    long: (world) => ({
      path: chatPath(world),
      answers: {
        '/api/v1/chats': { get: { ...nothing, unread_total: 0, items: [{ ...world.chat, user: longPerson(world) }] } },
        '/api/v1/chats/{id}': { get: { ...world.chat, user: longPerson(world) } },
        ...talkOf([
          world.message(world.chat.id, 1, world.chat.user.id, `${world.words.longText} `.repeat(6), 30),
          world.message(world.chat.id, 2, world.me.id, world.words.longText.replaceAll(' ', ''), 20, {
            edited: true,
            edited_at: ago(0),
          }),
          world.message(world.chat.id, 3, world.chat.user.id, `${world.words.bio}\n\n${world.words.bio}`, 10),
        ]),
      },
    }),
    many: (world) => ({
      path: chatPath(world),
      answers: talkOf(
        Array.from({ length: 10_000 }, (_, at) =>
          world.message(
            world.chat.id,
            at + 1,
            at % 3 === 0 ? world.me.id : world.chat.user.id,
            `${at + 1}. ${world.words.lasts[at % 4]}`,
            20_000 - at * 2,
          ),
        ),
      ),
    }),
    typing: (world) => ({
      path: chatPath(world),
      frames: [
        ...world.online,
        { type: 'typing', at: ago(0), data: { chat_id: world.chat.id, user_id: world.chat.user.id } },
      ],
      act: async ({ t, see }) => see(t('chats.typing')),
    }),
    connecting: (world) => ({ path: chatPath(world), network: 'connecting' }),
    'deleted and edited': (world) => ({
      path: chatPath(world),
      answers: talkOf(
        world.talk.map((one, at) =>
          at === 1
            ? { ...one, edited: true, edited_at: ago(0) }
            : at === 3
              ? { ...one, deleted: true, text: null }
              : one,
        ),
      ),
    }),
    caution: (world) => ({
      path: chatPath(world),
      answers: talkOf([
        ...world.talk.slice(0, 4),
        world.message(world.chat.id, 20, world.chat.user.id, world.words.advert, 2, { caution: world.words.caution }),
        world.message(world.chat.id, 21, world.chat.user.id, null, 1, {
          kind: 'photo',
          photo: world.image,
          caution: world.words.longText,
        }),
      ]),
      act: async ({ see }) => see(world.words.caution),
    }),
    refused: (world) => ({
      path: chatPath(world),
      answers: {
        [messages]: {
          get: { ...nothing, items: world.talk.filter(({ sender_id }) => sender_id === world.me.id).toReversed() },
          post: refused('awaiting_reply', 403),
        },
      },
      act: async (hands) => {
        await hands.find('article')
        await write(hands, nameIn(world), world.words.lasts[3] ?? '')
        await hands.see(hands.t('chats.discard'))
      },
    }),
    gone: () => ({
      path: '/chats/0199a3c4-0000-7000-8000-00000000dead',
      answers: { [messages]: { get: refused('not_found', 404) } },
    }),
    menu: (world) => ({
      path: chatPath(world),
      act: async ({ t, press, see }) => {
        await press(t('chats.menu'))
        await see(t('chats.muteForever'))
      },
    }),
    'menu of a blocked one': (world) => ({
      path: chatPath(world),
      answers: {
        '/api/v1/blocks': {
          get: world.page([{ id: world.idOf(6, 1), user_id: world.chat.user.id, created_at: ago(days(1)) }]),
        },
      },
      act: async ({ t, press, see }) => {
        await press(t('chats.menu'))
        await see(t('settings.blocked.lift'))
      },
    }),
    'menu of a muted one': (world) => ({
      path: chatPath(world),
      answers: {
        '/api/v1/chats': {
          get: { ...nothing, unread_total: 0, items: [{ ...world.chat, muted_until: '2099-01-01T00:00:00.000Z' }] },
        },
        '/api/v1/chats/{id}': { get: { ...world.chat, muted_until: '2099-01-01T00:00:00.000Z' } },
      },
      act: async ({ t, press, see }) => {
        await press(t('chats.menu'))
        await see(t('chats.unmute'))
      },
    }),
    'own message': (world) => ({
      path: chatPath(world),
      act: async (hands) => {
        await menuOf(hands, -1)
        await hands.see(hands.t('chats.delete'))
      },
    }),
    'deleting a message': (world) => ({
      path: chatPath(world),
      act: async (hands) => {
        await menuOf(hands, -1)
        await hands.press(hands.t('chats.delete'))
        await hands.see(hands.t('chats.deleteHint'))
      },
    }),
    'their message': (world) => ({
      path: chatPath(world),
      act: async (hands) => {
        await menuOf(hands, 0)
        await hands.see(hands.t('people.reason.spam'))
      },
    }),
    editing: (world) => ({
      path: chatPath(world),
      act: async (hands) => {
        await menuOf(hands, -1)
        await hands.press(hands.t('chats.edit'))
        await hands.see(hands.t('chats.editing'))
      },
    }),
    'too long to send': (world) => ({
      path: chatPath(world),
      act: async ({ t, type }) => type(t('chats.messageTo', { name: nameIn(world) }), 'word '.repeat(850)),
    }),
    photo: (world) => ({
      path: chatPath(world),
      act: async ({ t, press, find }) => {
        await press(t('chats.openPhoto', { name: nameIn(world) }))
        await find('dialog img')
      },
    }),
    'photo to send': (world) => ({
      path: chatPath(world),
      act: async ({ t, give, find }) => {
        await give(t('chats.choosePhoto'), await photoFile())
        await find('dialog img')
      },
    }),
    'photo waiting': (world) => ({
      path: chatPath(world),
      answers: { '/api/v1/media': { post: silent } },
      act: async ({ t, give, find, press, see }) => {
        await give(t('chats.choosePhoto'), await photoFile())
        await find('dialog img')
        await press(t('chats.send'))
        await see(t('chats.pending'))
      },
    }),
    'photo unread': (world) => ({
      path: chatPath(world),
      act: async ({ t, give, see }) => {
        await give(t('chats.choosePhoto'), new File(['no picture'], 'notes.jpg', { type: 'image/jpeg' }))
        await see(t('chats.unreadPhoto'))
      },
    }),
    'photo unreadable': (world) => ({
      path: chatPath(world),
      act: async ({ t, give, see }) => {
        Blob.prototype.arrayBuffer = () => Promise.reject(new DOMException('', 'NotReadableError'))
        await give(t('chats.choosePhoto'), new File(['moved'], 'notes.jpg', { type: 'image/jpeg' }))
        await see(t('app.failure.photoUnreadable'))
      },
    }),
    'photo uncut': (world) => ({
      path: chatPath(world),
      act: async ({ t, give, find, press, see }) => {
        await give(t('chats.choosePhoto'), await photoFile())
        const image = await find('dialog img')
        if (image instanceof HTMLImageElement) await image.decode()
        const { left, top } = image.getBoundingClientRect()
        const point = (at: number) => ({ bubbles: true, isPrimary: true, clientX: left + at, clientY: top + at })
        image.dispatchEvent(new PointerEvent('pointerdown', point(20)))
        await find('dialog .ReactCrop--active')
        document.dispatchEvent(new PointerEvent('pointermove', point(80)))
        document.dispatchEvent(new PointerEvent('pointerup', point(80)))
        await find('dialog .ReactCrop:not(.ReactCrop--active)')
        loseCanvas()
        await press(t('chats.send'))
        await see(t('app.failure.photoUncut'))
      },
    }),
    review: (world) => ({
      path: chatPath(world),
      act: async ({ t, press, choose }) => {
        await press(t('chats.menu'))
        await press(t('chats.review'))
        await choose(t('people.stars', { count: 4 }))
      },
    }),
    'review refused': (world) => ({
      path: chatPath(world),
      answers: { '/api/v1/reviews': { post: refused('review_exists', 409) } },
      act: async ({ t, press, choose, see }) => {
        await press(t('chats.menu'))
        await press(t('chats.review'))
        await choose(t('people.stars', { count: 4 }))
        await press(t('chats.reviewSend'))
        await see(t('chats.reviewExists'))
      },
    }),
    'scrolled up': (world) => ({
      path: chatPath(world),
      answers: talkOf(
        Array.from({ length: 60 }, (_, at) =>
          world.message(
            world.chat.id,
            at + 1,
            at % 3 === 0 ? world.me.id : world.chat.user.id,
            `${world.words.lasts[at % 4]}`,
            300 - at * 2,
          ),
        ),
      ),
      act: async ({ t, find, see }) => {
        await find('article')
        const list = await find('[role=log]')
        list.scrollTop = 0
        await see(t('chats.toEnd'))
      },
    }),
  },
})

const me = screen({
  title: 'Me',
  states: {
    usual: () => ({ path: '/me' }),
    empty: (world) => ({
      path: '/me',
      me: { photo: null, photo_thumb: null, bio: null, city: null },
      answers: {
        '/api/v1/users/{id}': {
          get: world.profile(0, {
            id: world.me.id,
            name: world.me.name,
            photo: null,
            photo_thumb: null,
            bio: null,
            city: null,
            drinks: [],
            activities: [],
            purposes: [],
            rating_avg: null,
            reviews_count: 0,
          }),
        },
        [reviewsOf]: { get: nothing },
      },
    }),
    slow: () => ({ path: '/me', answers: { '/api/v1/users/{id}': { get: silent } } }),
    offline: () => ({ path: '/me', network: 'off' }),
    error: () => ({ path: '/me', answers: { '/api/v1/users/{id}': { get: broken } } }),
    long: (world) => ({
      path: '/me',
      answers: { '/api/v1/users/{id}': { get: longPerson(world, { id: world.me.id }) } },
    }),
    many: oneThing,
    hidden: () => ({ path: '/me', me: { visible: false } }),
    'hidden by reports': () => ({ path: '/me', me: { hidden: 'nearby' } }),
    'no place': () => ({ path: '/me', answers: { '/api/v1/me/location': { get: refused('not_found', 404) } } }),
    'consents later': () => ({
      path: '/me',
      me: { consents_missing: ['terms'] },
      act: async ({ t, press, see }) => {
        await press(t('account.consents.later'))
        await see(t('people.shown.consents'))
      },
    }),
    'not found': () => ({ path: '/me/nothing' }),
  },
})

const editProfile = screen({
  title: 'Edit my profile',
  states: {
    usual: () => ({ path: '/me/edit' }),
    empty: () => ({ path: '/me/edit', me: { photo: null, photo_thumb: null, bio: null, city: null, gender: null } }),
    slow: () => ({
      path: '/me/edit',
      answers: { '/api/v1/me': { put: silent } },
      act: async ({ t, press }) => press(t('settings.save')),
    }),
    offline: () => ({
      path: '/me/edit',
      network: 'off',
      act: async ({ t, press, see }) => {
        await press(t('settings.save'))
        await see(t('app.failure.offline'))
      },
    }),
    error: () => ({
      path: '/me/edit',
      answers: {
        '/api/v1/me': {
          put: refused('validation_failed', 422, {
            errors: [{ path: '/name', code: 'not_allowed', message: '' }] as never,
          }),
        },
      },
      act: async ({ t, press, see }) => {
        await press(t('settings.save'))
        await see(t('app.field.notAllowed'))
      },
    }),
    long: ({ words }) => ({
      path: '/me/edit',
      me: {
        name: words.long.slice(0, 80),
        bio: `${words.longText} `.repeat(2).slice(0, 500),
        city: words.long.slice(0, 80),
      },
    }),
    many: oneThing,
    crop: () => ({
      path: '/me/edit',
      act: async ({ t, give, find }) => {
        await give(t('settings.photo.choose'), await photoFile())
        await find('dialog img')
      },
    }),
    'crop uncut': () => ({
      path: '/me/edit',
      act: async ({ t, give, find, press, see }) => {
        await give(t('settings.photo.choose'), await photoFile())
        await find('dialog img')
        loseCanvas()
        await press(t('settings.photo.use'))
        await see(t('app.failure.photoUncut'))
      },
    }),
    'crop unread': () => ({
      path: '/me/edit',
      act: async ({ t, give, see }) => {
        await give(t('settings.photo.choose'), new File(['no picture'], 'notes.jpg', { type: 'image/jpeg' }))
        await see(t('settings.photo.unread'))
      },
    }),
  },
})

const preferences = screen({
  title: 'What I like',
  states: {
    usual: () => ({ path: '/me/preferences' }),
    empty: () => ({
      path: '/me/preferences',
      answers: { '/api/v1/me/prefs': { get: { drinks: [], activities: [], purposes: [], language: 'en' } } },
    }),
    slow: () => ({ path: '/me/preferences', answers: { '/api/v1/me/prefs': { get: silent } } }),
    offline: () => ({ path: '/me/preferences', network: 'off' }),
    error: () => ({
      path: '/me/preferences',
      answers: { '/api/v1/me/prefs': { put: broken } },
      act: async ({ t, press, see }) => {
        await press(t('settings.save'))
        await see(t('app.failure.server'))
      },
    }),
    long: ({ words }) => ({
      path: '/me/preferences',
      answers: {
        '/api/v1/me/prefs': {
          get: {
            drinks: [words.longText.slice(0, 40)],
            activities: [words.long.slice(0, 40)],
            purposes: [],
            language: 'en',
          },
        },
      },
    }),
    many: () => ({
      path: '/me/preferences',
      answers: {
        '/api/v1/me/prefs': {
          get: {
            drinks: Array.from({ length: 20 }, (_, at) => `drink no. ${at + 1}`),
            activities: [],
            purposes: [],
            language: 'en',
          },
        },
      },
    }),
  },
})

/** A screen of the settings that shows one list. */
const listed = (
  title: string,
  path: string,
  route:
    | '/api/v1/me/channels'
    | '/api/v1/me/sessions'
    | '/api/v1/me/identities'
    | '/api/v1/blocks'
    | '/api/v1/me/notifications',
  more: Record<string, ((world: World) => State) | string> & {
    usual: (world: World) => State
    empty: ((world: World) => State) | string
    long: ((world: World) => State) | string
    many: ((world: World) => State) | string
  },
) =>
  screen({
    title,
    states: {
      slow: () => ({ path, answers: { [route]: { get: silent } } }),
      offline: () => ({ path, network: 'off' }),
      error: () => ({ path, answers: { [route]: { get: broken } } }),
      ...more,
    },
  })

const itemsOf = (world: World, route: '/api/v1/me/channels' | '/api/v1/me/sessions' | '/api/v1/me/identities') =>
  (world.answers[route]?.get as { items: { id: string }[] }).items

const manyOf = (world: World, route: '/api/v1/me/channels' | '/api/v1/me/sessions' | '/api/v1/me/identities') => {
  const items = itemsOf(world, route)
  return {
    [route]: {
      get: {
        ...nothing,
        items: Array.from({ length: 30 }, (_, at) => ({ ...items[Math.min(1, at)], id: world.idOf(31, at) })),
      },
    },
  } as never
}

const settings = screen({
  title: 'Settings',
  states: {
    usual: () => ({ path: '/settings' }),
    empty: () => ({ path: '/settings', me: { email: null } }),
    slow: noWait,
    offline: () => ({ path: '/settings', network: 'off' }),
    error: noData,
    long: ({ words }) => ({
      path: '/settings',
      me: { email: `${words.long.replace(/\s/g, '.').toLowerCase()}@a-very-long-domain.example.org` },
    }),
    many: oneThing,
    'sign out': () => ({
      path: '/settings',
      act: async ({ t, press, see }) => {
        await press(t('settings.signOut'))
        await see(t('settings.signOutText'))
      },
    }),
    install: () => ({
      path: '/settings',
      act: async ({ t, see }) => {
        dispatchEvent(Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt: async () => {} }))
        await see(t('app.install.button'))
      },
    }),
    'not found': () => ({ path: '/settings/nothing' }),
  },
})

const notifications = listed('Notifications', '/settings/notifications', '/api/v1/me/notifications', {
  usual: () => ({ path: '/settings/notifications' }),
  empty: () => ({
    path: '/settings/notifications',
    answers: {
      '/api/v1/me/notifications': {
        get: { messages: false, chats: false, reviews: false, preview: 'none', digest: 'off', quiet: null },
      },
    },
  }),
  long: ownWords,
  many: oneThing,
  'not saved': () => ({
    path: '/settings/notifications',
    answers: { '/api/v1/me/notifications': { put: broken } },
    act: async ({ t, choose, see }) => {
      await choose(t('settings.notifications.digest'))
      await see(t('app.failure.server'))
    },
  }),
  'without mail': (world) => ({ path: '/settings/notifications', answers: providers(world, { mail: false }) }),
  'another time zone': ({ answers }) => ({
    path: '/settings/notifications',
    answers: {
      '/api/v1/me/notifications': {
        get: {
          ...(answers['/api/v1/me/notifications']?.get as object),
          quiet: { from: '22:00', to: '08:00', time_zone: 'America/Argentina/ComodRivadavia' },
        } as never,
      },
    },
  }),
})

const channels = listed('Devices', '/settings/devices', '/api/v1/me/channels', {
  usual: () => ({ path: '/settings/devices', push: 'default' }),
  empty: () => ({ path: '/settings/devices', push: 'default', answers: { '/api/v1/me/channels': { get: nothing } } }),
  long: (world) => ({
    path: '/settings/devices',
    push: 'granted',
    answers: {
      '/api/v1/me/channels': {
        get: {
          ...nothing,
          items: itemsOf(world, '/api/v1/me/channels').map((one) => ({ ...one, label: world.words.longText })),
        } as never,
      },
    },
  }),
  many: (world) => ({ path: '/settings/devices', push: 'granted', answers: manyOf(world, '/api/v1/me/channels') }),
  'this device': ({ idOf }) => ({
    path: '/settings/devices',
    push: 'default',
    begin: () => localStorage.setItem('convene:push-channel', idOf(10, 1)),
    act: async ({ t, see }) => see(t('settings.sessions.current')),
  }),
  denied: () => ({ path: '/settings/devices', push: 'denied' }),
  unsupported: () => ({ path: '/settings/devices' }),
})

const sessions = listed('Sessions', '/settings/sessions', '/api/v1/me/sessions', {
  usual: () => ({ path: '/settings/sessions' }),
  empty: (world) => ({
    path: '/settings/sessions',
    answers: {
      '/api/v1/me/sessions': { get: { ...nothing, items: itemsOf(world, '/api/v1/me/sessions').slice(0, 1) } as never },
    },
  }),
  long: ownWords,
  many: (world) => ({ path: '/settings/sessions', answers: manyOf(world, '/api/v1/me/sessions') }),
})

const identities = listed('Ways to sign in', '/settings/sign-in', '/api/v1/me/identities', {
  usual: () => ({ path: '/settings/sign-in' }),
  empty: () => ({ path: '/settings/sign-in', answers: { '/api/v1/me/identities': { get: nothing } } }),
  long: (world) => ({
    path: '/settings/sign-in',
    answers: {
      '/api/v1/me/identities': {
        get: {
          ...nothing,
          items: itemsOf(world, '/api/v1/me/identities').map((one) => ({ ...one, label: world.words.longText })),
        } as never,
      },
    },
  }),
  many: (world) => ({ path: '/settings/sign-in', answers: manyOf(world, '/api/v1/me/identities') }),
  'the last way': () => ({
    path: '/settings/sign-in',
    answers: { '/api/v1/me/identities/{id}': { delete: refused('last_identity', 409) } },
    act: async ({ t, press, see }) => {
      await press(t('settings.remove'))
      await see(t('settings.identities.last'))
    },
  }),
  'a new passkey': () => ({
    path: '/settings/sign-in',
    answers: { '/api/v1/me/passkeys/options': { post: refused('forbidden', 403) } },
    act: async ({ t, press, type, see }) => {
      await press(t('settings.identities.addPasskey'))
      await type(t('settings.identities.passkeyName'), 'Laptop')
      await press(t('settings.identities.addPasskey'))
      await see(t('settings.identities.confirm'))
    },
  }),
  'link with Telegram, the password': (world) => ({
    path: '/settings/sign-in',
    telegram: 'light',
    answers: {
      '/api/v1/me/identities': {
        get: { ...nothing, items: itemsOf(world, '/api/v1/me/identities').slice(0, 1) } as never,
      },
      '/api/v1/me/identities/messenger': { post: refused('forbidden', 403) },
    },
    act: async ({ t, press, see }) => {
      await press(t('settings.identities.linkTelegram'))
      await see(t('settings.identities.confirm'))
    },
  }),
  'link with Telegram': (world) => ({
    path: '/settings/sign-in',
    telegram: 'light',
    answers: {
      '/api/v1/me/identities': {
        get: { ...nothing, items: itemsOf(world, '/api/v1/me/identities').slice(0, 1) } as never,
      },
      '/api/v1/me/identities/messenger': { post: refused('identity_taken', 409) },
    },
    act: async ({ t, press, see }) => {
      await press(t('settings.identities.linkTelegram'))
      await see(t('settings.identities.taken'))
    },
  }),
})

const email = screen({
  title: 'E-mail',
  states: {
    usual: () => ({ path: '/settings/email' }),
    empty: () => ({ path: '/settings/email', me: { email: null } }),
    slow: () => ({ path: '/settings/email', answers: { '/api/v1/auth/providers': { get: silent } } }),
    offline: () => ({ path: '/settings/email', network: 'off' }),
    error: () => ({
      path: '/settings/email',
      answers: { '/api/v1/me/email': { put: refused('wrong_password', 403) } },
      act: async ({ t, type, press, see }) => {
        await type(t('settings.email.new'), 'mia@example.com')
        await press(t('settings.email.send'))
        await see(t('app.failure.wrongPassword'))
      },
    }),
    long: ({ words }) => ({
      path: '/settings/email',
      me: {
        email: `${words.long.replace(/\s/g, '.').toLowerCase()}@a-very-long-domain.example.org`,
        email_verified: false,
      },
    }),
    many: oneThing,
    'no mail here': (world) => ({ path: '/settings/email', answers: providers(world, { mail: false }) }),
    sent: () => ({
      path: '/settings/email',
      answers: { '/api/v1/me/email': { put: null } },
      act: async ({ t, type, press, see }) => {
        await type(t('settings.email.new'), 'mia@example.com')
        await press(t('settings.email.send'))
        await see(t('settings.email.sent', { email: 'mia@example.com' }))
      },
    }),
  },
})

const languageScreen = screen({
  title: 'Language',
  states: {
    usual: () => ({ path: '/settings/language' }),
    empty: noData,
    slow: noWait,
    offline: noNeed,
    error: () => ({
      path: '/settings/language',
      answers: { '/api/v1/me/prefs': { put: broken } },
      act: async ({ t, press, see }) => {
        await press(nameOfLanguage(document.documentElement.lang))
        await see(t('settings.language.choose'))
      },
    }),
    long: ownWords,
    many: oneThing,
  },
})

const data = screen({
  title: 'My data',
  states: {
    usual: () => ({ path: '/settings/data' }),
    empty: noData,
    slow: () => ({
      path: '/settings/data',
      answers: { '/api/v1/me/export': { get: silent } },
      act: async ({ t, press }) => press(t('settings.data.export')),
    }),
    offline: () => ({
      path: '/settings/data',
      network: 'off',
      act: async ({ t, press, see }) => {
        await press(t('settings.data.export'))
        await see(t('app.failure.offline'))
      },
    }),
    error: () => ({
      path: '/settings/data',
      answers: { '/api/v1/me/export': { get: hurried } },
      act: async ({ t, press, see }) => {
        await press(t('settings.data.export'))
        await see(t('app.failure.rateLimited'))
      },
    }),
    long: ownWords,
    many: oneThing,
  },
})

const erase = screen({
  title: 'Erase my account',
  states: {
    usual: () => ({ path: '/settings/erase' }),
    empty: noData,
    slow: () => ({
      path: '/settings/erase',
      answers: { '/api/v1/me': { delete: silent } },
      act: async ({ t, choose, press }) => {
        await choose(t('settings.erase.sure'))
        await press(t('settings.erase.button'))
      },
    }),
    offline: () => ({
      path: '/settings/erase',
      network: 'off',
      act: async ({ t, choose, press, see }) => {
        await choose(t('settings.erase.sure'))
        await press(t('settings.erase.button'))
        await see(t('app.failure.offline'))
      },
    }),
    error: () => ({
      path: '/settings/erase',
      answers: { '/api/v1/me': { delete: refused('wrong_password', 403) } },
      act: async ({ t, choose, press, see }) => {
        await choose(t('settings.erase.sure'))
        await press(t('settings.erase.button'))
        await see(t('app.failure.wrongPassword'))
      },
    }),
    long: ownWords,
    many: oneThing,
  },
})

const decided = ({ notices, page }: World): Answers => ({ '/api/v1/me/notices': { get: page(notices) } })

const reports = screen({
  title: 'Reports and decisions',
  states: {
    usual: (world) => ({ path: '/settings/reports', answers: decided(world) }),
    empty: () => ({
      path: '/settings/reports',
      answers: { '/api/v1/reports': { get: nothing } },
    }),
    slow: () => ({
      path: '/settings/reports',
      answers: { '/api/v1/reports': { get: silent }, '/api/v1/me/notices': { get: silent } },
    }),
    offline: () => ({ path: '/settings/reports', network: 'off' }),
    error: () => ({
      path: '/settings/reports',
      answers: { '/api/v1/reports': { get: broken }, '/api/v1/me/notices': { get: broken } },
    }),
    long: (world) => ({
      path: '/settings/reports',
      answers: {
        ...decided(world),
        '/api/v1/reports': {
          get: {
            ...nothing,
            items: (world.answers['/api/v1/reports']?.get as { items: object[] }).items.map((one) => ({
              ...one,
              details: `${world.words.longText} `.repeat(5),
            })),
          } as never,
        },
      },
    }),
    many: (world) => ({
      path: '/settings/reports',
      answers: {
        ...decided(world),
        '/api/v1/reports': {
          get: {
            ...nothing,
            items: Array.from({ length: 40 }, (_, at) => ({
              ...(world.answers['/api/v1/reports']?.get as { items: object[] }).items[at % 2],
              id: world.idOf(32, at),
            })),
          } as never,
        },
      },
    }),
    automatic: (world) => ({
      path: '/settings/reports',
      answers: noticed(
        world,
        { id: world.idOf(5, 3), action: 'show', ground: null, how_to_appeal: null },
        { id: world.idOf(5, 4), action: 'hide', ground: 'underage', automated: true },
        { id: world.idOf(5, 5), action: 'hide', ground: 'scam', automated: true },
        { id: world.idOf(5, 6), action: 'remove_content', ground: 'other', automated: true },
      ),
    }),
    appeal: (world) => ({
      path: '/settings/reports',
      answers: decided(world),
      act: async ({ t, press, see }) => {
        await press(t('settings.appeal.begin'))
        await see(t('settings.appeal.send'))
      },
    }),
  },
})

const blocked = listed('Blocked people', '/settings/blocked', '/api/v1/blocks', {
  usual: () => ({ path: '/settings/blocked' }),
  empty: () => ({ path: '/settings/blocked', answers: { '/api/v1/blocks': { get: nothing } } }),
  long: (world) => ({
    path: '/settings/blocked',
    answers: {
      '/api/v1/chats': {
        get: {
          ...nothing,
          unread_total: 0,
          items: [world.chatOf(0, { user: longPerson(world, { id: world.people[5]?.id ?? '' }) })],
        },
      },
    },
  }),
  many: ({ idOf, people }) => ({
    path: '/settings/blocked',
    answers: {
      '/api/v1/blocks': {
        get: {
          ...nothing,
          items: Array.from({ length: 50 }, (_, at) => ({
            id: idOf(33, at),
            user_id: people[at % 7]?.id ?? '',
            created_at: ago(days(at + 1)),
          })),
        },
      },
    },
  }),
})

const whole = screen({
  title: 'The whole app',
  states: {
    usual: 'Every other screen is one.',
    empty: () => ({ path: '/nothing/here' }),
    'led on': () => ({ path: '/' }),
    slow: 'Each screen has its own.',
    offline: () => ({ path: '/nearby/', network: 'off', kept: {} }),
    error: ({ chats }) => ({
      path: '/chats',
      // An answer that the server never gives, which makes rendering throw.
      answers: {
        '/api/v1/chats': {
          get: { ...nothing, unread_total: 0, items: [{ ...chats[0], last_msg_at: 'no time' }] } as never,
        },
      },
      act: async ({ t, see }) => see(t('app.crash.reload')),
    }),
    long: ownWords,
    many: oneThing,
  },
})

export const app: Face = {
  title: 'The app',
  pictures: {
    'welcome/usual': 'Welcome',
    'welcome/terms': 'The community’s texts',
    'sign-in/usual': 'Sign in',
    'sign-up/usual': 'Sign up',
    'forgot/usual': 'Forgotten password',
    'links/usual': 'A link in a mail',
    'ended/usual': 'The session has ended',
    'ended/suspended': 'Suspended, with the way to appeal',
    'consents/usual': 'Consents',
    'telegram/usual': 'As a Telegram mini-app',
    'nearby/usual': 'Nearby',
    'nearby/no place': 'Before the first position',
    'around/usual': 'Around me, without a map',
    'filters/usual': 'Filters',
    'person/usual': 'A profile',
    'person/block': 'Blocking somebody',
    'person/report': 'Reporting somebody',
    'chats/usual': 'Chats',
    'chat/usual': 'A chat',
    'chat/photo to send': 'Sending a photo',
    'chat/review': 'A review',
    'me/usual': 'Me',
    'edit-profile/usual': 'Editing my profile',
    'edit-profile/crop': 'Choosing the square of a photo',
    'preferences/usual': 'What I like',
    'settings/usual': 'Settings',
    'notifications/usual': 'Notifications',
    'devices/usual': 'Where notifications go',
    'sessions/usual': 'Sessions',
    'identities/usual': 'Ways to sign in',
    'email/usual': 'E-mail',
    'language/usual': 'Language',
    'data/usual': 'What is stored about me',
    'erase/usual': 'Erasing the account',
    'reports/usual': 'Reports and decisions',
    'blocked/usual': 'Blocked people',
  },
  screens: {
    welcome,
    'sign-in': signIn,
    'sign-up': signUp,
    forgot,
    links,
    'from-provider': fromProvider,
    ended,
    consents,
    telegram,
    nearby: people,
    around: radar,
    filters,
    person,
    chats,
    chat,
    me,
    'edit-profile': editProfile,
    preferences,
    settings,
    notifications,
    devices: channels,
    sessions,
    identities,
    email,
    language: languageScreen,
    data,
    erase,
    reports,
    blocked,
    whole,
  },
}
