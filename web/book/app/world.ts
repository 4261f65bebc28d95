import type { Chat, components, Frame, Me, Message, Neighbour, Profile } from 'convene-client'
import { type Answers, refused } from '../book.ts'
import { anAccount, aText } from '../whole.ts'
import { portrait, river, riverPlaceholder } from '../pictures.ts'

type Schemas = components['schemas']

/** The fixed time of the book, so that its pictures are always the same: a Thursday evening. */
export const now = Date.parse('2026-05-14T18:24:00+02:00')

const minutes = 60_000
export const ago = (ms: number) => new Date(now - ms).toISOString()
export const days = (count: number) => count * 24 * 60 * minutes
const idOf = (kind: number, number: number) =>
  `0199a3c4-${String(kind).padStart(4, '0')}-7000-8000-${String(number).padStart(12, '0')}`

export type World = ReturnType<typeof worldOf>

const texts = {
  en: {
    me: 'Mia',
    city: 'Berlin',
    bio: 'New in town since March. I like long walks along the canal and cafés where one may stay for hours.',
    people: [
      ['Jonas', 'Espresso first, then everything else. Happy to show you the second-hand book shops.'],
      ['Priya', 'Cooking, badminton and too many plants. Looking for people to try new places with.'],
      ['Amara', 'Photographer. I know where the light is good.'],
      ['Lena', 'Three evenings a week at the climbing hall. Beginners welcome.'],
      ['Henrik', 'Board games on Tuesdays, sourdough on Sundays.'],
      ['Kwame', 'Jazz, football, ginger tea.'],
      ['Sofia', 'Here for a year, learning German. Let us speak slowly.'],
      ['Noor', 'Early swimmer. Breakfast after that.'],
      ['Tom', 'Cycling to lakes.'],
      ['Elif', 'Museums on rainy days.'],
    ],
    drinks: ['coffee', 'green tea', 'red wine', 'lemonade', 'craft beer', 'ginger tea'],
    activities: ['walks', 'board games', 'climbing', 'cooking', 'cinema', 'cycling', 'museums'],
    purposes: ['friends', 'language exchange', 'a walk today'],
    talk: [
      ['', 'Hi Mia, you like canals too? There is a new café at the lock.', 34],
      ['me', 'Hi Jonas. Yes, I walk there nearly every evening.', 33],
      ['me', 'Is it the one with the yellow chairs?', 33],
      ['', 'Exactly that one. They roast the coffee themselves, and nobody minds if you stay.', 30],
      ['', '', 26],
      ['me', 'That looks lovely.', 22],
      ['me', 'Would Saturday at four suit you?', 21],
      ['', 'Saturday at four is good. I will bring the book I told you about.', 8],
      ['me', 'See you there then.', 6],
    ] as const,
    lasts: [
      'See you there then.',
      'The hall opens at seven, I am there from half past.',
      'Thank you for the walk. It did me good.',
      'Do you know a place with good dumplings?',
      'Tuesday, as always?',
      'Photo',
      'I have arrived in Lisbon.',
      'Message',
    ],
    reviews: [
      'Kind and on time. We talked for three hours.',
      'A very good listener, and knows every bakery.',
      'Showed me half of the city.',
    ],
    advert: 'I have a tip for you: double your money in a week. Send me your card number.',
    caution: 'Be careful: never send money or card numbers to somebody whom you have not met.',
    long: 'Maximiliana-Alexandrina von Hohenstaufen-Wittelsbach zu Rothenburg ob der Tauber',
    longText:
      'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenhersteller and https://example.org/a/very/long/address/that/has/no/place/to/break/in/it?and=goes&on=and&on=and&on',
    legal:
      '# Terms of use\n\nThis community is for people who want to meet, and who treat each other well.\n\n## What you may expect\n\n- Nobody sees your true place.\n- You can hide, block and leave at any time.\n\n## What we expect\n\nBe who you say you are, and be kind.',
  },
  ru: {
    me: 'Мия',
    city: 'Берлин',
    bio: 'Живу здесь с марта. Люблю долгие прогулки вдоль канала и кафе, где можно сидеть часами.',
    people: [
      ['Йонас', 'Сначала эспрессо, потом всё остальное. С радостью покажу букинистов.'],
      ['Прия', 'Готовлю, играю в бадминтон, развожу слишком много растений.'],
      ['Амара', 'Фотограф. Знаю, где хороший свет.'],
      ['Лена', 'Три вечера в неделю на скалодроме. Новичкам рады.'],
      ['Хенрик', 'По вторникам настольные игры, по воскресеньям хлеб на закваске.'],
      ['Кваме', 'Джаз, футбол, имбирный чай.'],
      ['София', 'Здесь на год, учу немецкий. Давайте говорить медленно.'],
      ['Нур', 'Плаваю рано утром. Потом завтрак.'],
      ['Том', 'На велосипеде к озёрам.'],
      ['Элиф', 'Музеи в дождливые дни.'],
    ],
    drinks: ['кофе', 'зелёный чай', 'красное вино', 'лимонад', 'крафтовое пиво', 'имбирный чай'],
    activities: ['прогулки', 'настольные игры', 'скалолазание', 'кулинария', 'кино', 'велосипед', 'музеи'],
    purposes: ['дружба', 'языковой обмен', 'прогулка сегодня'],
    talk: [
      ['', 'Привет, Мия. Вы тоже любите каналы? У шлюза открылось новое кафе.', 34],
      ['me', 'Привет, Йонас. Да, гуляю там почти каждый вечер.', 33],
      ['me', 'Это то, где жёлтые стулья?', 33],
      ['', 'Именно оно. Кофе обжаривают сами, и никто не торопит.', 30],
      ['', '', 26],
      ['me', 'Выглядит чудесно.', 22],
      ['me', 'Подойдёт суббота в четыре?', 21],
      ['', 'Суббота в четыре подходит. Принесу книгу, о которой говорил.', 8],
      ['me', 'Тогда до встречи.', 6],
    ] as const,
    lasts: [
      'Тогда до встречи.',
      'Зал открывается в семь, я там с половины восьмого.',
      'Спасибо за прогулку. Мне стало лучше.',
      'Не знаете, где хорошие пельмени?',
      'Во вторник, как всегда?',
      'Фото',
      'Доехала до Лиссабона.',
      'Сообщение',
    ],
    reviews: [
      'Добрый и пунктуальный человек. Проговорили три часа.',
      'Умеет слушать и знает все пекарни.',
      'Показал мне полгорода.',
    ],
    advert: 'Есть совет: удвойте деньги за неделю. Пришлите номер карты.',
    caution: 'Будьте осторожны: не посылайте деньги и номера карт тем, с кем не встречались.',
    long: 'Александра-Константинопольская Рождественско-Преображенская-Водопьянова-Краснокутская',
    longText:
      'Превысокомногорассмотрительствующий и https://example.org/a/very/long/address/that/has/no/place/to/break/in/it?and=goes&on=and&on=and&on',
    legal:
      '# Условия\n\nЭто сообщество для тех, кто хочет встречаться и хорошо относится друг к другу.\n\n## Чего ожидать\n\n- Ваше настоящее место никто не видит.\n- Можно скрыться, заблокировать и уйти в любое время.\n\n## Чего мы ждём\n\nБудьте собой и будьте добры.',
  },
}

/** A small fictional community, in the shown language. */
export function worldOf(language: string) {
  const words = language === 'ru' ? texts.ru : texts.en
  const center = { latitude: 52.4986, longitude: 13.4234 }

  const me: Me = {
    ...anAccount,
    id: idOf(1, 0),
    name: words.me,
    birth_month: '1994-08',
    show_age: true,
    bio: words.bio,
    city: words.city,
    gender: 'female',
    photo: portrait(7),
    photo_thumb: portrait(7),
    created_at: ago(days(70)),
    updated_at: ago(days(2)),
  }
  const likes = {
    drinks: [words.drinks[0], words.drinks[1]].map(String),
    activities: [words.activities[0], words.activities[4]].map(String),
    purposes: [words.purposes[0]].map(String),
  }
  // The server takes no value twice.
  const pick = (from: readonly string[], ...at: number[]) => [
    ...new Set(at.map((one) => String(from[one % from.length]))),
  ]
  const profile = (number: number, more: Partial<Profile> = {}): Profile => {
    const [name, bio] = words.people[number % words.people.length] ?? ['', '']
    return {
      id: idOf(1, number + 1),
      name: name ?? null,
      bio: bio ?? null,
      city: words.city,
      gender: null,
      age: number % 2 ? null : 24 + ((number * 7) % 20),
      language: language,
      created_at: ago(days(100 + number)),
      photo: portrait(number),
      photo_thumb: portrait(number),
      drinks: pick(words.drinks, number, number * 2 + 1),
      activities: pick(words.activities, number * 3, number + 2),
      purposes: pick(words.purposes, number),
      rating_avg: number % 3 === 2 ? null : 4.8,
      reviews_count: number % 3 === 2 ? 0 : 3 + number,
      ...more,
    }
  }
  const people = words.people.map((_, number) =>
    profile(number, number === 8 ? { photo: null, photo_thumb: null } : {}),
  )
  const neighbour = (user: Profile, number: number): Neighbour => {
    // Spread around the centre by the golden angle, farther and farther away.
    const metres = 300 + Math.round(number * 420 + (number % 4) * 60)
    const angle = number * 2.39996
    return {
      user,
      distance_m: Math.round(metres / 100) * 100,
      latitude: center.latitude + (metres * Math.cos(angle)) / 111_320,
      longitude:
        center.longitude + (metres * Math.sin(angle)) / (111_320 * Math.cos((center.latitude * Math.PI) / 180)),
      updated_at: ago(number * 40 * minutes),
    }
  }
  const neighbours = people.map(neighbour)

  const message = (
    chat: string,
    number: number,
    from: string,
    text: string | null,
    minutesAgo: number,
    more: Partial<Message> = {},
  ): Message => ({
    ...aText,
    id: `0199a3c4-${idOf(0, 0).slice(9, 13)}-7000-9000-${String(number).padStart(12, '0')}`,
    chat_id: chat,
    sender_id: from,
    text,
    read_at: ago(minutesAgo * minutes),
    created_at: ago(minutesAgo * minutes),
    ...more,
  })
  const chatOf = (number: number, more: Partial<Chat> = {}): Chat => {
    const user = people[number % people.length] ?? profile(number)
    const id = idOf(2, number + 1)
    const minutesAgo = [6, 18, 95, 60 * 26, 60 * 50, 60 * 75, 60 * 24 * 9, 60 * 24 * 30][number % 8] ?? 5
    const isMine = number % 4 === 0
    const text = String(words.lasts[number % words.lasts.length])
    return {
      id,
      user,
      created_at: ago(days(20)),
      last_message: message(id, 100, isMine ? me.id : user.id, text, minutesAgo),
      last_msg_at: ago(minutesAgo * minutes),
      last_seen_at: ago((minutesAgo + 4) * minutes),
      muted_until: null,
      online: number === 0 || number === 2,
      unread_count: 0,
      ...more,
    }
  }
  const chats = [0, 1, 2, 3, 4, 5, 6].map((number) =>
    chatOf(
      number,
      number === 1
        ? { unread_count: 2 }
        : number === 3
          ? { unread_count: 1, muted_until: '2099-01-01T00:00:00.000Z' }
          : {},
    ),
  )
  const chat = chats[0] ?? chatOf(0)
  const image: Schemas['Image'] = {
    id: idOf(3, 1),
    url: river,
    thumb_url: river,
    placeholder: riverPlaceholder,
    width: 900,
    height: 600,
  }
  const talk = words.talk.map(([who, text, minutesAgo], number) =>
    message(chat.id, number + 1, who === 'me' ? me.id : chat.user.id, text || null, minutesAgo, {
      ...(text === '' && { kind: 'photo', photo: image }),
      ...(number === words.talk.length - 1 && { read: false, read_at: null }),
    }),
  )
  const review = (number: number): Schemas['Review'] => ({
    id: idOf(4, number + 1),
    chat_id: null,
    reviewed_id: idOf(1, 1),
    reviewer_id: number === 1 ? null : idOf(1, number + 3),
    anonymous: number === 1,
    rating: number === 2 ? 4 : 5,
    text: String(words.reviews[number % words.reviews.length]),
    created_at: ago(days(6 + number * 11)),
  })
  const reviews = [0, 1, 2].map(review)
  const notice = (more: Partial<Schemas['Notice']> = {}): Schemas['Notice'] => ({
    id: idOf(5, 1),
    action: 'warn',
    automated: false,
    reason:
      language === 'ru'
        ? 'В вашем сообщении были оскорбления. Пожалуйста, пишите уважительно.'
        : 'A message of yours insulted somebody. Please write with respect.',
    ground: 'harassment',
    until: null,
    message_id: null,
    review_id: null,
    appeal: null,
    how_to_appeal: 'POST /api/v1/appeals',
    created_at: ago(days(3)),
    ...more,
  })
  const notices = [
    notice(),
    notice({
      id: idOf(5, 2),
      action: 'remove_content',
      ground: 'spam',
      appeal: { id: idOf(9, 1), status: 'open' },
      created_at: ago(days(30)),
    }),
  ]
  const page = <Item>(items: Item[]) => ({ items, next_cursor: null })
  const userAgents = {
    phone:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Mobile/15E148 Safari/604.1',
    desk: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  }

  const answers: Answers = {
    '/api/v1/auth/providers': {
      get: {
        password: true,
        mail: true,
        passkey: true,
        messenger: { bot: 'convene_bot' },
        oidc: [{ name: 'google', label: 'Google' }],
        registration: 'open',
        min_age: null,
      },
    },
    '/api/v1/auth/refresh': { post: refused('unauthenticated', 401) },
    '/api/v1/auth/logout': { post: null },
    '/api/v1/sync': { get: { items: [], next_cursor: null, resume: 'ok', seq: 1 } },
    '/api/v1/me': { get: me, put: me },
    '/api/v1/me/location': {
      get: { ...center, visible: true, updated_at: ago(20 * minutes) },
      put: { ...center, visible: true, updated_at: ago(0) },
    },
    '/api/v1/me/visibility': { put: { visible: false } },
    '/api/v1/me/prefs': { get: { ...likes, language }, put: { ...likes, language } },
    '/api/v1/search/nearby': { get: page(neighbours) },
    '/api/v1/users/{id}': {
      get: ({ parts }) =>
        parts.id === me.id
          ? { ...profile(7), ...likes, id: me.id, name: me.name, bio: me.bio, rating_avg: 5, reviews_count: 3 }
          : (people.find(({ id }) => id === parts.id) ?? refused('not_found', 404)),
    },
    '/api/v1/users/{id}/reviews': { get: page(reviews) },
    '/api/v1/chats': {
      get: { ...page(chats), unread_total: 3 },
      post: chat,
    },
    '/api/v1/chats/{id}': { get: ({ parts }) => chats.find(({ id }) => id === parts.id) ?? refused('not_found', 404) },
    // Newest first, as the server lists them.
    '/api/v1/chats/{id}/messages': { get: page(talk.toReversed()) },
    '/api/v1/chats/{id}/read': { put: null },
    '/api/v1/blocks': {
      get: page([{ id: idOf(6, 1), user_id: people[5]?.id ?? '', created_at: ago(days(12)) }]),
      post: { id: idOf(6, 1), user_id: people[0]?.id ?? '', created_at: ago(0) },
    },
    '/api/v1/reports': {
      get: page<Schemas['Report']>([
        {
          id: idOf(7, 1),
          user_id: idOf(1, 6),
          message_id: null,
          review_id: null,
          reason: 'spam',
          details: null,
          status: 'open',
          action: null,
          created_at: ago(days(1)),
          resolved_at: null,
        },
        {
          id: idOf(7, 2),
          user_id: idOf(1, 6),
          message_id: idOf(8, 1),
          review_id: null,
          reason: 'harassment',
          details: words.reviews[0] ?? '',
          status: 'resolved',
          action: 'warn',
          created_at: ago(days(9)),
          resolved_at: ago(days(8)),
        },
      ]),
      post: {
        id: idOf(7, 3),
        status: 'open',
        created_at: ago(0),
      },
    },
    '/api/v1/me/notices': { get: page<Schemas['Notice']>([]) },
    '/api/v1/me/notifications': {
      get: {
        messages: true,
        chats: true,
        reviews: true,
        preview: 'name',
        digest: 'off',
        quiet: { from: '22:00', to: '08:00', time_zone: 'Europe/Berlin' },
      },
    },
    '/api/v1/me/channels': {
      get: page<Schemas['Channel']>([
        {
          id: idOf(10, 1),
          kind: 'webpush',
          label: 'Chrome, Linux',
          created_at: ago(days(40)),
          last_delivered_at: ago(days(1)),
          failing_since: null,
        },
        {
          id: idOf(10, 2),
          kind: 'telegram',
          label: 'Telegram',
          created_at: ago(days(30)),
          last_delivered_at: ago(days(6)),
          failing_since: ago(days(4)),
        },
      ]),
    },
    '/api/v1/notifications/keys': {
      get: {
        webpush: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
        fcm: false,
        apns: false,
        telegram: 'convene_bot',
      },
    },
    '/api/v1/me/sessions': {
      get: page<Schemas['ListedSession']>([
        {
          id: idOf(11, 1),
          current: true,
          created_at: ago(days(2)),
          last_used_at: ago(0),
          user_agent: userAgents.phone,
        },
        {
          id: idOf(11, 2),
          current: false,
          created_at: ago(days(20)),
          last_used_at: ago(days(1)),
          user_agent: userAgents.desk,
        },
      ]),
    },
    '/api/v1/me/identities': {
      get: page<Schemas['Identity']>([
        {
          id: idOf(12, 1),
          kind: 'password',
          label: 'mia@example.org',
          provider: null,
          created_at: ago(days(70)),
          last_used_at: ago(days(2)),
        },
        {
          id: idOf(12, 2),
          kind: 'passkey',
          label: 'iPhone',
          provider: null,
          created_at: ago(days(10)),
          last_used_at: null,
        },
        {
          id: idOf(12, 3),
          kind: 'oidc',
          label: 'mia@example.org',
          provider: 'google',
          created_at: ago(days(5)),
          last_used_at: ago(days(5)),
        },
      ]),
    },
    '/api/v1/legal/{kind}': {
      get: ({ parts }) => ({
        kind: parts.kind === 'privacy' ? 'privacy' : parts.kind === 'disclaimer' ? 'disclaimer' : 'terms',
        language,
        text: words.legal,
        version: '1',
        updated_at: ago(days(60)),
      }),
    },
  }
  const online: Frame[] = [people[0], people[2]].flatMap((user) =>
    user
      ? [{ type: 'presence' as const, at: ago(0), data: { user_id: user.id, online: true, last_seen_at: null } }]
      : [],
  )

  return {
    ...{ words, me, likes, center, people, profile, neighbour, neighbours, chats, chatOf, chat, talk, message, image },
    ...{ review, reviews, notice, notices, page, answers, online, idOf },
  }
}
