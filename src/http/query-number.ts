import { FormatRegistry } from '@sinclair/typebox'
import { t } from 'elysia'

type Range = { minimum: number; maximum: number; default?: number; error: string }

const digits = { integer: /^\d+$/, number: /^-?\d+(\.\d+)?$/ }

/**
 * A number of a query in decimal digits. Elysia's own would take whatever JavaScript makes a number of: white space for 0,
 * and `0x10` or `1e2` too.
 */
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
