import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beginRun, type Run } from '../../src/installation/runs.ts'
import { hours, minutes } from '../../src/lib/time.ts'

/** What a run knows at its start. */
const known = (run: Run, at: number) => ({ recent: run.recent(at), wasUnclean: run.wasUnclean })

const directory = mkdtempSync(join(tmpdir(), 'convene-runs-'))
afterAll(() => rmSync(directory, { recursive: true }))

test('a run that was not stopped in order is known to the next one, and how many there were within an hour', () => {
  const start = Date.UTC(2026, 10, 21)
  const first = beginRun(directory, start)
  expect(known(first, start)).toEqual({ recent: 1, wasUnclean: false })
  first.end()
  expect(known(beginRun(directory, start + minutes), start + minutes)).toEqual({ recent: 2, wasUnclean: false })
  // Not ended.
  const third = beginRun(directory, start + 2 * minutes)
  expect(known(third, start + 2 * minutes)).toEqual({ recent: 3, wasUnclean: true })
  // Those that are an hour old no longer count.
  expect(third.recent(start + hours + minutes)).toBe(1)
  expect(third.recent(start + 2 * hours)).toBe(0)
  third.end()
  expect(known(beginRun(directory, start + hours + minutes), start + hours + minutes)).toEqual({
    recent: 2,
    wasUnclean: false,
  })
  // A clock that was set back.
  expect(known(beginRun(directory, start), start)).toEqual({ recent: 1, wasUnclean: true })
  expect(statSync(join(directory, 'starts.json')).mode & 0o777).toBe(0o600)
})

test('a start that is refused counts as a start, and says nothing new of how the last run ended', () => {
  const own = mkdtempSync(join(directory, 'refused-'))
  const start = Date.UTC(2026, 10, 21)
  beginRun(own, start).refuse()
  const second = beginRun(own, start + minutes)
  expect(known(second, start + minutes)).toEqual({ recent: 2, wasUnclean: false })
  // Not ended; the next start is refused.
  beginRun(own, start + 2 * minutes).refuse()
  expect(known(beginRun(own, start + 3 * minutes), start + 3 * minutes)).toEqual({ recent: 4, wasUnclean: true })
})

test('a file that is damaged or cannot be written keeps no server from starting', () => {
  for (const text of ['', '{', '{"starts":["x"],"ended":true}', 'null']) {
    writeFileSync(join(directory, 'starts.json'), text)
    expect(known(beginRun(directory, 1e12), 1e12)).toEqual({ recent: 1, wasUnclean: false })
    expect(JSON.parse(readFileSync(join(directory, 'starts.json'), 'utf8'))).toEqual({ starts: [1e12], ended: false })
  }
  expect(known(beginRun(join(directory, 'none'), 1e12), 1e12)).toEqual({ recent: 1, wasUnclean: false })
})
