import { parseArgs } from 'node:util'

/** What a figure must be; none where it is only told. */
export type Bound = { atLeast: number } | { atMost: number }

/** A figure that is held against a bound, mostly a ratio. Null where its peer is not to be had. */
export type Finding = { name: string; value: number | null; bound: Bound | null }

/** Two bars of a chart. */
export type Pair = { name: string; unit: string; ours: number; theirs: number; peer: string }

export type Report = {
  title: string
  /** Markdown. */
  tables: string[]
  findings: Finding[]
  pairs: Pair[]
  /** All that was measured, for the JSON. */
  figures: unknown
}

export type Options = { seconds: number; rounds: number; json?: string; svg?: string }

/** The options that every subject takes, and those of one subject by their names. */
export function options<Name extends string = never>(
  defaults: { seconds: number; rounds: number },
  names: readonly Name[] = [],
): Options & Partial<Record<Name, string>> {
  const own = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({
    args: Bun.argv.slice(2),
    options: {
      ...own,
      json: { type: 'string' },
      svg: { type: 'string' },
      seconds: { type: 'string', default: String(defaults.seconds) },
      rounds: { type: 'string', default: String(defaults.rounds) },
    },
    allowPositionals: true, // the bench's name
  })
  const { seconds, rounds, ...texts } = values
  return { ...(texts as Partial<Record<Name, string>>), seconds: Number(seconds), rounds: Number(rounds) }
}

export const number = (value: number) =>
  value.toLocaleString('en', value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 })

export const markdown = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

export const met = ({ value, bound }: Finding): boolean | null => {
  if (value === null || bound === null) return null
  return 'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost
}

const boundText = (bound: Bound | null) =>
  bound === null ? '–' : 'atLeast' in bound ? `≥ ${bound.atLeast}` : `≤ ${bound.atMost}`

/** Prints a report, writes it to the files asked for, and has the process exit with 1 where a bound is missed. */
export async function publish({ title, tables, findings, pairs, figures }: Report, { json, svg }: Options) {
  const rows = findings.map((finding) => {
    const verdict = { true: 'yes', false: 'NO', null: '–' }[String(met(finding))]!
    return [
      finding.name,
      finding.value === null ? 'not measured' : number(finding.value),
      boundText(finding.bound),
      verdict,
    ]
  })
  console.log([`## ${title}`, ...tables, markdown(['figure', 'is', 'must be', 'met'], rows)].join('\n\n'))
  if (json) await Bun.write(json, `${JSON.stringify({ title, findings, figures }, null, 2)}\n`)
  if (svg) await Bun.write(svg, chart(title, pairs))
  if (findings.some((finding) => met(finding) === false)) process.exitCode = 1
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Two bars for each pair, from zero; each pair has a scale of its own, as their units differ. */
export function chart(title: string, pairs: readonly Pair[]): string {
  // Some six pixels for each character of the longest name.
  const left = Math.max(260, 20 + 6 * Math.max(...pairs.map(({ name }) => name.length)))
  const [width, height] = [420, 54]
  const bar = (y: number, value: number, most: number, color: string, text: string) =>
    `<rect x="${left}" y="${y}" width="${Math.max(1, (value / most) * width).toFixed(1)}" height="15" fill="${color}"/>` +
    `<text x="${left + (value / most) * width + 6}" y="${y + 12}">${escaped(text)}</text>`
  const groups = pairs.map(({ name, unit, ours, theirs, peer }, i) => {
    const y = 50 + i * height
    const most = Math.max(ours, theirs)
    return [
      `<text x="${left - 10}" y="${y + 20}" text-anchor="end">${escaped(name)}</text>`,
      bar(y, ours, most, '#2563eb', `${number(ours)} ${unit}`),
      bar(y + 18, theirs, most, '#9ca3af', `${number(theirs)} ${unit}, ${peer}`),
    ].join('')
  })
  const [w, h] = [left + width + 240, 70 + pairs.length * height]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" font-family="system-ui, sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="12" y="24" font-size="15" font-weight="600">${escaped(title)}</text>
${groups.join('\n')}
<text x="12" y="${h - 10}" fill="#6b7280">Blue: Convene. Each pair has its own scale, from zero.</text>
</svg>
`
}
