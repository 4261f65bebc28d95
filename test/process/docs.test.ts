import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { kept } from '../../src/features/retention/service.ts'
import { jobs } from '../../src/jobs.ts'
import { copiesKeptFor } from '../../src/backup/old-copies.ts'
import { problemOf } from '../../src/http/errors.ts'
import { limitTable } from '../../src/lib/rate-limits.ts'
import { openMetrics } from '../../src/telemetry/metrics.ts'
import { Refusal, type RefusalCode } from '../../src/lib/refusal.ts'
import { days, hours, minutes, seconds } from '../../src/lib/time.ts'
import { testApp } from '../app.ts'
import { fileNameOf, missingTools, type Page, readPage, runPage } from '../pages.ts'

const root = join(import.meta.dir, '../..')
const paths = ['*.md', 'docs/*.md', 'bench/*.md']
  .flatMap((kind) => [...new Bun.Glob(kind).scanSync({ cwd: root })])
  .sort()
const pages = new Map(await Promise.all(paths.map(async (path) => [path, await readPage(path)] as const)))
const page = (path: string): Page => pages.get(path)!

describe('every snippet of the documentation runs', () => {
  if (missingTools.length > 0) {
    test.skip(`SKIPPED: this machine has no ${missingTools.join(', no ')}, which readers use`, () => {})
    return
  }
  // All at once, as a page waits more than it works.
  test.concurrent.each(paths.filter((path) => page(path).blocks.length > 0))(
    '%s',
    async (path) => {
      const { failure, output, answers } = await runPage(page(path))
      expect(failure, output).toBeNull()
      for (const { line, met, announced } of answers)
        expect([`${path}:${line} meets these HTTP errors`, ...met], output).toEqual([
          `${path}:${line} meets these HTTP errors`,
          ...announced,
        ])
    },
    120_000,
  )
})

test.skipIf(missingTools.length > 0)(
  'the pages can be followed one after the other, on one data directory',
  async () => {
    const inOrder = ['README', 'docs/getting-started', 'docs/api', 'docs/websocket', 'docs/mini-app', 'docs/moderation']
    const blocks = [...inOrder, 'docs/operations'].flatMap((name, i) =>
      // The lines of one page are not those of another.
      page(`${name}.md`).blocks.map((block) => ({ ...block, line: block.line + i * 10_000 })),
    )
    const { failure, output, answers } = await runPage({ path: 'all', text: '', blocks }, 300_000)
    expect(failure, output).toBeNull()
    for (const { line, met, announced } of answers) expect([line, ...met], output).toEqual([line, ...announced])
  },
  300_000,
)

test('no page takes a program for granted that a machine with Node alone lacks', () => {
  for (const { path, blocks } of pages.values()) {
    // Those are for who changes Convene itself, and say what they need.
    if (!/^(?:README|docs\/)/.test(path)) continue
    for (const { line, language, code, reason } of blocks)
      if (language === 'sh' && reason === null)
        expect([path, line, code.match(/(?:^|[;&|(]\s*)bun .*/m)?.[0]]).toEqual([path, line, undefined])
    const usesCommand = blocks.some(
      ({ language, code, reason }) => language === 'sh' && !reason && /^convene /m.test(code),
    )
    if (usesCommand)
      expect([path, blocks.some(({ code }) => code.startsWith('convene() { npx '))]).toEqual([path, true])
  }
})

test('every block is of a kind that is run, or says why it is not', () => {
  const onlyShown = ['json', 'toml', 'text', 'html', 'mermaid', 'tsx', 'js']
  let run = 0
  for (const { path, blocks } of pages.values())
    for (const block of blocks) {
      const { line, language, reason } = block
      expect([path, line, ['sh', 'ts', ...onlyShown].includes(language)]).toEqual([path, line, true])
      if (reason !== null) expect([path, line, reason.split(' ').length > 3]).toEqual([path, line, true])
      if (reason !== null || onlyShown.includes(language)) continue
      run++
      // A file that nothing runs or imports would not be tried.
      const name = fileNameOf(block)
      const others = blocks.filter((other) => other !== block && other.reason === null)
      const isUsed = name === null || others.some(({ code }) => code.includes(name))
      expect([path, line, isUsed]).toEqual([path, line, true])
    }
  expect(run).toBeGreaterThan(40)
})

test('what is to be pasted means the same in zsh, where readers have it open', () => {
  for (const { path, blocks } of pages.values())
    for (const { line, code } of blocks.filter(({ language }) => language === 'sh')) {
      // Comments are words there, and an exclamation mark in double quotes is a command of the past.
      expect([path, line, code.match(/(?:^|\s)#.*/)?.[0]]).toEqual([path, line, undefined])
      expect([path, line, code.replaceAll(/'[^']*'/g, '').match(/"[^"\n]*!.*/)?.[0]]).toEqual([path, line, undefined])
    }
})

test('the TypeScript of the documentation has no type errors', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'convene-docs-types-'))
  try {
    let files = 0
    for (const { path, blocks } of pages.values())
      for (const block of blocks.filter(({ language }) => language === 'ts')) {
        const name = fileNameOf(block) ?? `line-${block.line}.ts`
        // Each is a module of its own, as where it is run.
        await Bun.write(join(directory, path.replaceAll(/\W/g, '-'), name), `${block.code}\nexport {}\n`)
        files++
      }
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
    const ours = Bun.JSONC.parse(await Bun.file(join(root, 'tsconfig.json')).text()) as { compilerOptions: object }
    const client = join(root, 'client/src')
    const paths = { 'convene-client': [`${client}/index.ts`], 'convene-client/*': [`${client}/*.ts`] }
    await Bun.write(
      join(directory, 'client-md/globals.d.ts'),
      Bun.file(join(root, 'test/fixtures/docs-client.d.ts.txt')),
    )
    const compilerOptions = {
      ...ours.compilerOptions,
      paths,
      lib: ['ESNext', 'DOM', 'DOM.Iterable'],
      noUnusedLocals: false,
    }
    await Bun.write(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*-md/*.ts'] }))
    const check = () => {
      const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, 'check', '--no-pretty'], { cwd: directory })
      return { exitCode, output: stdout.toString() + stderr.toString() }
    }
    const { exitCode, output } = check()
    expect(exitCode, output).toBe(0)
    expect(files).toBeGreaterThan(10)
    // It does look at them.
    await Bun.write(join(directory, 'docs-api-md/wrong.ts'), 'export const wrong: number = document.title\n')
    expect(check().exitCode).not.toBe(0)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

test('every link inside the documentation leads somewhere', () => {
  const anchors = ({ text }: Page) =>
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    )
  let links = 0
  for (const from of pages.values()) {
    const prose = from.text.replaceAll(/^```[\s\S]*?^```$/gm, '')
    for (const [, target] of prose.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      links++
      const [file, anchor] = target!.split('#')
      const to = file ? join(dirname(from.path), file) : from.path
      expect([from.path, target, existsSync(join(root, to))]).toEqual([from.path, target, true])
      if (anchor) expect([from.path, target, anchors(page(to)).includes(anchor)]).toEqual([from.path, target, true])
    }
  }
  expect(links).toBeGreaterThan(20)
})

/** The cells of every row of every table, of one section or the whole page. */
function tableOf(path: string, section = /[\s\S]*/): string[][] {
  const lines = section.exec(page(path).text)![0].split('\n')
  return lines
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

const sectionOf = (heading: string) => new RegExp(`^## ${heading}$[\\s\\S]*?(?=^## |(?![\\s\\S]))`, 'm')

describe('the documentation names', () => {
  test('every route', async () => {
    const { app } = await testApp()
    const routes = app.routes
      .filter(({ method, path }) => method !== 'OPTIONS' && !/^\/openapi\/\d|\*/.test(path))
      .map(({ method, path }) => `${method} ${path.replace('/api/v1', '')}`)
    expect(routes.length).toBeGreaterThan(50)
    const documented = ['docs/api.md', 'docs/moderation.md', 'docs/operations.md', 'docs/websocket.md']
      .map((path) => page(path).text)
      .join('\n')
    const isNamed = (route: string) => documented.includes(`\`${route}\``) || documented.includes(`\n${route}?`)
    expect(routes.filter((route) => !isNamed(route))).toEqual([])
  })

  test('every error code, with its status', async () => {
    const union = await Bun.file(join(root, 'src/lib/refusal.ts')).text()
    const codes = [...union.matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, code]) => code as RefusalCode)
    expect(codes.length).toBeGreaterThan(30)
    const rows = tableOf('docs/api.md', sectionOf('Errors'))
    for (const code of codes) {
      const problem = problemOf(new Refusal(code, ''), '')
      const row = rows.find(([status]) => status === String(problem.status))
      expect([code, row?.[1]?.includes(`\`${problem.code}\``)]).toEqual([code, true])
    }
  })

  test('every limit as it is', () => {
    const span = (ms: number) =>
      ms % days === 0
        ? `${ms / days} day`
        : ms % hours === 0
          ? `${ms / hours} h`
          : ms % minutes === 0
            ? `${ms / minutes} min`
            : `${ms / seconds} s`
    const rows = tableOf('docs/api.md', sectionOf('Rate limits')).slice(2)
    expect(rows.map(([name, , points, per, by]) => [name, points, per, by])).toEqual(
      Object.entries(limitTable).map(([name, { points, per, by }]) => [`\`${name}\``, String(points), span(per), by]),
    )
  })

  test('how long each thing is kept', () => {
    const rowOf: Record<keyof typeof kept, string> = {
      endedSessions: 'Sessions',
      unusedSessions: 'Sessions',
      consentOrigins: 'Where a consent came from',
      evidence: 'Reports and decisions',
      messageVersions: 'What a message said before',
      positions: 'Published position',
      auditEntries: 'Audit log',
      botUpdates: 'Numbers of the bot’s updates',
      openers: 'Texts sent first to somebody',
      reportOrigins: 'Where a report of a person came from',
      ageRefusals: 'Who was too young',
    }
    const rows = tableOf('docs/privacy.md', sectionOf('What is stored'))
    const copies = rows.find(([name]) => name!.startsWith('What a migration or a restore has replaced'))
    expect(copies?.[2]).toContain(`${copiesKeptFor / days} days`)
    for (const [what, ms] of Object.entries(kept) as [keyof typeof kept, number][]) {
      const howLong = rows.find(([name]) => name!.startsWith(rowOf[what]))?.[2]
      expect(`${what}: ${howLong}`).toMatch(new RegExp(`\\b${ms / days} days?\\b`))
    }
  })

  test('every command', () => {
    const help = Bun.spawnSync([process.execPath, 'src/main.ts', '--help'], { cwd: root }).stdout.toString()
    const commands = [...help.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name!)
    expect(commands).toContain('serve')
    const [paragraph] = sectionOf('Command line').exec(page('README.md').text)!
    expect([...paragraph.matchAll(/`([a-z]+)`/g)].map(([, name]) => name!).toSorted()).toEqual(commands.toSorted())
  })

  test('every metric, and none that there is not', async () => {
    const { services } = await testApp({ BACKUP_DIR: '/nowhere/backups' })
    jobs(services)
    // Those of a node with Redis, and with a replica, as well.
    const withRedis = openMetrics()
    const report = { complete_at: 0, lag_ms: 0, waiting_bytes: 0, shipped_at: null, snapshot_at: null, failures: 0 }
    withRedis.watch({
      ...services,
      shared: { isRedis: true, isUp: () => true, queued: () => 0, refused: () => 0 },
      replica: { report: () => report },
    })
    const text = `${await services.metrics.text()}\n${await withRedis.text()}`
    const exposed = [...new Set(Array.from(text.matchAll(/^# HELP (convene_\w+) /gm), ([, name]) => name!))]
    expect(exposed.length).toBeGreaterThan(10)
    const named = new Set(page('docs/operations.md').text.match(/\bconvene_\w+[a-z]\b/g))
    expect([...named].sort()).toEqual(exposed.toSorted())
  })
})
