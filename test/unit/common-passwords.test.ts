import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { isCommon } from '../../src/features/auth/common-passwords.ts'

test('the passwords that everybody tries first are common', () => {
  const known = [
    'password',
    'password1',
    'password123',
    '12345678',
    '123456789',
    '1234567890',
    '87654321',
    '11111111',
    '00000000',
    '123123123',
    'qwertyuiop',
    'qwerty123',
    'asdfghjkl',
    '1q2w3e4r',
    'zaq12wsx',
    'iloveyou',
    'sunshine',
    'princess',
    'football',
    'baseball',
    'trustno1',
    'letmein1',
    'p@ssw0rd',
    'admin123',
    'welcome1',
    'changeme',
    'superman',
    'starwars',
  ]
  for (const password of known) expect([password, isCommon(password)]).toEqual([password, true])
})

test('upper and lower case, or full-width letters, make a common password no better', () => {
  for (const password of [
    'PASSWORD',
    'Password1',
    'P@ssW0rd',
    'QwErTy123',
    'ILoveYou',
    'ｐａｓｓｗｏｒｄ１',
    'ＰＡＳＳＷＯＲＤ',
  ])
    expect([password, isCommon(password)]).toEqual([password, true])
})

test('other passwords are not, even with a common one inside', () => {
  const decent = [
    'correct horse battery staple',
    'password of the lighthouse keeper',
    'iloveyou-and-the-7-otters',
    'Tr0ub4dor&3-espresso',
    'kQ9!vRz2#mLp',
    'синий трамвай у реки',
    '雨の日は図書館で会おう',
    '🦊🌧️🚲🎺🧊🪁🥝🛰️',
  ]
  for (const password of decent) expect([password, isCommon(password)]).toEqual([password, false])
})

test('spaces around a common password make another one: nothing is trimmed', () => {
  expect(isCommon(' password1')).toBe(false)
  expect(isCommon('password1 ')).toBe(false)
})

test('any length and any Unicode gets an answer', () => {
  const odd = [
    '',
    'a',
    'x'.repeat(200),
    '\u0000'.repeat(8),
    '\uD83D'.repeat(8),
    'İ'.repeat(8),
    'ﷺ'.repeat(200),
    'e\u0301'.repeat(100),
    '\u202Epassword',
    'constructor',
    '__proto__',
    'hasOwnProperty',
  ]
  for (const password of odd) expect([password, isCommon(password)]).toEqual([password, false])
})

const root = join(import.meta.dir, '../..')

test('the list is read at the first question, not at the start', async () => {
  const script = `
    const { isCommon } = await import(${JSON.stringify(join(root, 'src/features/auth/common-passwords.ts'))})
    const loaded = () => Object.keys(require.cache).some((path) => path.includes('common-password-list'))
    const before = loaded()
    console.log(before, isCommon('password1'), loaded())`
  const { stdout } = Bun.spawnSync([process.execPath, '-e', script], { cwd: root })
  expect(stdout.toString().trim()).toBe('false true true')
})
