import { expect, test } from 'bun:test'
import { builtPages } from './app-page.ts'

/**
 * What the oldest browsers that docs/fork-the-app.md names do not have: Safari 16.4, Chrome and Edge 111, Firefox 115. The
 * bundler adds nothing for older browsers, and Chromium, in which the other tests run, has all of it.
 */
const tooNew: Record<string, RegExp> = {
  'Array.fromAsync': /\bfromAsync\(/,
  'Promise.withResolvers, Promise.try': /\bPromise\.(withResolvers|try)\b/,
  'Object.groupBy, Map.groupBy': /\b(Object|Map)\.groupBy\b/,
  'methods of sets': /\.(isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference|intersection)\(/,
  'methods of iterators':
    /\.(values|keys|entries)\(\)\.(map|filter|flatMap|toArray|some|every|find|take|drop|reduce)\(/,
  Iterator: /\bIterator\.from\b/,
  'URL.canParse, URL.parse': /\bURL\.(canParse|parse)\(/,
  'AbortSignal.any': /\bAbortSignal\.any\b/,
  'bytes as text': /\.(toBase64|fromBase64|toHex|fromHex)\(/,
  'isWellFormed, toWellFormed': /\.(isWellFormed|toWellFormed)\(/,
  'RegExp.escape': /\bRegExp\.escape\b/,
  'flags within a regular expression': /\(\?(?:[ims]+(?:-[ims]*)?|-[ims]+):/,
  using: /\b(await )?using \w+ ?=/,
  Temporal: /\bTemporal\./,
  'scheduler.yield': /\bscheduler\.yield\b/,
  'Intl.DurationFormat': /\bIntl\.DurationFormat\b/,
}
/** In stylesheets only what changes the layout or a colour: a browser skips what it does not know. */
const tooNewStyles: Record<string, RegExp> = {
  'nested rules': /[{;]\s*&/,
  'light-dark()': /light-dark\(/,
  'relative colours': /(rgb|hsl|oklch|lab|lch)\(from /,
  'anchor()': /anchor\(/,
  '@scope': /@scope\b/,
  subgrid: /\bsubgrid\b/,
  'media with `if()`': /:\s*if\(/,
}

test('the pages use nothing that the oldest supported browsers lack', async () => {
  const { assets, workers } = await builtPages()
  const found: string[] = []
  for (const { name, encodings } of [...assets, ...Object.values(workers)]) {
    const kind = /\.m?js$/.test(name) ? tooNew : name.endsWith('.css') ? tooNewStyles : {}
    const text = await Bun.file(encodings.identity!).text()
    for (const [what, pattern] of Object.entries(kind)) if (pattern.test(text)) found.push(`${what} in ${name}`)
  }
  expect(found).toEqual([])
})
