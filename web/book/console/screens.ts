import {
  type AnyScreen,
  type Answers,
  type Face,
  type Hands,
  lost,
  type Outcome,
  refused,
  type Screen,
  silent,
  type State,
} from '../book.ts'
import { idOf, type World } from './world.ts'

const screen = (made: Screen<World>): AnyScreen => made as unknown as AnyScreen

const broken = refused('internal_error', 500)
const nothing = { items: [], next_cursor: null }

const noData = 'It shows nothing that is read.'
const oneThing = 'It shows one thing.'
const ownWords = 'All words on it are its own.'

const reports = '/api/v1/admin/reports' as const
const oneReport = '/api/v1/admin/reports/{id}' as const
const onePerson = '/api/v1/admin/users/{id}' as const
const reportPath = `/console/queue/${idOf(5, 0)}`

/** The states in which the one route that a screen reads does not answer. */
const without = (path: string, route: keyof Answers) => {
  const when = (outcome: Outcome) => (): State => ({ path, answers: { [route]: { get: outcome } } as Answers })
  return { slow: when(silent), offline: when(lost), error: when(broken) }
}

const fillSignIn = async ({ t, type, press }: Hands) => {
  await type(t('console.signIn.contact'), 'nadia@example.org')
  await type(t('console.signIn.password'), 'a long pass phrase')
  await press(t('console.signIn.title'))
}
const login = (outcome: Outcome, text: string) => (): State => ({
  path: '/console',
  session: 'out',
  answers: { '/api/v1/auth/login': { post: outcome } },
  act: async (hands) => {
    await fillSignIn(hands)
    if (text) await hands.see(hands.t(text))
  },
})

const signIn = screen({
  title: 'Sign in',
  states: {
    usual: () => ({ path: '/console', session: 'out' }),
    empty: noData,
    slow: login(silent, ''),
    offline: login(lost, 'console.failure.offline'),
    error: login(refused('invalid_credentials', 401), 'console.failure.wrongLogin'),
    long: ownWords,
    many: oneThing,
    ended: () => ({ path: '/console', session: 'unauthenticated' }),
  },
})

const needsPasskey = refused('second_factor_required', 403)
const passkeys = (count: number) => ({
  items: count === 0 ? [] : [{ id: idOf(11, 1), kind: 'passkey', label: 'Laptop', provider: null }],
})
const confirm = screen({
  title: 'Confirming with a passkey',
  states: {
    usual: () => ({
      path: '/console/queue',
      answers: { [reports]: { get: needsPasskey }, '/api/v1/me/identities': { get: passkeys(1) as never } },
    }),
    empty: () => ({
      path: '/console/queue',
      answers: { [reports]: { get: needsPasskey }, '/api/v1/me/identities': { get: passkeys(0) as never } },
    }),
    slow: () => ({
      path: '/console/queue',
      answers: { [reports]: { get: needsPasskey }, '/api/v1/me/identities': { get: silent } },
    }),
    offline: () => ({
      path: '/console/queue',
      answers: { [reports]: { get: needsPasskey }, '/api/v1/me/identities': { get: lost } },
    }),
    error: () => ({
      path: '/console/queue',
      answers: {
        ...{ [reports]: { get: needsPasskey }, '/api/v1/me/identities': { get: passkeys(1) as never } },
        '/api/v1/auth/passkey/options': { post: broken },
      },
      act: async ({ t, press, see }) => {
        await press(t('console.confirm.show'))
        await see(t('console.failure.server'))
      },
    }),
    long: ownWords,
    many: oneThing,
  },
})

const notForYou = screen({
  title: 'For people without a role',
  states: {
    usual: () => ({ path: '/console', me: { role: 'user' } }),
    empty: noData,
    slow: 'It stands in the place of the whole console, which waits for the role.',
    offline: oneThing,
    error: oneThing,
    long: ({ words }) => ({ path: '/console', me: { role: 'user', name: words.long } }),
    many: oneThing,
  },
})

const decide = async ({ t, press, type }: Hands) => {
  await press(t('queue.action.warn'))
  await type(t('decision.reason'), 'Section 3 of our rules forbids threats.')
  await press(t('decision.andNext'))
}

const queue = screen({
  title: 'Queue',
  states: {
    usual: () => ({ path: '/console/queue' }),
    empty: ({ counts }) => ({
      path: '/console/queue',
      answers: { [reports]: { get: { ...nothing, counts: { ...counts, open: 0, overdue: 0, by_kind: {} } } } },
    }),
    ...without('/console/queue', reports),
    long: ({ page, counts, queued, words }) => ({
      path: '/console/queue',
      answers: { [reports]: { get: { ...page([queued(0, { details: words.longText }), queued(2)]), counts } } },
    }),
    many: ({ counts, queued }) => ({
      path: '/console/queue',
      answers: {
        [reports]: {
          get: {
            items: Array.from({ length: 50 }, (_, number) => queued(number)),
            next_cursor: 'more',
            counts: { ...counts, open: 12_480, overdue: 1290, by_kind: { message: 9000, user: 3480 } },
          },
        },
      },
    }),
    resolved: ({ page, queued, counts, words }) => ({
      path: '/console/queue?status=resolved',
      answers: {
        [reports]: {
          get: {
            ...page(
              (['warn', 'dismiss', 'remove_content', 'suspend'] as const).map((action, number) =>
                queued(number + 40, {
                  ...{ status: 'resolved', claimed_by: null },
                  resolution: {
                    ...{ action, note: words.reasonWarned, resolved_at: queued(2).created_at },
                    ...{ resolved_by: null, until: null },
                  },
                }),
              ),
            ),
            counts,
          },
        },
      },
    }),
    'nothing next': () => ({
      path: '/console/queue',
      answers: { '/api/v1/admin/reports/next': { post: null } },
      act: async ({ t, press, see }) => {
        await press(t('queue.next'))
        await see(t('queue.nothingNext'))
      },
    }),
    'for moderators': () => ({ path: '/console/queue', me: { role: 'moderator' } }),
  },
})

const openReport = (more: (world: World) => Parameters<World['report']>[1], act?: State['act']) => (world: World) =>
  ({
    path: reportPath,
    answers: { [oneReport]: { get: world.report(0, more(world)) } },
    ...(act && { act }),
  }) satisfies State

const report = screen({
  title: 'A report',
  states: {
    usual: openReport(({ mine }) => mine),
    empty: openReport(({ mine }) => ({ ...mine, evidence: null, subject_id: null, details: null, reporter_id: null })),
    ...without(reportPath, oneReport),
    long: (world) => {
      const long = world.message(9, world.person.id, `${world.words.longText} `.repeat(6), 58)
      return {
        path: reportPath,
        answers: {
          [oneReport]: {
            get: world.report(0, {
              ...{ ...world.mine, details: `${world.words.longText} `.repeat(3) },
              evidence: { ...world.evidence, message: long },
            }),
          },
          [onePerson]: { get: { ...world.person, name: world.words.long } },
        },
      }
    },
    many: (world) => ({
      path: reportPath,
      answers: {
        [oneReport]: { get: world.report(0, world.mine) },
        [reports]: {
          get: {
            items: Array.from({ length: 50 }, (_, number) => world.queued(number)),
            next_cursor: 'more',
            counts: world.counts,
          },
        },
        [onePerson]: {
          get: {
            ...world.person,
            decisions: Array.from({ length: 12 }, (_, number) => world.decision({ id: idOf(9, 50 + number) })),
            counts: {
              reports: 4812,
              open_reports: 310,
              review_reports: 12,
              open_review_reports: 1,
              blocks: 1244,
              messages: 120_931,
            },
          },
        },
      },
    }),
    unclaimed: openReport(() => ({})),
    taken: openReport(({ queued }) => ({
      claimed_by: queued(1).claimed_by,
      claimed_until: queued(1).claimed_until,
    })),
    blurred: openReport(
      ({ mine }) => mine,
      async ({ t, press }) => press(t('evidence.images.hidden')),
    ),
    clear: openReport(
      ({ mine }) => mine,
      async ({ t, press }) => {
        await press(t('evidence.images.hidden'))
        await press(t('evidence.images.blurred'))
      },
    ),
    person: openReport(({ mine, evidence, profile, report, message, person }) => ({
      ...{ ...mine, kind: 'user', reason: 'impersonation', message_id: null, user_id: person.id },
      evidence: { ...evidence, message: null, before: [], after: [], versions: [], user: profile },
      details: report(6).details ?? message(1, '', '', 0).text,
    })),
    review: openReport(({ mine, evidence, review }) => ({
      ...{ ...mine, kind: 'review', reason: 'hate', message_id: null, review_id: review.id },
      evidence: { ...evidence, message: null, before: [], after: [], versions: [], review },
    })),
    held: openReport(({ mine, evidence }) => ({
      ...{ ...mine, kind: 'held', reason: 'other', reporter_id: null, details: null },
      evidence: { ...evidence, versions: [], after: [] },
    })),
    deciding: openReport(
      ({ mine }) => mine,
      async ({ t, press, see }) => {
        await press(t('queue.action.suspend'))
        await see(t('decision.term'))
      },
    ),
    removing: (world) => ({
      path: reportPath,
      answers: {
        [oneReport]: {
          get: world.report(0, {
            ...{ ...world.mine, kind: 'user', message_id: null, user_id: world.person.id },
            evidence: { ...world.evidence, message: null, before: [], after: [], versions: [], user: world.profile },
          }),
        },
      },
      act: async ({ t, press, see }) => {
        await press(t('queue.action.remove_content'))
        await see(t('decision.banImages'))
      },
    }),
    undo: (world) => ({ ...openReport(({ mine }) => mine)(world), act: decide }),
    'undo failed': (world) => ({
      path: reportPath,
      answers: {
        [oneReport]: { get: world.report(0, world.mine) },
        '/api/v1/admin/reports/{id}/resolve': {
          ...world.answers['/api/v1/admin/reports/{id}/resolve'],
          delete: lost,
        },
      },
      act: async (hands) => {
        await decide(hands)
        await hands.press(hands.t('queue.undo'))
        await hands.see(hands.t('console.failure.offline'))
      },
    }),
    claimed: (world) => ({
      path: reportPath,
      answers: {
        [oneReport]: { get: world.report(0, world.mine) },
        '/api/v1/admin/reports/{id}/resolve': { post: refused('claimed', 409) },
      },
      act: async (hands) => {
        await decide(hands)
        await hands.see(hands.t('console.failure.claimed'))
      },
    }),
    'takes effect': openReport(({ report, me, words, mine }) => ({
      ...mine,
      pending: {
        ...{ action: 'warn', ban_images: false, decided_by: me.id, note: words.reasonWarned, strikes: 1 },
        ...{ takes_effect_at: report().due_at, until: null },
      },
    })),
    resolved: openReport(({ words, queued }) => ({
      status: 'resolved',
      resolution: {
        ...{ action: 'suspend', note: words.reasonWarned, resolved_at: queued(2).created_at },
        ...{ resolved_by: null, until: queued(3).due_at },
      },
    })),
  },
})

const appealRoute = '/api/v1/admin/appeals' as const
const appeals = screen({
  title: 'Appeals',
  states: {
    usual: () => ({ path: '/console/appeals' }),
    empty: () => ({ path: '/console/appeals', answers: { [appealRoute]: { get: nothing } } }),
    ...without('/console/appeals', appealRoute),
    long: ({ page, appeal, words }) => ({
      path: '/console/appeals',
      answers: { [appealRoute]: { get: page([appeal(0, { text: words.longText.repeat(4) })]) } },
    }),
    many: ({ appeal }) => ({
      path: '/console/appeals',
      answers: {
        [appealRoute]: {
          get: { items: Array.from({ length: 50 }, (_, number) => appeal(number)), next_cursor: 'more' },
        },
      },
    }),
  },
})

const appealPath = `/console/appeals/${idOf(10, 0)}`
const appeal = screen({
  title: 'An appeal',
  states: {
    usual: () => ({ path: appealPath }),
    empty: () => ({ path: appealPath, answers: { [appealRoute]: { get: nothing } } }),
    ...without(appealPath, appealRoute),
    long: ({ page, appeal, words }) => ({
      path: appealPath,
      answers: { [appealRoute]: { get: page([appeal(0, { text: `${words.longText} `.repeat(8) })]) } },
    }),
    many: oneThing,
    deciding: () => ({
      path: appealPath,
      act: async ({ t, press, type }) => {
        await press(t('appeals.decide.uphold'))
        await type(t('decision.reason'), 'You are right, and we are sorry.')
      },
    }),
    'of one’s own': ({ page, appeal }) => ({
      path: appealPath,
      answers: { [appealRoute]: { get: page([appeal(0, { may_resolve: false })]) } },
    }),
    refused: () => ({
      path: appealPath,
      answers: { '/api/v1/admin/appeals/{id}/resolve': { post: refused('forbidden', 403) } },
      act: async ({ t, press, type, see }) => {
        await press(t('appeals.decide.reject'))
        await type(t('decision.reason'), 'I was right.')
        await press(t('decision.only'))
        await see(t('console.failure.forbidden'))
      },
    }),
    decided: ({ page, appeal, queued, words }) => ({
      path: `${appealPath}?status=upheld`,
      answers: {
        [appealRoute]: {
          get: page([
            appeal(0, { status: 'upheld', may_resolve: false, note: words.answer, resolved_at: queued(2).created_at }),
          ]),
        },
      },
    }),
  },
})

const peopleRoute = '/api/v1/admin/users' as const
const people = screen({
  title: 'People',
  states: {
    usual: () => ({ path: '/console/people' }),
    empty: () => ({ path: '/console/people?q=zzz', answers: { [peopleRoute]: { get: nothing } } }),
    ...without('/console/people', peopleRoute),
    long: ({ page, found, words }) => ({
      path: '/console/people',
      answers: {
        [peopleRoute]: {
          get: page(
            found.slice(0, 3).map((one) => ({ ...one, name: words.long, email: `${'long.'.repeat(12)}@example.org` })),
          ),
        },
      },
    }),
    many: ({ found }) => ({
      path: '/console/people',
      answers: {
        [peopleRoute]: {
          get: {
            items: Array.from({ length: 50 }, (_, number) => ({ ...found[number % 8]!, id: idOf(2, number) })),
            next_cursor: 'more',
          },
        },
      },
    }),
    'for moderators': () => ({ path: '/console/people', me: { role: 'moderator' } }),
  },
})

const personPath = `/console/people/${idOf(2, 0)}`
const person = screen({
  title: 'An account',
  states: {
    usual: () => ({ path: personPath }),
    empty: ({ person }) => ({
      path: personPath,
      answers: {
        [onePerson]: {
          get: {
            ...{ ...person, name: null, email: null, decisions: [], identities: [], sessions: [], strikes: 0 },
            counts: { reports: 0, open_reports: 0, review_reports: 0, open_review_reports: 0, blocks: 0, messages: 0 },
          },
        },
        [reports]: { get: { ...nothing, counts: { open: 0, overdue: 0, by_kind: {} } } },
      },
    }),
    ...without(personPath, onePerson),
    long: ({ person, words }) => ({
      path: personPath,
      answers: {
        [onePerson]: { get: { ...person, name: words.long, email: `${'long.'.repeat(12)}@example.org` } },
      },
    }),
    many: ({ person, decision }) => ({
      path: personPath,
      answers: {
        [onePerson]: {
          get: {
            ...person,
            decisions: Array.from({ length: 50 }, (_, number) => decision({ id: idOf(9, 50 + number) })),
          },
        },
      },
    }),
    suspended: ({ suspended }) => ({ path: personPath, answers: { [onePerson]: { get: suspended } } }),
    asks: () => ({
      path: personPath,
      act: async ({ t, press, see }) => {
        await press(t('people.endSessions'))
        await see(t('people.endSessionsAsk'))
      },
    }),
    'for moderators': ({ person: { email, email_verified, phone, identities, sessions, ...person } }) => ({
      path: personPath,
      me: { role: 'moderator' },
      answers: { [onePerson]: { get: person } },
    }),
  },
})

const ruleRoute = '/api/v1/admin/rules' as const
const rules = screen({
  title: 'Rules',
  states: {
    usual: () => ({ path: '/console/rules' }),
    empty: () => ({
      path: '/console/rules',
      answers: {
        [ruleRoute]: { get: { version: 0, next_cursor: null, items: [] } },
        '/api/v1/admin/rules/versions': { get: nothing },
      },
    }),
    ...without('/console/rules', ruleRoute),
    long: ({ rule, words }) => ({
      path: '/console/rules',
      answers: { [ruleRoute]: { get: { version: 1, next_cursor: null, items: [rule(0, { name: words.long })] } } },
    }),
    many: ({ rule }) => ({
      path: '/console/rules',
      answers: {
        [ruleRoute]: {
          get: { version: 60, next_cursor: null, items: Array.from({ length: 100 }, (_, number) => rule(number)) },
        },
      },
    }),
    tried: ({ words }) => ({
      path: '/console/rules',
      act: async ({ t, press, type, see }) => {
        // A small screen shows either the list or the detail.
        if (innerWidth < 700) await press(t('rules.try.open'))
        await type(t('rules.try.text'), words.rules[0] ?? '')
        await press(t('rules.try.run'))
        await see(t('rules.verdict.refuse'))
      },
    }),
  },
})

const rulePath = `/console/rules/${idOf(13, 0)}`
const rule = screen({
  title: 'A rule',
  states: {
    usual: () => ({ path: rulePath }),
    empty: () => ({ path: '/console/rules/new' }),
    ...without(rulePath, ruleRoute),
    long: ({ rule, words }) => ({
      path: rulePath,
      answers: {
        [ruleRoute]: {
          get: {
            version: 1,
            next_cursor: null,
            items: [rule(0, { name: words.long, match: { type: 'words', words: [words.longText, words.long, 'a'] } })],
          },
        },
      },
    }),
    many: ({ rule }) => ({
      path: rulePath,
      answers: {
        [ruleRoute]: {
          get: {
            version: 1,
            next_cursor: null,
            items: [rule(0, { match: { type: 'words', words: Array.from({ length: 900 }, (_, at) => `word ${at}`) } })],
          },
        },
      },
    }),
    pattern: ({ rule }) => ({
      path: rulePath,
      answers: {
        [ruleRoute]: {
          get: {
            version: 1,
            next_cursor: null,
            items: [rule(0, { match: { type: 'pattern', pattern: 'money (?=now)' } })],
          },
        },
        '/api/v1/admin/rules/{id}': {
          put: refused('validation_failed', 422, {
            detail: 'RE2 has no lookahead.',
            errors: [{ path: '/match/pattern', code: 'format', message: 'RE2 has no lookahead, at character 7' }],
          }),
        },
      },
      act: async ({ t, press, type }) => {
        await type(t('rules.pattern'), 'money (?=now) ')
        await press(t('console.save'))
      },
    }),
    link: ({ rule }) => ({
      path: rulePath,
      answers: {
        [ruleRoute]: { get: { version: 1, next_cursor: null, items: [rule(0, { match: { type: 'link' } })] } },
      },
    }),
    contact: ({ rule }) => ({
      path: rulePath,
      answers: {
        [ruleRoute]: { get: { version: 1, next_cursor: null, items: [rule(0, { match: { type: 'contact' } })] } },
      },
    }),
    repeated: ({ rule }) => ({
      path: rulePath,
      answers: {
        [ruleRoute]: {
          get: {
            version: 1,
            next_cursor: null,
            items: [rule(0, { match: { type: 'repeated', people: 5, within_h: 24 } })],
          },
        },
      },
    }),
    image: ({ rule }) => ({
      path: rulePath,
      answers: {
        [ruleRoute]: {
          get: {
            version: 1,
            next_cursor: null,
            items: [rule(0, { applies_to: ['photo'], match: { type: 'image', distance: 31 } })],
          },
        },
      },
    }),
  },
})

const bankRoute = '/api/v1/admin/image-bank' as const
const images = screen({
  title: 'Image bank',
  states: {
    usual: () => ({ path: '/console/images' }),
    empty: () => ({ path: '/console/images', answers: { [bankRoute]: { get: nothing } } }),
    ...without('/console/images', bankRoute),
    long: ({ page, banned, words }) => ({
      path: '/console/images',
      answers: { [bankRoute]: { get: page([banned(0, { reason: words.longText.repeat(2) })]) } },
    }),
    many: ({ banned }) => ({
      path: '/console/images',
      answers: {
        [bankRoute]: { get: { items: Array.from({ length: 50 }, (_, number) => banned(number)), next_cursor: 'more' } },
      },
    }),
    adding: () => ({ path: '/console/images', act: async ({ t, press }) => press(t('images.add')) }),
  },
})

const templateRoute = '/api/v1/admin/templates' as const
const templates = screen({
  title: 'Templates',
  states: {
    usual: () => ({ path: '/console/templates' }),
    empty: () => ({
      path: '/console/templates',
      answers: { [templateRoute]: { get: { next_cursor: null, items: [] } } },
    }),
    ...without('/console/templates', templateRoute),
    long: ({ templates, words }) => ({
      path: '/console/templates',
      answers: {
        [templateRoute]: {
          get: {
            next_cursor: null,
            items: templates.map((one) => ({ ...one, name: words.long, text: words.longText.repeat(3) })),
          },
        },
      },
    }),
    many: ({ templates }) => ({
      path: '/console/templates',
      answers: {
        [templateRoute]: {
          get: {
            next_cursor: null,
            items: Array.from({ length: 80 }, (_, number) => ({ ...templates[number % 4]!, id: idOf(15, number) })),
          },
        },
      },
    }),
  },
})

const templatePath = `/console/templates/${idOf(15, 0)}`
const template = screen({
  title: 'A template',
  states: {
    usual: () => ({ path: templatePath }),
    empty: () => ({ path: '/console/templates/new' }),
    ...without(templatePath, templateRoute),
    long: ({ templates, words }) => ({
      path: templatePath,
      answers: {
        [templateRoute]: {
          get: {
            next_cursor: null,
            items: templates.map((one) => ({ ...one, name: words.long, text: words.longText.repeat(8) })),
          },
        },
      },
    }),
    many: oneThing,
    unsaved: () => ({
      path: templatePath,
      act: async ({ t, type, see }) => {
        await type(t('templates.name'), 'Spam and scams')
        await see(t('rules.unsaved'))
      },
    }),
  },
})

const announcementRoute = '/api/v1/admin/announcements' as const
const announcements = screen({
  title: 'Announcements',
  states: {
    usual: () => ({ path: '/console/announcements' }),
    empty: () => ({ path: '/console/announcements', answers: { [announcementRoute]: { get: nothing } } }),
    ...without('/console/announcements', announcementRoute),
    long: ({ page, announcement, words }) => ({
      path: '/console/announcements',
      answers: { [announcementRoute]: { get: page([announcement(0, { text: words.longText.repeat(4) })]) } },
    }),
    many: ({ announcement }) => ({
      path: '/console/announcements',
      answers: {
        [announcementRoute]: {
          get: { items: Array.from({ length: 20 }, (_, number) => announcement(number)), next_cursor: 'more' },
        },
      },
    }),
    writing: () => ({ path: '/console/announcements', act: async ({ t, press }) => press(t('announcements.new')) }),
  },
})

const inviteRoute = '/api/v1/admin/invites' as const
const invitations = screen({
  title: 'Invitations',
  states: {
    usual: () => ({ path: '/console/invitations' }),
    empty: () => ({ path: '/console/invitations', answers: { [inviteRoute]: { get: nothing } } }),
    ...without('/console/invitations', inviteRoute),
    long: ({ page, invite, words }) => ({
      path: '/console/invitations',
      answers: { [inviteRoute]: { get: page([invite(0, { note: words.longText.repeat(2) })]) } },
    }),
    many: ({ invite }) => ({
      path: '/console/invitations',
      answers: {
        [inviteRoute]: {
          get: { items: Array.from({ length: 50 }, (_, number) => invite(number)), next_cursor: 'more' },
        },
      },
    }),
    making: () => ({ path: '/console/invitations', act: async ({ t, press }) => press(t('invites.new')) }),
    made: () => ({
      path: '/console/invitations',
      act: async ({ t, press, see }) => {
        await press(t('invites.new'))
        await press(t('invites.make'))
        await see(t('invites.onlyNow'))
      },
    }),
  },
})

const numbers = screen({
  title: 'Numbers',
  states: {
    usual: () => ({ path: '/console/numbers' }),
    empty: ({ stats }) => ({
      path: '/console/numbers',
      answers: {
        '/api/v1/admin/stats': {
          get: {
            ...{ open: 0, overdue: 0, held: 0, time_to_action: { p50_s: null, p95_s: null } },
            ...{ target_s: 24 * 3600, reports_by_kind: {} },
            days: stats.days.map(({ date }) => ({
              ...{ date, registered: 0, active: 0, messages: 0, chats: 0, reports: 0, decided: 0, blocks: 0 },
            })),
          },
        },
      },
    }),
    ...without('/console/numbers', '/api/v1/admin/stats'),
    long: ownWords,
    many: ({ stats }) => ({
      path: '/console/numbers',
      answers: {
        '/api/v1/admin/stats': {
          get: {
            ...{ ...stats, open: 120_480, overdue: 9431 },
            days: stats.days.map((day) => ({ ...day, messages: day.messages * 10_000, active: day.active * 9000 })),
          },
        },
      },
    }),
    table: () => ({ path: '/console/numbers', act: async ({ t, press }) => press(t('numbers.table')) }),
  },
})

const auditRoute = '/api/v1/admin/audit' as const
const audit = screen({
  title: 'Audit log',
  states: {
    usual: () => ({ path: '/console/audit' }),
    empty: () => ({ path: '/console/audit?action=nothing', answers: { [auditRoute]: { get: nothing as never } } }),
    ...without('/console/audit', auditRoute),
    long: ({ page, entry, words }) => ({
      path: '/console/audit',
      answers: { [auditRoute]: { get: page([entry(0, { metadata: { reason: words.longText.repeat(2) } })]) as never } },
    }),
    many: ({ entry }) => ({
      path: '/console/audit',
      answers: {
        [auditRoute]: {
          get: { items: Array.from({ length: 50 }, (_, number) => entry(number)), next_cursor: 'more' } as never,
        },
      },
    }),
    filtered: () => ({ path: '/console/audit?action=login&from=2026-05-01&to=2026-05-14' }),
  },
})

const transparencyRoute = '/api/v1/admin/transparency' as const
const transparency = screen({
  title: 'Transparency report',
  states: {
    usual: () => ({ path: '/console/transparency' }),
    empty: ({ transparency }) => ({
      path: '/console/transparency',
      answers: {
        [transparencyRoute]: {
          get: {
            ...{ ...transparency, time_to_action: { p50_s: null, p95_s: null } },
            notices: { total: 0, by_reason: {}, by_kind: {} },
            decisions: { total: 0, by_action: {}, by_ground: {}, by_kind: {}, own_initiative: {} },
            ...{ automated: { total: 0, overturned: 0 }, appeals: { total: 0, upheld: 0, rejected: 0, open: 0 } },
          } as never,
        },
      },
    }),
    ...without('/console/transparency', transparencyRoute),
    long: ownWords,
    many: oneThing,
  },
})

const settingRoute = '/api/v1/admin/settings' as const
const settings = screen({
  title: 'Settings',
  states: {
    usual: () => ({ path: '/console/settings' }),
    empty: ({ settings }) => ({
      path: '/console/settings',
      answers: { [settingRoute]: { get: { items: settings.filter(({ source }) => source === 'default') } } },
    }),
    ...without('/console/settings', settingRoute),
    long: ({ setting, words }) => ({
      path: '/console/settings',
      answers: {
        [settingRoute]: {
          get: { items: [setting('A_SETTING_WITH_A_VERY_LONG_NAME_THAT_GOES_ON', words.longText, null)] },
        },
      },
    }),
    many: ({ setting }) => ({
      path: '/console/settings',
      answers: {
        [settingRoute]: {
          get: {
            items: Array.from({ length: 120 }, (_, number) => setting(`SETTING_${number}`, String(number), null)),
          },
        },
      },
    }),
  },
})

const whole = screen({
  title: 'The whole console',
  states: {
    usual: 'Every other screen is one.',
    empty: () => ({ path: '/console/nothing/here' }),
    slow: 'Each screen has its own.',
    offline: () => ({ path: '/console/queue', network: 'off' }),
    error: () => ({
      path: '/console/settings',
      // An answer that the server never gives, which makes rendering throw.
      answers: { [settingRoute]: { get: {} as never } },
      act: async ({ t, see }) => see(t('console.crash.reload')),
    }),
    long: ({ words }) => ({ path: '/console/queue', me: { name: words.long }, brand: { name: words.long } }),
    many: oneThing,
    keys: () => ({
      path: reportPath,
      act: async ({ t, press }) => {
        // On a small screen, the button is in the menu.
        if (innerWidth < 700) await press(t('console.menu.open'))
        await press(t('console.keys.title'))
      },
    }),
    menu: () => ({
      path: '/console/queue',
      act: async ({ t, press }) => {
        if (innerWidth < 700) await press(t('console.menu.open'))
      },
    }),
  },
})

export const console: Face = {
  title: 'The console',
  pictures: {
    'sign-in/usual': 'Sign in to the console',
    'queue/usual': 'The queue',
    'report/usual': 'A report with its evidence, claimed',
    'report/blurred': 'The images of a report, asked for: blurred and grey at first',
    'report/deciding': 'A decision',
    'report/undo': 'Ten seconds to take it back',
    'appeal/usual': 'An appeal',
    'person/usual': 'A person’s account',
    'rules/usual': 'Rules',
    'numbers/usual': 'Numbers',
    'audit/usual': 'The audit log',
    'transparency/usual': 'The transparency report',
    'settings/usual': 'The settings in force',
    'whole/keys': 'All keys',
  },
  screens: {
    'sign-in': signIn,
    confirm,
    'not-for-you': notForYou,
    queue,
    report,
    appeals,
    appeal,
    people,
    person,
    rules,
    rule,
    images,
    templates,
    template,
    announcements,
    invitations,
    numbers,
    audit,
    transparency,
    settings,
    whole,
  },
}
