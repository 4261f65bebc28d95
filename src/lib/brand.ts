import { readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { codeOf } from './errors.ts'
import { isRecord } from './record.ts'

type Colors = { accent: string; onAccent: string; soft: string }
export type BrandFile = { type: string; bytes: Uint8Array<ArrayBuffer>; hash: string }
/** The operator's design of the app, from `BRAND_DIR`. */
export type Brand = {
  name: string
  light: Colors | null
  dark: Colors | null
  /** By language and key. */
  texts: Record<string, Record<string, string>>
  logo: BrandFile | null
  /** A square for home screens. */
  icon: BrandFile | null
  stylesheet: string
}

const imageTypes: Record<string, string> = { '.svg': 'image/svg+xml', '.png': 'image/png', '.webp': 'image/webp' }
const largestFile = 1024 * 1024
// The backgrounds of the app, on which text has the accent colour.
const backgrounds = { light: '#ffffff', dark: '#1b1a19' }
const onAccents = ['#ffffff', '#111010']

/** Reads `brand.json` of a directory and the files that it names. Throws an error of one line about the first problem. */
export function readBrand(directory: string): Brand {
  const fields = json(directory)
  for (const name of Object.keys(fields))
    if (!['name', 'colors', 'logo', 'icon', 'texts', 'stylesheet'].includes(name))
      throw wrong(`"${name}" is unknown: use name, colors, logo, icon, texts and stylesheet`)
  const { name, colors = {}, texts = {} } = fields
  if (typeof name !== 'string' || name.trim() === '' || [...name].length > 40)
    throw wrong('"name" must be a text of 1 to 40 characters')
  if (!isRecord(colors)) throw wrong('"colors" must have "light" and "dark"')
  const stylesheet =
    fields.stylesheet === undefined ? null : file(directory, fields, 'stylesheet', { '.css': 'text/css' })
  return {
    name: name.trim(),
    light: colorsOf(colors, 'light'),
    dark: colorsOf(colors, 'dark'),
    texts: textsOf(texts),
    logo: fields.logo === undefined ? null : file(directory, fields, 'logo', imageTypes),
    icon: fields.icon === undefined ? null : file(directory, fields, 'icon', { '.png': 'image/png' }),
    stylesheet: stylesheet === null ? '' : new TextDecoder().decode(stylesheet.bytes),
  }
}

const wrong = (what: string) => new Error(`must be a directory with a valid brand.json: ${what}`)

function json(directory: string): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(join(directory, 'brand.json'), 'utf8')
  } catch (error) {
    throw new Error(`must be a directory with a file brand.json that can be read (${codeOf(error)})`)
  }
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {}
  throw wrong('it is not a JSON object')
}

function colorsOf(colors: Record<string, unknown>, scheme: 'light' | 'dark'): Colors | null {
  const accent = colors[scheme]
  if (accent === undefined) return null
  if (typeof accent !== 'string' || !/^#[0-9a-f]{6}$/i.test(accent))
    throw wrong(`"colors.${scheme}" must be a colour such as "#0f766e"`)
  const background = backgrounds[scheme]
  const soft = mix(accent, background, 0.15)
  // Text has the accent colour too, on the background and on the accent's soft form.
  if (Math.min(contrast(accent, background), contrast(accent, soft)) < 4.5)
    throw wrong(
      `"colors.${scheme}" must be ${scheme === 'light' ? 'darker' : 'lighter'}, so that it can be read (4.5:1 on its background)`,
    )
  const [best = ''] = onAccents.toSorted((a, b) => contrast(b, accent) - contrast(a, accent))
  return { accent, onAccent: best, soft }
}

function textsOf(texts: unknown): Brand['texts'] {
  if (!isRecord(texts)) throw wrong('"texts" must have texts by language, such as { "en": { … } }')
  const found: Brand['texts'] = {}
  for (const [language, own] of Object.entries(texts)) {
    if (!/^[a-z]{2,3}$/.test(language)) throw wrong(`"texts.${language}" must be a language such as "en"`)
    if (!isRecord(own)) throw wrong(`"texts.${language}" must be an object of texts by key`)
    const of: Record<string, string> = {}
    for (const [key, text] of Object.entries(own)) {
      if (typeof text !== 'string') throw wrong(`"texts.${language}" has "${key}", which must be a text`)
      of[key] = text
    }
    found[language] = of
  }
  return found
}

function file(
  directory: string,
  fields: Record<string, unknown>,
  field: string,
  types: Record<string, string>,
): BrandFile {
  const name = fields[field]
  if (typeof name !== 'string' || name !== basename(name) || name.startsWith('.'))
    throw wrong(`"${field}" must be the name of a file beside it`)
  const type = types[extname(name).toLowerCase()]
  if (type === undefined) throw wrong(`"${field}" must end in ${Object.keys(types).join(', ')}`)
  let bytes: Uint8Array<ArrayBuffer>
  try {
    bytes = new Uint8Array(readFileSync(join(directory, name)))
  } catch (error) {
    throw wrong(`"${field}" names ${name}, which cannot be read (${codeOf(error)})`)
  }
  if (bytes.length > largestFile) throw wrong(`"${field}" names ${name}, which is larger than 1 MiB`)
  return { type, bytes, hash: new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 22) }
}

const channels = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

/** `share` of one colour in another. */
function mix(color: string, other: string, share: number): string {
  const others = channels(other)
  const mixed = channels(color).map((value, i) => Math.round(value * share + (others[i] ?? 0) * (1 - share)))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

/** The contrast of two colours, 1 to 21 (WCAG 2.2, "contrast ratio"). */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

/** WCAG 2.2, "relative luminance". */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
