import { isValid, sign } from '@tma.js/init-data-node'
import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import fc from 'fast-check'
import { createHmac } from 'node:crypto'
import { checkInitData } from '../../src/features/auth/init-data.ts'
import { Refusal } from '../../src/lib/refusal.ts'

type Fields = [name: string, value: string][]

const TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'
const NOW_S = 1_760_000_000
const MAX_AGE_S = 3600
const CLOCK = { nowMs: NOW_S * 1000, maxAgeS: MAX_AGE_S }
const ADA = '{"id":1815,"first_name":"Ada","last_name":"Lovelace"}'

/** Signs with node:crypto whatever fields it is given, those too that the messenger would never send. */
function signed(fields: Fields, token = TOKEN): string {
  const lines = fields.map(([name, value]) => `${name}=${value}`).sort()
  const key = createHmac('sha256', 'WebAppData').update(token).digest()
  return query([...fields, ['hash', createHmac('sha256', key).update(lines.join('\n')).digest('hex')]])
}

const query = (fields: Fields) =>
  fields.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')

const signedUser = (user: unknown) =>
  signed([
    ['user', JSON.stringify(user)],
    ['auth_date', String(NOW_S)],
  ])

const check = (initData: string, clock = CLOCK) => checkInitData(initData, TOKEN, clock)

function refusalOf(initData: string, clock = CLOCK): Refusal {
  try {
    check(initData, clock)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('accepted')
}

const codeOf = (initData: string, clock = CLOCK) => refusalOf(initData, clock).code

function accepts(initData: string, clock = CLOCK): boolean {
  try {
    check(initData, clock)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

// Published with their bot tokens, in the tests and manuals of the libraries named.
const VECTORS = [
  {
    source: 'Telegram-Mini-Apps/init-data-golang, tests',
    token: '5768337691:AAH5YkoiEuPk8-FZa32hStHTqXiLPtAEhx8',
    initData:
      'query_id=AAHdF6IQAAAAAN0XohDhrOrc&user=%7B%22id%22%3A279058397%2C%22first_name%22%3A%22Vladislav%22%2C%22last_name%22%3A%22Kibenko%22%2C%22username%22%3A%22vdkfrost%22%2C%22language_code%22%3A%22ru%22%2C%22is_premium%22%3Atrue%7D&auth_date=1662771648&hash=c501b71e775f74ce10e377dea85a7ea24ecd640b223ea86dfe453e0eaed2e2b2',
    expected: {
      messenger_id: '279058397',
      name: 'Vladislav',
      language: 'ru',
      photo_url: null,
      allows_write: false,
      start_param: null,
      auth_date: 1662771648,
    },
  },
  {
    source: 'Telegram-Mini-Apps/init-data-golang, manual: with a signature field',
    token: '7342037359:AAHI25ES9xCOMPokpYoz-p8XVrZUdygo2J4',
    initData:
      'user=%7B%22id%22%3A279058397%2C%22first_name%22%3A%22Vladislav%20%2B%20-%20%3F%20%5C%2F%22%2C%22last_name%22%3A%22Kibenko%22%2C%22username%22%3A%22vdkfrost%22%2C%22language_code%22%3A%22ru%22%2C%22is_premium%22%3Atrue%2C%22allows_write_to_pm%22%3Atrue%2C%22photo_url%22%3A%22https%3A%5C%2F%5C%2Ft.me%5C%2Fi%5C%2Fuserpic%5C%2F320%5C%2F4FPEE4tmP3ATHa57u6MqTDih13LTOiMoKoLDRG4PnSA.svg%22%7D&chat_instance=8134722200314281151&chat_type=private&auth_date=1733509682&signature=TYJxVcisqbWjtodPepiJ6ghziUL94-KNpG8Pau-X7oNNLNBM72APCpi_RKiUlBvcqo5L-LAxIc3dnTzcZX_PDg&hash=a433d8f9847bd6addcc563bff7cc82c89e97ea0d90c11fe5729cae6796a36d73',
    expected: {
      messenger_id: '279058397',
      name: 'Vladislav + - ? /',
      language: 'ru',
      photo_url: 'https://t.me/i/userpic/320/4FPEE4tmP3ATHa57u6MqTDih13LTOiMoKoLDRG4PnSA.svg',
      allows_write: true,
      start_param: null,
      auth_date: 1733509682,
    },
  },
  {
    source: 'Telegram-Mini-Apps/tma.js, tests of init-data-node: every optional field',
    token: '5768337691:AAH5YkoiEuPk8-FZa32hStHTqXiLPtAEhx8',
    initData:
      'auth_date=1&can_send_after=10000&chat=%7B%22id%22%3A1%2C%22type%22%3A%22group%22%2C%22title%22%3A%22chat-title%22%2C%22photo_url%22%3A%22group%22%2C%22username%22%3A%22my-chat%22%7D&chat_instance=888&chat_type=sender&hash=47cfa22e72b887cba90c9cb833c5ea0f599975b6ce7193741844b5c4a4228b40&query_id=QUERY&receiver=%7B%22added_to_attachment_menu%22%3Afalse%2C%22allows_write_to_pm%22%3Atrue%2C%22first_name%22%3A%22receiver-first-name%22%2C%22id%22%3A991%2C%22is_bot%22%3Afalse%2C%22is_premium%22%3Atrue%2C%22language_code%22%3A%22ru%22%2C%22last_name%22%3A%22receiver-last-name%22%2C%22photo_url%22%3A%22receiver-photo%22%2C%22username%22%3A%22receiver-username%22%7D&start_param=debug&user=%7B%22added_to_attachment_menu%22%3Afalse%2C%22allows_write_to_pm%22%3Afalse%2C%22first_name%22%3A%22user-first-name%22%2C%22id%22%3A222%2C%22is_bot%22%3Atrue%2C%22is_premium%22%3Afalse%2C%22language_code%22%3A%22en%22%2C%22last_name%22%3A%22user-last-name%22%2C%22photo_url%22%3A%22user-photo%22%2C%22username%22%3A%22user-username%22%7D',
    expected: {
      messenger_id: '222',
      name: 'user-first-name',
      language: 'en',
      photo_url: null,
      allows_write: false,
      start_param: 'debug',
      auth_date: 1,
    },
  },
  {
    source: 'aiogram, tests of check_webapp_signature',
    token: '42:TEST',
    initData:
      'auth_date=1650385342&user=%7B%22id%22%3A42%2C%22first_name%22%3A%22Test%22%7D&query_id=test&hash=46d2ea5e32911ec8d30999b56247654460c0d20949b6277af519e76271182803',
    expected: {
      messenger_id: '42',
      name: 'Test',
      language: null,
      photo_url: null,
      allows_write: false,
      start_param: null,
      auth_date: 1650385342,
    },
  },
  {
    source: 'nimaxin/init-data-py, tests: a name beyond ASCII',
    token: '7244657541:AAHAJP25XehV6N02kiLLAEi2el-xLsSw29w',
    initData:
      'query_id=AAF2GVE4AwAAAHYZUTgHczdc&user=%7B%22id%22%3A7387289974%2C%22first_name%22%3A%22%D0%90%D1%80%D1%82%D1%91%D0%BC%22%2C%22last_name%22%3A%22%D0%9E%D0%BD%D1%83%D1%84%D1%80%D0%B8%D0%B9%22%2C%22username%22%3A%22typexin%22%2C%22language_code%22%3A%22en%22%2C%22allows_write_to_pm%22%3Atrue%7D&auth_date=1724048856&hash=53b22bc70a748dae613a5aa91890b387b9cc0356c5dcffca173816b6e40a17e5',
    expected: {
      messenger_id: '7387289974',
      name: 'Артём',
      language: 'en',
      photo_url: null,
      allows_write: true,
      start_param: null,
      auth_date: 1724048856,
    },
  },
]

describe('published vectors', () => {
  for (const { source, token, initData, expected } of VECTORS) {
    test(`${source}: accepted, with its own bot token only`, () => {
      const clock = { nowMs: expected.auth_date * 1000, maxAgeS: MAX_AGE_S }
      expect(checkInitData(initData, token, clock)).toEqual(expected)
      expect(() => checkInitData(initData, `${token}A`, clock)).toThrow('init_data_invalid')
    })
  }

  test('aiogram, tests of check_webapp_signature: genuine, but refused for a user id that is a string', () => {
    const initData =
      'auth_date=1650385342&user=%7B%22id%22%3A+%22123456789%22%2C+%22first_name%22%3A+%22PlaceholderFirstName%22%2C+%22last_name%22%3A+%22PlaceholderLastName+%5Cud83c%5Cuddfa%5Cud83c%5Cudde6%22%2C+%22username%22%3A+%22Latand%22%2C+%22language_code%22%3A+%22en%22%2C+%22is_premium%22%3A+%22true%22%2C+%22allows_write_to_pm%22%3A+%22true%22%7D&query_id=test&hash=b3c8b293f14ad0f7f0abcf769aea1209a72295d30a87eb0e74df855d32e53bfe'
    expect(isValid(initData, '42:TEST', { expiresIn: 0 })).toBe(true)
    expect(() => checkInitData(initData, '42:TEST', { nowMs: 1650385342_000, maxAgeS: 0 })).toThrow('no valid user id')
  })
})

describe('beside @tma.js/init-data-node', () => {
  afterEach(() => void setSystemTime())

  const anyText = fc.string({ unit: 'grapheme', maxLength: 20 })
  const users = fc.record(
    {
      id: fc.maxSafeNat().map((id) => Math.max(1, id)),
      first_name: anyText,
      last_name: anyText,
      username: fc.stringMatching(/^[a-z]\w{4,12}$/),
      language_code: fc.constantFrom('en', 'ru', 'pt-br', 'zh-hans'),
      photo_url: fc.webUrl({ validSchemes: ['https'] }),
      is_premium: fc.boolean(),
    },
    { requiredKeys: ['id', 'first_name'] },
  )
  const signable = fc.record(
    {
      user: users,
      query_id: fc.stringMatching(/^[A-Za-z0-9_-]{1,24}$/),
      start_param: fc.string({ unit: 'binary', maxLength: 20 }).map((param) => param.replaceAll('\n', '')),
      chat_instance: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
      chat_type: fc.constantFrom('sender', 'private', 'group', 'supergroup', 'channel'),
      signature: fc.base64String({ maxLength: 88 }),
    },
    { requiredKeys: ['user'] },
  )
  const freshDates = fc.integer({ min: NOW_S - MAX_AGE_S, max: NOW_S + 60 })
  const tokens = fc.stringMatching(/^[0-9]{8,10}:[A-Za-z0-9_-]{35}$/)

  test('what it signs is accepted by both', () => {
    setSystemTime(CLOCK.nowMs)
    fc.assert(
      fc.property(signable, freshDates, tokens, (data, authDate, token) => {
        const initData = sign(data, token, new Date(authDate * 1000))
        expect(isValid(initData, token, { expiresIn: MAX_AGE_S })).toBe(true)
        const user = checkInitData(initData, token, CLOCK)
        expect(user.messenger_id).toBe(String(data.user.id))
        expect(user.auth_date).toBe(authDate)
      }),
      { seed: 1, numRuns: 1500 },
    )
  })

  // Each takes the signed string apart its own way; several may follow one another.
  const positions = fc.nat({ max: 400 })
  const oddDates = fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e9',
    '0x10',
    '1.5',
    '+1',
    'NaN',
    'Infinity',
    '9'.repeat(12),
    '9'.repeat(30),
    ...[-1, 0, 1].flatMap((s) => [NOW_S - MAX_AGE_S + s, NOW_S + 60 + s]).map(String),
    ` ${NOW_S}`,
    `${NOW_S} `,
    `+${NOW_S}`,
    `0${NOW_S}`,
    `${NOW_S}.0`,
    `${NOW_S}abc`,
    '١٧٦٠٠٠٠٠٠٠',
  )
  const pieces = (text: string) => text.split('&')
  const at = <T>(items: T[], index: number) => index % Math.max(1, items.length)
  const swap = (items: string[], i: number, j: number) =>
    items.with(at(items, i), items[at(items, j)] ?? '').with(at(items, j), items[at(items, i)] ?? '')
  const edits: fc.Arbitrary<(text: string) => string>[] = [
    fc.tuple(positions, fc.nat({ max: 127 })).map(([i, code]) => (text) => {
      const index = i % (text.length + 1)
      return text.slice(0, index) + String.fromCharCode(code) + text.slice(index + 1)
    }),
    positions.map((i) => (text) => text.slice(0, i % (text.length + 1)) + text.slice((i % (text.length + 1)) + 1)),
    positions.map(
      (i) => (text) =>
        pieces(text)
          .toSpliced(at(pieces(text), i), 1)
          .join('&'),
    ),
    fc.tuple(positions, positions).map(([i, j]) => (text) => {
      const all = pieces(text)
      return all.toSpliced(at(all, j), 0, all[at(all, i)] ?? '').join('&')
    }),
    fc.tuple(positions, positions).map(
      ([i, j]) =>
        (text) =>
          swap(pieces(text), i, j).join('&'),
    ),
    fc.constantFrom('%0A', '%0D%0A', '\n', '%26', '=', '%3D', '&&', ';', '').chain((glue) =>
      positions.map((i) => (text: string) => {
        const all = pieces(text)
        const index = at(all, i)
        return all.toSpliced(index, 2, `${all[index] ?? ''}${glue}${all[index + 1] ?? ''}`).join('&')
      }),
    ),
    oddDates.map((date) => (text) => text.replace(/auth_date=[^&]*/, `auth_date=${encodeURIComponent(date)}`)),
    fc.constant((text) => text.replace(/hash=[^&]*/, (hash) => `hash=${hash.slice(5).toUpperCase()}`)),
    fc
      .constantFrom('', ' ', '%20', '+', '%00', 'zz', '0')
      .map((tail) => (text) => text.replace(/hash=[^&]*/, `$&${tail}`)),
    fc.constant((text) => text.replaceAll('%20', '+')),
    fc.constant((text) => text.replaceAll('+', '%20')),
    fc.constant((text) => text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())),
    fc.constant((text) => text.replace(/[a-z](?=[^=&]*(&|$))/g, (c) => `%${c.charCodeAt(0).toString(16)}`)),
    fc.constant((text) => text.replace(/%(22|3A|2C|7B|7D)/g, (escape) => decodeURIComponent(escape))),
    fc
      .constantFrom('%', '%4', '%ZZ', '%C0%AF', '%ED%A0%80', '%FF', '%EF%BB%BF', '%u0041')
      .chain((odd) =>
        positions.map(
          (i) => (text: string) => text.slice(0, i % (text.length + 1)) + odd + text.slice(i % (text.length + 1)),
        ),
      ),
    fc.constantFrom('?', '#', '&', ' ', '\uFEFF').map((head) => (text) => head + text),
    fc
      .constantFrom('&', '#x', '=', ' ', '&x=1', '&user={}', '&hash=', '&auth_date=0')
      .map((tail) => (text) => text + tail),
    fc.constant((text) => text.toUpperCase()),
    fc.constant(encodeURIComponent),
    fc.constant(decodeURIComponent),
  ]
  const mutations = fc.array(fc.oneof(...edits), { minLength: 1, maxLength: 3 }).map((chain) => (text: string) => {
    try {
      return chain.reduce((edited, edit) => edit(edited), text)
    } catch {
      return text // decodeURIComponent, on what an earlier edit has broken
    }
  })

  test('of 12,000 mutated strings, none that it rejects is accepted', () => {
    setSystemTime(CLOCK.nowMs)
    const seen = { bothAccept: 0, onlyTheirs: 0, bothReject: 0 }
    fc.assert(
      fc.property(signable, fc.oneof(freshDates, oddDates), mutations, (data, date, mutate) => {
        const { user, ...others } = data
        const fields = Object.entries({ ...others, user: JSON.stringify(user), auth_date: String(date) })
        const initData = mutate(signed(fields))
        const theirs = isValid(initData, TOKEN, { expiresIn: MAX_AGE_S })
        const ours = accepts(initData)
        if (ours && !theirs) throw new Error(`accepted although invalid: ${initData}`)
        seen[ours ? 'bothAccept' : theirs ? 'onlyTheirs' : 'bothReject']++
      }),
      { seed: 2, numRuns: 12_000 },
    )
    // The mutations are worth something only where they reach all three.
    expect(seen.bothAccept).toBeGreaterThan(1000)
    expect(seen.onlyTheirs).toBeGreaterThan(300)
    expect(seen.bothReject).toBeGreaterThan(5000)
  })

  test('a genuine string is accepted however its fields are ordered and encoded', () => {
    const fields: Fields = [
      ['user', '{"id":1815,"first_name":"Ada + Augusta / é"}'],
      ['auth_date', String(NOW_S)],
      ['start_param', 'a b'],
    ]
    const plain = signed(fields)
    const variants = [
      plain,
      plain.replaceAll('%20', '+'),
      plain.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
      plain.replace('user=', '%75ser='),
      plain.replaceAll(/%(22|3A|2C|7B|7D)/g, (escape) => decodeURIComponent(escape)),
      plain.split('&').reverse().join('&'),
    ]
    for (const variant of variants) {
      expect(isValid(variant, TOKEN, { expiresIn: 0 })).toBe(true)
      expect(check(variant).name).toBe('Ada + Augusta / é')
    }
  })
})

describe('refused as invalid, though correctly signed', () => {
  const date = String(NOW_S)
  const base: Fields = [
    ['user', ADA],
    ['auth_date', date],
  ]

  test('the same fields without the fault are accepted', () => {
    expect(check(signed(base)).messenger_id).toBe('1815')
  })

  test('a field that is there twice', () => {
    const other = '{"id":1,"first_name":"Eve"}'
    for (const twice of [
      ['user', other],
      ['user', ADA],
      ['auth_date', date],
    ] satisfies Fields)
      expect(codeOf(signed([...base, twice]))).toBe('init_data_invalid')
    const genuine = signed(base)
    expect(codeOf(`${genuine}&${genuine.split('&').at(-1)}`)).toBe('init_data_invalid')
    expect(codeOf(`hash=${'0'.repeat(64)}&${genuine}`)).toBe('init_data_invalid')
  })

  test('a field that carries others behind a line break', () => {
    const genuine = signed([['query_id', 'AAE'], ['start_param', 'x'], ...base])
    const hash = genuine.slice(genuine.lastIndexOf('&'))
    const lines = [`auth_date=${date}`, 'query_id=AAE', 'start_param=x', `user=${ADA}`]
    for (const start of [0, 1, 2]) {
      const merged = [lines[start], lines[start + 1]].map((line) => line ?? '').join('\n')
      const all = lines.toSpliced(start, 2, merged)
      const initData = query(all.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
      expect(isValid(initData + hash, TOKEN, { expiresIn: 0 })).toBe(true)
      expect(codeOf(initData + hash)).toBe('init_data_invalid')
    }
    const inName = query([[`auth_date=${date}\nquery_id`, 'AAE'], ['start_param', 'x'], base[0] ?? ['', '']])
    expect(codeOf(inName + hash)).toBe('init_data_invalid')
    expect(codeOf(signed([...base, ['a\nb', 'x']]))).toBe('init_data_invalid')
    expect(codeOf(signed([...base, ['a', 'x\ny']]))).toBe('init_data_invalid')
  })

  test('a name with an equals sign in it, which would move the border between name and value', () => {
    const genuine = signed([...base, ['start_param', 'x=y']])
    expect(accepts(genuine)).toBe(true)
    expect(codeOf(genuine.replace('start_param=x%3Dy', 'start_param%3Dx=y'))).toBe('init_data_invalid')
  })

  test('malformed percent-encoding', () => {
    const replaced = signed([...base, ['start_param', '\uFFFD']])
    expect(accepts(replaced)).toBe(true)
    for (const bytes of ['%FF', '%C0%AF', '%ED%A0%80']) {
      const initData = replaced.replace('%EF%BF%BD', bytes)
      expect(codeOf(initData)).toBe('init_data_invalid')
    }
    for (const odd of ['%', '%4', '%zz']) {
      const initData = signed([...base, ['start_param', odd]]).replace(encodeURIComponent(odd), odd)
      expect(isValid(initData, TOKEN, { expiresIn: 0 })).toBe(true)
      expect(codeOf(initData)).toBe('init_data_invalid')
    }
  })

  test('what is no query string', () => {
    const genuine = signed(base)
    for (const odd of ['', ' ', 'hash', '{}', `${genuine}&`, `&${genuine}`, genuine.replace('&', '&&'), `?${genuine}`])
      expect(codeOf(odd)).toBe('init_data_invalid')
    expect(codeOf(signed([...base, ['', 'x']]))).toBe('init_data_invalid')
  })

  test('more than 16 KiB', () => {
    const padded = (size: number) => {
      const rest = signed([...base, ['start_param', '']]).length
      return signed([...base, ['start_param', 'x'.repeat(size - rest)]])
    }
    expect(padded(16384)).toHaveLength(16384)
    expect(accepts(padded(16384))).toBe(true)
    expect(codeOf(padded(16385))).toBe('init_data_invalid')
  })

  test('an auth_date that is absent or anything but plain decimal digits', () => {
    expect(codeOf(signed([['user', ADA]]))).toBe('init_data_invalid')
    const odd = [
      '',
      ' ',
      `${NOW_S} `,
      ` ${NOW_S}`,
      `+${NOW_S}`,
      `-${NOW_S}`,
      `${NOW_S}.0`,
      `${NOW_S}s`,
      '1.76e9',
      '0x68E7F780',
    ]
    for (const value of [...odd, '١٧٦٠٠٠٠٠٠٠', '1'.repeat(13), 'NaN', 'Infinity'])
      expect(
        codeOf(
          signed([
            ['user', ADA],
            ['auth_date', value],
          ]),
          { ...CLOCK, maxAgeS: 0 },
        ),
      ).toBe('init_data_invalid')
  })

  test('a user that is absent or no JSON object', () => {
    expect(codeOf(signed([['auth_date', date]]))).toBe('init_data_invalid')
    for (const user of ['', '{', 'null', '1815', '"1815"', '[]', '[{"id":1815}]', `${ADA},`, '{id:1815}'])
      expect(
        codeOf(
          signed([
            ['auth_date', date],
            ['user', user],
          ]),
        ),
      ).toBe('init_data_invalid')
    const receiver: Fields = [
      ['auth_date', date],
      ['receiver', ADA],
    ]
    expect(codeOf(signed(receiver))).toBe('init_data_invalid')
  })

  test('a user id that is no positive integer, exact as a number', () => {
    for (const id of ['"1815"', '0', '-1815', '1.5', 'null', 'true', '[1815]', '9007199254740992', '1e400'])
      expect(
        codeOf(
          signed([
            ['auth_date', date],
            ['user', `{"id":${id},"first_name":"Ada"}`],
          ]),
        ),
      ).toBe('init_data_invalid')
    expect(codeOf(signedUser({ first_name: 'Ada' }))).toBe('init_data_invalid')
    expect(check(signedUser({ id: Number.MAX_SAFE_INTEGER })).messenger_id).toBe('9007199254740991')
  })
})

describe('the hash', () => {
  const genuine = signed([
    ['user', ADA],
    ['auth_date', String(NOW_S)],
    ['signature', 'c2lnbmF0dXJl'],
  ])
  const hash = genuine.slice(-64)
  const withHash = (value: string) => genuine.slice(0, -64) + value

  test('is required, as 64 lower-case hexadecimal digits', () => {
    expect(accepts(genuine)).toBe(true)
    expect(codeOf(genuine.slice(0, genuine.lastIndexOf('&')))).toBe('init_data_invalid')
    const odd = [
      '',
      hash.slice(1),
      `${hash}0`,
      `${hash}%20`,
      `0x${hash.slice(2)}`,
      'g'.repeat(64),
      'é'.repeat(64),
      hash.toUpperCase(),
    ]
    for (const value of odd) expect(codeOf(withHash(value))).toBe('init_data_invalid')
  })

  test('with any one digit changed is refused', () => {
    for (let i = 0; i < 64; i++) {
      const digit = hash[i] === '0' ? '1' : '0'
      expect(codeOf(withHash(hash.slice(0, i) + digit + hash.slice(i + 1)))).toBe('init_data_invalid')
    }
  })

  test('covers the signature field and fields that nobody knows yet', () => {
    expect(codeOf(genuine.replace('c2lnbmF0dXJl', 'b3RoZXI'))).toBe('init_data_invalid')
    expect(codeOf(genuine.replace(/&signature=[^&]*/, ''))).toBe('init_data_invalid')
    expect(codeOf(`future_field=1&${genuine}`)).toBe('init_data_invalid')
    const fields: Fields = [
      ['user', ADA],
      ['auth_date', String(NOW_S)],
      ['future_field', '1'],
    ]
    expect(accepts(signed(fields))).toBe(true)
  })

  test('of another bot is refused, and without a bot token nothing is checked at all', () => {
    const fields: Fields = [
      ['user', ADA],
      ['auth_date', String(NOW_S)],
    ]
    expect(codeOf(signed(fields, '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsax'))).toBe('init_data_invalid')
    expect(() => checkInitData(signed(fields, ''), '', CLOCK)).toThrow('Without a bot token')
  })
})

describe('age', () => {
  const dated = (authDate: number) =>
    signed([
      ['user', ADA],
      ['auth_date', String(authDate)],
    ])

  test('accepted up to the very millisecond of the limit, expired one later', () => {
    const initData = dated(NOW_S - MAX_AGE_S)
    expect(check(initData).auth_date).toBe(NOW_S - MAX_AGE_S)
    expect(codeOf(initData, { ...CLOCK, nowMs: CLOCK.nowMs + 1 })).toBe('init_data_expired')
    expect(codeOf(dated(NOW_S - MAX_AGE_S - 1))).toBe('init_data_expired')
  })

  test('up to 60 s in the future accepted, a millisecond more invalid', () => {
    const initData = dated(NOW_S + 60)
    expect(check(initData).auth_date).toBe(NOW_S + 60)
    expect(codeOf(initData, { ...CLOCK, nowMs: CLOCK.nowMs - 1 })).toBe('init_data_invalid')
    expect(codeOf(dated(NOW_S + 61))).toBe('init_data_invalid')
  })

  test('with 0 any age is accepted, but not the future', () => {
    const clock = { ...CLOCK, maxAgeS: 0 }
    expect(check(dated(1), clock).auth_date).toBe(1)
    expect(codeOf(dated(NOW_S + 61), clock)).toBe('init_data_invalid')
  })

  test('of what is not genuine is not told: a forged old string is invalid, not expired', () => {
    expect(codeOf(dated(1).slice(0, -64) + '0'.repeat(64))).toBe('init_data_invalid')
  })
})

describe('the user', () => {
  const nameOf = (first_name: unknown, more: object = {}) => check(signedUser({ id: 1815, first_name, ...more })).name

  test('has a name of both parts, trimmed and in NFC', () => {
    expect(nameOf(' Ada ', { last_name: 'Lovelace ' })).toBe('Ada')
    expect(nameOf('', { last_name: 'Lovelace' })).toBe('User')
    expect(nameOf('Zoe\u0308', { last_name: '' })).toBe('Zo\u00EB')
    expect(nameOf('Zoe\u202E\u0308')).toBe('Zo\u00EB')
  })

  test('has a name of at most 80 code points, none of them halved', () => {
    expect(nameOf('🦊'.repeat(81))).toBe('🦊'.repeat(80))
    expect(nameOf(`${'a'.repeat(79)} b`)).toBe('a'.repeat(79))
    expect(nameOf('a'.repeat(80), { last_name: 'b' })).toBe('a'.repeat(80))
  })

  test('has no control characters, bidirectional formatting or lone surrogates in the name', () => {
    expect(nameOf('A\u0000d\u001Fa\n\tKing\u007F\u0085')).toBe('Ada King')
    expect(nameOf(`A${'\u0316'.repeat(500)}da`)).toBe(`A${'\u0316'.repeat(30)}da`)
    expect(nameOf('\u202A\u202B\u202C\u202D\u202EA\u2066\u2067\u2068\u2069da')).toBe('Ada')
    expect(nameOf('A\uD83Dda')).toBe('Ada')
    expect(nameOf('👩\u200D👧 דנה')).toBe('👩\u200D👧 דנה')
  })

  test('without a name goes by the username, or is a User', () => {
    expect(nameOf('', { username: 'countess' })).toBe('countess')
    expect(nameOf(' \u0000\u202E ', { last_name: '\u3000', username: 'countess' })).toBe('countess')
    expect(nameOf('', { username: ' ' })).toBe('User')
    for (const nothing of ['\u200B', '\u00AD\u2060', '\u061C\u200F', '\u3164', '\u2800'])
      expect([nothing, nameOf(nothing, { username: 'countess' })]).toEqual([nothing, 'countess'])
    expect(nameOf(undefined)).toBe('User')
    expect(nameOf(42, { last_name: ['x'], username: {} })).toBe('User')
  })

  test('has a language that is a canonical BCP 47 tag, or none', () => {
    const languageOf = (language_code: unknown) => check(signedUser({ id: 1815, language_code })).language
    expect(languageOf('ru')).toBe('ru')
    expect(languageOf('pt-br')).toBe('pt-BR')
    expect(languageOf('zh-hans')).toBe('zh-Hans')
    const tooLong = `en-x-${'abcdefgh-'.repeat(4)}a`
    for (const odd of [undefined, null, '', 'e', 'en_US', 'english language', '../en', 7, ['en'], tooLong])
      expect(languageOf(odd)).toBeNull()
  })

  test('has a photo over https, or none', () => {
    const photoOf = (photo_url: unknown) => check(signedUser({ id: 1815, photo_url })).photo_url
    expect(photoOf('https://t.me/i/userpic/320/ada.svg')).toBe('https://t.me/i/userpic/320/ada.svg')
    const tooLong = `https://t.me/${'a'.repeat(2048)}`
    for (const odd of [
      undefined,
      null,
      '',
      'http://t.me/a.svg',
      'javascript:alert(1)',
      'data:image/png;base64,',
      '//t.me/a.svg',
      'a.svg',
      'https://',
      7,
      tooLong,
    ])
      expect(photoOf(odd)).toBeNull()
  })
})

test('no refusal repeats anything of the init data', () => {
  const secret = 'Xq7Zw'
  const date = String(NOW_S)
  const user = JSON.stringify({ id: 1815, first_name: secret })
  const genuine = signed([
    ['user', user],
    ['auth_date', date],
  ])
  const refused = [
    secret,
    `${genuine}&${secret}`,
    `${genuine}&${secret}=1&${secret}=1`,
    `${genuine}&x=${secret}%`,
    `${genuine}&${secret}%0A=1`,
    `${genuine}&hash=${secret}`,
    genuine.slice(0, -1),
    genuine + secret.repeat(4000),
    signed([
      ['user', user],
      ['auth_date', secret],
    ]),
    signed([
      ['user', user],
      ['auth_date', '1'],
    ]),
    signed([
      ['user', user],
      ['auth_date', String(NOW_S + 61)],
    ]),
    signed([
      ['user', `{${secret}`],
      ['auth_date', date],
    ]),
    signed([
      ['user', JSON.stringify({ id: secret })],
      ['auth_date', date],
    ]),
  ]
  const told = refused.map((initData) => refusalOf(initData))
  for (const refusal of told)
    expect(Bun.inspect({ ...refusal, cause: refusal.cause, message: refusal.message })).not.toContain(secret)
  expect(new Set(told.map((refusal) => refusal.detail)).size).toBeGreaterThan(8)
})
