import { FormatRegistry } from '@sinclair/typebox'
import { t } from 'elysia'

type Range = { minimum: number; maximum: number; default?: number; error: string }

// A number may be as JSON has it: JavaScript writes 1e-7 for a ten millionth of a degree.
const digits = { integer: /^\d+$/, number: /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i }

/** A number of a query, in decimal digits. Elysia's own would take whatever JavaScript makes a number of: white space, `0x10`. */
export function queryNumber(type: keyof typeof digits, { error, ...range }: Range) {
  const format = `${type}-${range.minimum}-${range.maximum}`
  if (!FormatRegistry.Has(format))
    FormatRegistry.Set(
      format,
      (text) => digits[type].test(text) && Number(text) >= range.minimum && Number(text) <= range.maximum,
    )
  return t
    .Transform(t.String({ format, error, documented: { type, ...range } }))
    .Decode(Number)
    .Encode(String)
}
