/** A Markdown table, its columns of one width. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const width = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(width[i]!)).join(' | ')} |`
  return [line(head), `| ${width.map((n) => '-'.repeat(n)).join(' | ')} |`, ...rows.map(line)].join('\n')
}

export const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** The value that so many of the others lie below. */
export const percentile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]!
