import { expect, test } from 'bun:test'
import { newPath } from '../installation.ts'
import { convene } from '../convene.ts'

const hashOf = (digit: string) => digit.repeat(64)

test('a bank is imported as a whole or not at all, and exported as it is', async () => {
  const settings = { DATA_DIR: newPath() }
  expect((await convene(['migrate', 'up'], settings)).code).toBe(0)
  const [good, bad, out] = [newPath('.csv'), newPath('.csv'), newPath('.csv')]
  await Bun.write(good, `hash,distance,reason\n${hashOf('a')},20,A scam\n${hashOf('b')},,"Spam, again"\n`)
  await Bun.write(bad, `${hashOf('c')},,fine\n${hashOf('d')},200,too far\nnonsense\n`)

  expect(await convene(['bank', 'import', good], settings)).toMatchObject({ code: 0, out: '2 hashes are banned\n' })
  const refused = await convene(['bank', 'import', bad], settings)
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('nothing is imported')
  expect(refused.err).toContain('line 2: expected a distance from 0 to 90')
  expect(refused.err).toContain('line 3: expected hash,distance,reason')

  await Bun.write(good, `${hashOf('b')},5,Spam\n`)
  expect((await convene(['bank', 'import', good], settings)).code).toBe(0)
  expect((await convene(['bank', 'export', out], settings)).out).toContain('2 hashes written')
  expect((await Bun.file(out).text()).split('\r\n').toSorted()).toEqual(
    ['', `${hashOf('a')},20,A scam`, `${hashOf('b')},5,Spam`].toSorted(),
  )
  expect((await convene(['bank', 'export', '-'], settings)).out).toContain(hashOf('a'))
  expect((await convene(['bank', 'remove', out], settings)).code).toBe(2)
}, 60_000)
