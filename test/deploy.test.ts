import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from './convene.ts'

const root = join(import.meta.dir, '..')
const text = (path: string) => Bun.file(join(root, path)).text()

describe('the dashboard and the alert rules', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'convene-deploy-'))
  let names: Set<string>

  beforeAll(async () => {
    const server = await startServer({ DATA_DIR: dataDir })
    const metrics = await (await fetch(new URL('/metrics', server.base))).text()
    await server.end()
    const declared = [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
    names = new Set(
      declared.flatMap(([, name, type]) =>
        type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name!],
      ),
    )
    expect(names.size).toBeGreaterThan(20)
  })
  afterAll(() => rmSync(dataDir, { recursive: true }))

  /** What an expression reads: its identifiers that are neither labels, functions, operators nor durations. */
  const metricsOf = (expression: string) =>
    [
      ...expression
        .replaceAll(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(?:by|without)\s*\([^)]*\)/g, ' ')
        .matchAll(/(?<![\w.])([a-z_]\w*)\b(?!\s*\()/gi),
    ].map(([name]) => name)

  test('metrics are told from functions, labels and durations', () => {
    const expression = 'sum by (le, route) (rate(a_bucket{status=~"5..", b="c"}[5m])) / time() > 1e9 * d_total'
    expect(metricsOf(expression)).toEqual(['a_bucket', 'd_total'])
  })

  test('the dashboard reads only metrics that /metrics gives', async () => {
    const { panels } = JSON.parse(await text('deploy/grafana-dashboard.json')) as {
      panels: { title: string; targets: { expr: string }[] }[]
    }
    expect(panels.length).toBeGreaterThan(10)
    for (const { title, targets } of panels)
      for (const { expr } of targets) {
        const read = metricsOf(expr)
        expect([title, read.length > 0, read.filter((name) => !names.has(name))]).toEqual([title, true, []])
      }
  })

  test('so do the alert rules, but for what Prometheus itself tells', async () => {
    const { groups } = Bun.YAML.parse(await text('deploy/alerts.yml')) as {
      groups: { rules: { alert: string; expr: string }[] }[]
    }
    const rules = groups.flatMap((group) => group.rules)
    expect(rules.length).toBeGreaterThan(5)
    for (const { alert, expr } of rules) {
      const read = metricsOf(expr)
      const unknown = read.filter((name) => !names.has(name) && name !== 'up')
      expect([alert, read.length > 0, unknown]).toEqual([alert, true, []])
    }
  })
})

test('the image is built from what .dockerignore lets through, and from nothing else', async () => {
  const copied = [...(await text('Dockerfile')).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from]) =>
    from!.split(' '),
  )
  const letThrough = [...(await text('.dockerignore')).matchAll(/^!(.+)$/gm)].map(([, path]) => path!)
  expect(letThrough.toSorted()).toEqual(copied.toSorted())
})
