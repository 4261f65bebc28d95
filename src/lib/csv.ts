type Cell = string | number | null

// A spreadsheet would run a cell that begins with one of these (OWASP, CSV injection).
const formula = /^[=+\-@\t\r]/

function cell(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'number') return `${value}`
  const text = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line of CSV (RFC 4180), with its end. Text that a spreadsheet would take for a formula begins with an apostrophe. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cell).join(',')}\r\n`

export const csv = (rows: readonly (readonly Cell[])[]): string => rows.map(csvLine).join('')
