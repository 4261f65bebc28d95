import type { components, Me, Message } from 'convene-client'
import { ago, days, now } from '../app/world.ts'
import { type Answers, refused } from '../book.ts'
import { anAccount, aText } from '../whole.ts'
import { portrait, river, riverPlaceholder } from '../pictures.ts'

type Schemas = components['schemas']
type Report = Schemas['ReportWithEvidence']
type Queued = Schemas['QueuedReport']

const minutes = 60_000
const hours = 60 * minutes
const later = (ms: number) => ago(-ms)
export const idOf = (kind: number, number: number) =>
  `0199a3c4-${String(kind).padStart(4, '0')}-7000-8000-${String(number).padStart(12, '0')}`

export type World = ReturnType<typeof worldOf>

const texts = {
  en: {
    me: 'Nadia Okafor',
    people: ['Viktor', 'Jonas', 'Priya', 'Amara', 'Lena', 'Henrik', 'Kwame', 'Sofia'],
    details: [
      'He asked for my address three times, and then wrote this.',
      'Wants me to pay for a ticket.',
      'Says she is fifteen.',
      null,
      'Same text to everybody in our group.',
      null,
      'These are not his photos.',
      null,
    ],
    talk: [
      ['other', 'Hi, are you coming on Saturday too?'],
      ['other', 'No, I would rather not tell you where I live.'],
      ['subject', 'Then tell me the street at least.'],
    ] as const,
    reported: 'You think you are better than us. I will find out where you live anyway.',
    version: 'You think you are better than us.',
    answer: 'Please do not write to me any more.',
    bio: 'New here. Coffee, chess, long walks.',
    city: 'Berlin',
    tags: [['coffee', 'red wine'], ['chess', 'walks'], ['friends']] as const,
    reasonWarned: 'Section 3 of our rules forbids threats and insults. The message was one.',
    appeal: 'I was angry, and I have apologised to her since. Nobody was meant to be frightened by it.',
    suspended: 'Several people were asked for money in their first message.',
    templates: [
      ['Threats', 'Section 3 of our rules forbids threats. Whoever threatens others cannot stay.'],
      ['Asking for money', 'Section 4 of our rules forbids asking people for money.'],
      ['Not your photo', 'Section 6 of our rules asks for photos of yourself.'],
    ],
    rules: [
      'Advance fees',
      'Links in first messages',
      'Contact details in first messages',
      'Repeated openers',
      'Slurs',
    ],
    refusal: 'Never ask for money here.',
    banned: 'A scam with a gift card',
    invite: 'Winter meetup',
    announcements: [
      'We meet on Sunday at noon at the lock. Whoever is new is welcome.',
      'On Tuesday from 02:00 to 02:30 the server is away.',
    ],
    long: 'Maximiliana-Alexandrina von Hohenstaufen-Wittelsbach zu Rothenburg ob der Tauber',
    longText:
      'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenhersteller and https://example.org/a/very/long/address/that/has/no/place/to/break/in/it?and=goes&on=and&on=and&on',
  },
  ru: {
    me: 'Надя Окафор',
    people: ['Виктор', 'Йонас', 'Прия', 'Амара', 'Лена', 'Хенрик', 'Кваме', 'София'],
    details: [
      'Трижды спросил мой адрес, а потом написал вот это.',
      'Просит оплатить билет.',
      'Говорит, что ей пятнадцать.',
      null,
      'Один и тот же текст всем в нашей группе.',
      null,
      'Это не его фотографии.',
      null,
    ],
    talk: [
      ['other', 'Привет, вы тоже придёте в субботу?'],
      ['other', 'Нет, я не хочу говорить, где живу.'],
      ['subject', 'Тогда скажите хотя бы улицу.'],
    ] as const,
    reported: 'Думаете, вы лучше нас. Я всё равно узнаю, где вы живёте.',
    version: 'Думаете, вы лучше нас.',
    answer: 'Пожалуйста, больше мне не пишите.',
    bio: 'Недавно здесь. Кофе, шахматы, долгие прогулки.',
    city: 'Берлин',
    tags: [['кофе', 'красное вино'], ['шахматы', 'прогулки'], ['дружба']] as const,
    reasonWarned: 'Раздел 3 наших правил запрещает угрозы и оскорбления. Сообщение было угрозой.',
    appeal: 'Я был зол и уже извинился перед ней. Никого не хотел пугать.',
    suspended: 'У нескольких людей в первом же сообщении просили денег.',
    templates: [
      ['Угрозы', 'Раздел 3 наших правил запрещает угрозы. Кто угрожает другим, не может остаться.'],
      ['Просьбы о деньгах', 'Раздел 4 наших правил запрещает просить деньги.'],
      ['Чужое фото', 'Раздел 6 наших правил требует собственных фотографий.'],
    ],
    rules: ['Предоплата', 'Ссылки в первых сообщениях', 'Контакты в первых сообщениях', 'Одинаковые начала', 'Брань'],
    refusal: 'Здесь не просят денег.',
    banned: 'Обман с подарочной картой',
    invite: 'Зимняя встреча',
    announcements: [
      'Встречаемся в воскресенье в полдень у шлюза. Новичкам рады.',
      'Во вторник с 02:00 до 02:30 сервер не работает.',
    ],
    long: 'Александра-Константинопольская Рождественско-Преображенская-Водопьянова-Краснокутская',
    longText:
      'Превысокомногорассмотрительствующий и https://example.org/a/very/long/address/that/has/no/place/to/break/in/it?and=goes&on=and&on=and&on',
  },
}

/** The moderators' work in a small fictional community, in the shown language. */
export function worldOf(language: string) {
  const words = language === 'ru' ? texts.ru : texts.en
  const personId = (number: number) => idOf(2, number)
  const subject = personId(0)
  const other = personId(3)

  const me: Me = {
    ...anAccount,
    id: idOf(1, 0),
    name: words.me,
    email: 'nadia@example.org',
    role: 'admin',
    visible: false,
    created_at: ago(days(400)),
    updated_at: ago(days(2)),
  }

  const queued = (number: number, more: Partial<Queued> = {}): Queued => {
    const created = [52 * minutes, 23 * hours, 3 * hours, 5 * hours, 7 * hours, 9 * hours, 11 * hours, 15 * hours]
    const waited = created[number % created.length] ?? hours
    return {
      id: idOf(5, number),
      kind:
        (['message', 'message', 'user', 'held', 'rule', 'review', 'user', 'message'] as const)[number % 8] ?? 'user',
      reason:
        (['harassment', 'scam', 'underage', 'other', 'spam', 'hate', 'impersonation', 'spam'] as const)[number % 8] ??
        'other',
      status: 'open',
      details: words.details[number % 8] ?? null,
      created_at: ago(waited),
      due_at: later(([-40 * minutes, hours, 2 * hours, 8 * hours] as number[])[number] ?? (9 + number) * hours),
      waiting_s: waited / 1000,
      claimed_by: number === 1 ? personId(6) : null,
      claimed_until: number === 1 ? later(9 * minutes) : null,
      message_id: idOf(4, 9),
      review_id: null,
      user_id: null,
      reporter_id: other,
      subject_id: subject,
      pending: null,
      resolution: null,
      ...more,
    }
  }
  const queue = Array.from({ length: 8 }, (_, number) => queued(number))

  const message = (
    number: number,
    from: string,
    text: string | null,
    before: number,
    more: Partial<Message> = {},
  ): Message => ({
    ...aText,
    ...{ id: idOf(4, number), chat_id: idOf(3, 0), sender_id: from, text },
    ...{ created_at: ago(before * minutes), read_at: ago(before * minutes), ...more },
  })
  const photo = {
    id: idOf(7, 0),
    width: 900,
    height: 600,
    placeholder: riverPlaceholder,
    thumb_url: river,
    url: river,
  }
  const evidence: Schemas['Evidence'] = {
    message: message(9, subject, words.reported, 58, { edited: true, edited_at: ago(57 * minutes) }),
    before: [
      message(5, other, words.talk[0][1], 75),
      message(6, subject, null, 70, { kind: 'photo', photo }),
      message(7, subject, words.talk[2][1], 66),
      message(8, other, words.talk[1][1], 62),
    ],
    after: [message(10, other, words.answer, 55)],
    versions: [{ text: words.version, at: ago(57 * minutes) }],
    review: null,
    user: null,
  }
  const report = (number = 0, more: Partial<Report> = {}): Report => ({
    ...queued(number),
    evidence,
    hidden: null,
    proposal: { action: 'suspend', days: 7 },
    strikes: 3,
    ...more,
  })
  const mine = { claimed_by: me.id, claimed_until: later(14 * minutes) }
  const profile: Schemas['User'] = {
    id: subject,
    name: words.people[0] ?? '',
    bio: words.bio,
    city: words.city,
    gender: null,
    age: null,
    language,
    drinks: [...words.tags[0]],
    activities: [...words.tags[1]],
    purposes: [...words.tags[2]],
    photo: portrait(3),
    photo_thumb: portrait(3),
    rating_avg: null,
    reviews_count: 0,
    created_at: ago(days(9)),
  }
  const review: Schemas['Review'] = {
    ...{ id: idOf(8, 0), anonymous: true, chat_id: null, created_at: ago(hours), rating: 1 },
    ...{ reviewed_id: other, reviewer_id: null, text: words.reported },
  }

  const decision = (more: Partial<Schemas['PersonDecision']> = {}): Schemas['PersonDecision'] => ({
    ...{ id: idOf(9, 0), action: 'warn', ground: 'harassment', reason: words.reasonWarned, note: null, strikes: 1 },
    ...{ created_at: ago(days(6)), until: null, decided_by: personId(6), report_id: idOf(5, 40), appeal: null },
    ...more,
  })
  const person: Schemas['PersonRecord'] = {
    id: subject,
    name: words.people[0] ?? '',
    role: 'user',
    standing: 'active',
    language,
    hidden: null,
    created_at: ago(days(9)),
    suspended_until: null,
    suspended_reason: null,
    strikes: 3,
    proposal: { action: 'suspend', days: 7 },
    counts: { reports: 3, open_reports: 1, review_reports: 0, open_review_reports: 0, blocks: 4, messages: 212 },
    decisions: [
      decision(),
      decision({
        ...{ id: idOf(9, 1), action: 'remove_content', ground: 'spam', strikes: 2, created_at: ago(days(8)) },
        ...{ reason: words.templates[1]?.[1] ?? '', appeal: { id: idOf(10, 1), status: 'rejected' } },
      }),
    ],
    email: 'viktor@example.org',
    email_verified: false,
    phone: null,
    identities: [
      ...[{ id: idOf(11, 0), kind: 'password' as const, label: '', provider: null }],
      ...[{ id: idOf(11, 1), kind: 'passkey' as const, label: 'Phone', provider: null }],
    ].map((identity) => ({ ...identity, created_at: ago(days(9)), last_used_at: ago(3 * hours) })),
    sessions: [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
      null,
    ].map((user_agent, number) => ({
      ...{ id: idOf(12, number), user_agent, created_at: ago(days(9)), last_used_at: ago((number * 9 + 1) * hours) },
    })),
  }
  const suspended: Schemas['PersonRecord'] = {
    ...person,
    standing: 'suspended',
    suspended_until: later(days(6)),
    suspended_reason: words.suspended,
  }
  const found: Schemas['PersonInList'][] = words.people.map((name, number) => ({
    ...{ id: personId(number), name, email: `person${number}@example.org`, phone: null, suspended_until: null },
    role: number === 6 ? 'moderator' : 'user',
    standing: number === 4 ? 'suspended' : 'active',
    created_at: ago(days(9 + number * 31)),
  }))

  const appeal = (number: number, more: Partial<Schemas['QueuedAppeal']> = {}): Schemas['QueuedAppeal'] => ({
    id: idOf(10, number),
    user_id: personId(number),
    text: words.appeal,
    status: 'open',
    created_at: ago((5 + number * 9) * hours),
    waiting_s: (5 + number * 9) * 3600,
    note: null,
    resolved_at: null,
    resolved_by: null,
    may_resolve: true,
    notice: {
      id: idOf(9, number),
      action: (['suspend', 'remove_content', 'warn'] as const)[number % 3] ?? 'warn',
      reason: words.reasonWarned,
      note: null,
      report_id: idOf(5, 40),
      until: number % 3 === 0 ? later(days(6)) : null,
      created_at: ago(days(1) + number * hours),
    },
    ...more,
  })

  const rule = (number: number, more: Partial<Schemas['Rule']> = {}): Schemas['Rule'] => ({
    id: idOf(13, number),
    name: words.rules[number % words.rules.length] ?? '',
    on: number < 2,
    applies_to: number === 0 || number === 4 ? ['message', 'bio'] : ['first_message'],
    action: (['refuse', 'hold', 'note', 'flag', 'refuse'] as const)[number % 5] ?? 'flag',
    public_text: number === 0 ? words.refusal : null,
    scope: { account_younger_than_h: number === 1 ? 72 : null, unverified: false },
    match: ([
      { type: 'words', words: ['gift card', 'western union', 'advance fee'] },
      { type: 'link' },
      { type: 'contact' },
      { type: 'repeated', people: 5, within_h: 24 },
      { type: 'pattern', pattern: 'f+o+' },
    ][number % 5] ?? { type: 'link' }) as Schemas['RuleMatch'],
    ...more,
  })
  const rules = Array.from({ length: 5 }, (_, number) => rule(number))

  const banned = (number: number, more: Partial<Schemas['BannedImage']> = {}): Schemas['BannedImage'] => ({
    id: idOf(14, number),
    hash: (number + 11).toString(16).padStart(4, 'a').repeat(16).slice(0, 64),
    distance: number === 0 ? 31 : null,
    reason: words.banned,
    added_by: number === 2 ? null : me.id,
    report_id: number === 1 ? idOf(5, 40) : null,
    created_at: ago(days(number * 3 + 1)),
    ...more,
  })
  const templates: Schemas['Template'][] = words.templates.flatMap(([name = '', text = ''], number) => [
    { id: idOf(15, number), name, text, language, created_at: ago(days(30)) },
  ])
  templates.push({
    ...{ id: idOf(15, 9), name: 'Drohungen', language: 'de', created_at: ago(days(30)) },
    text: 'Abschnitt 3 unserer Regeln verbietet Drohungen.',
  })
  const invite = (number: number, more: Partial<Schemas['Invite']> = {}): Schemas['Invite'] => ({
    ...{ id: idOf(16, number), note: number === 2 ? null : words.invite, used: [4, 10, 0][number] ?? 0, uses: 10 },
    ...{ expires_at: number === 0 ? later(days(20)) : number === 2 ? ago(days(1)) : null },
    ...{ created_at: ago(days(number * 7 + 2)), ...more },
  })
  const announcement = (number: number, more: Partial<Schemas['Announcement']> = {}): Schemas['Announcement'] => ({
    ...{ id: idOf(17, number), text: words.announcements[number % 2] ?? '' },
    ...{ until: number === 0 ? later(days(3)) : ago(days(1)), created_at: ago(days(number * 5 + 1)), ...more },
  })
  const entry = (number: number, more: Partial<Schemas['AuditEntry']> = {}): Schemas['AuditEntry'] => ({
    id: idOf(18, number),
    action:
      ['report_resolved', 'report_viewed', 'login', 'report', 'user_viewed', 'rule_changed'][number % 6] ?? 'login',
    actor_id: number % 6 === 3 ? other : me.id,
    subject_id: number % 6 === 2 || number % 6 === 5 ? null : subject,
    at: ago(number * 17 * minutes),
    metadata: number % 6 === 0 ? { action: 'warn', strikes: 1, report_id: idOf(5, number) } : {},
    ...more,
  })
  // Weekly waves without randomness, so that pictures are always the same.
  const wave = (day: number, height: number) => Math.round(height * (1 + 0.35 * Math.sin(day / 1.1) + day / 60))
  const day = (number: number): Schemas['DayStats'] => ({
    date: new Date(now - days(29 - number)).toISOString().slice(0, 10),
    registered: wave(number, 9),
    active: wave(number + 1, 180),
    messages: wave(number + 2, 940),
    chats: wave(number, 41),
    reports: wave(number + 3, 6),
    decided: wave(number + 2, 6),
    blocks: wave(number, 4),
  })
  const stats: Schemas['Stats'] = {
    days: Array.from({ length: 30 }, (_, number) => day(number)),
    open: 8,
    overdue: 1,
    held: 1,
    time_to_action: { p50_s: 2.4 * 3600, p95_s: 19 * 3600 },
    reports_by_kind: { message: 71, user: 38, rule: 14, review: 9, held: 6 },
    target_s: 24 * 3600,
  }
  const transparency: Schemas['TransparencyReport'] = {
    from: ago(days(365)),
    to: ago(0),
    notices: {
      total: 412,
      by_reason: { spam: 171, harassment: 96, scam: 74, impersonation: 38, hate: 21, underage: 12 },
      by_kind: { message: 240, user: 131, review: 41 },
    },
    decisions: {
      total: 398,
      by_action: { dismiss: 142, remove_content: 121, warn: 88, suspend: 47 },
      by_ground: { spam: 110, harassment: 70, scam: 58, hate: 18 },
      by_kind: { message: 230, user: 129, review: 39 },
      own_initiative: { warn: 31, suspend: 12 },
    } as Schemas['TransparencyReport']['decisions'],
    automated: { total: 43, overturned: 2 },
    appeals: { total: 29, upheld: 6, rejected: 21, open: 2 },
    time_to_action: stats.time_to_action,
  }
  const setting = (name: string, value: string | null, usual: string | null, secret = false): Schemas['Setting'] => ({
    ...{ name, value, default: usual, secret, source: value === usual ? 'default' : 'environment' },
  })
  const settings = [
    setting('DATABASE_URL', '***', null, true),
    setting('JWT_SECRET', '***', null, true),
    setting('LEGAL_CONTACT', 'law@example.org', null),
    setting('MIN_AGE', '18', null),
    setting('PORT', '3000', '3000'),
    setting('REPORT_TARGET_H', '12', '24'),
    setting('STAFF_PASSKEY', 'required', 'off'),
  ]

  const page = <Item>(items: Item[]) => ({ items, next_cursor: null })
  const counts = { open: 8, overdue: 1, by_kind: { held: 1, user: 2, message: 3, review: 1, rule: 1 } }
  const change = (version: number, change: Schemas['RuleChange'], rule_id: string | null) => ({
    ...{ version, change, rule_id, rule_count: 5, actor_id: version === 1 ? null : me.id, at: ago(version * days(1)) },
  })
  const answers: Answers = {
    '/api/v1/auth/providers': {
      get: {
        ...{ password: true, mail: true, passkey: true, messenger: null, oidc: [] },
        ...{ registration: 'invite', min_age: null },
      },
    },
    '/api/v1/auth/refresh': { post: refused('unauthenticated', 401) },
    '/api/v1/auth/logout': { post: null },
    '/api/v1/me/identities': { get: page<Schemas['Identity']>([]) as never },
    '/api/v1/admin/reports': {
      get: ({ query }) => {
        if (query.get('subject_id'))
          return {
            ...page([
              queued(0),
              queued(40, {
                status: 'resolved',
                created_at: ago(days(6)),
                resolution: {
                  ...{ action: 'warn', note: words.reasonWarned, resolved_at: ago(days(6)) },
                  ...{ resolved_by: personId(6), until: null },
                },
              }),
            ]),
            counts,
          }
        return { ...page(query.get('status') === 'resolved' ? [] : queue), counts }
      },
    },
    '/api/v1/admin/reports/next': { post: report(0, mine) },
    '/api/v1/admin/reports/{id}': { get: report() },
    '/api/v1/admin/reports/{id}/claim': { post: report(0, mine), delete: null },
    '/api/v1/admin/reports/{id}/resolve': {
      post: report(0, {
        pending: {
          ...{ action: 'warn', ban_images: false, decided_by: me.id, note: words.reasonWarned, strikes: 1 },
          ...{ takes_effect_at: later(10_000), until: null },
        },
      }),
      delete: null,
    },
    '/api/v1/admin/appeals': { get: page([0, 1, 2].map((number) => appeal(number))) },
    '/api/v1/admin/users': { get: page(found) },
    '/api/v1/admin/users/{id}': { get: person },
    '/api/v1/admin/rules': { get: { version: 3, items: rules, next_cursor: null } },
    '/api/v1/admin/rules/versions': {
      get: page([change(3, 'changed', idOf(13, 1)), change(2, 'created', idOf(13, 0)), change(1, 'imported', null)]),
    },
    '/api/v1/admin/rules/try': {
      post: {
        version: 3,
        matches: [
          ...[rules[0], rules[4]].flatMap((rule) =>
            rule
              ? [
                  {
                    ...{ id: rule.id, name: rule.name, on: rule.on, action: rule.action, type: rule.match.type },
                    public_text: rule.public_text,
                  },
                ]
              : [],
          ),
        ],
      },
    },
    '/api/v1/admin/image-bank': { get: page([0, 1, 2].map((number) => banned(number))) },
    '/api/v1/admin/templates': { get: { items: templates, next_cursor: null } },
    '/api/v1/admin/invites': {
      get: page([0, 1, 2].map((number) => invite(number))),
      post: { ...invite(4), code: '7KQ2-M0XE-9TVD-RC4H' },
    },
    '/api/v1/admin/announcements': { get: page([0, 1].map((number) => announcement(number))) },
    '/api/v1/admin/stats': { get: stats },
    '/api/v1/admin/transparency': { get: transparency as never },
    '/api/v1/admin/audit': { get: page(Array.from({ length: 14 }, (_, number) => entry(number))) as never },
    '/api/v1/admin/settings': { get: { items: settings } },
  }
  const ready = {
    status: 'ok',
    version: '0.6.0',
    checks: { migrations: 'ok', room: 'ok', running: 'ok', storage: 'ok', redis: 'away' },
  }
  return {
    ...{ words, me, mine, queued, report, evidence, profile, review, person, suspended, decision, found, appeal, rule },
    ...{ rules, banned, templates, invite, announcement, entry, stats, transparency, setting, settings, counts, page },
    ...{ answers, ready, message },
  }
}
