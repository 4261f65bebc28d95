import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { iso } from '../../lib/time.ts'
import childSafetyEn from './texts/child-safety.en.md' with { type: 'text' }
import childSafetyRu from './texts/child-safety.ru.md' with { type: 'text' }
import disclaimerEn from './texts/disclaimer.en.md' with { type: 'text' }
import disclaimerRu from './texts/disclaimer.ru.md' with { type: 'text' }
import privacyEn from './texts/privacy.en.md' with { type: 'text' }
import privacyRu from './texts/privacy.ru.md' with { type: 'text' }
import termsEn from './texts/terms.en.md' with { type: 'text' }
import termsRu from './texts/terms.ru.md' with { type: 'text' }
import { recordOf } from '../../lib/record.ts'

export const legalKinds = ['terms', 'privacy', 'disclaimer'] as const
type LegalKind = (typeof legalKinds)[number]

/** All published texts: those that users consent to, and those for information only. */
const publishedKinds = [...legalKinds, 'child-safety'] as const
type PublishedKind = (typeof publishedKinds)[number]

export type LegalText<Kind extends PublishedKind = PublishedKind> = {
  kind: Kind
  version: string
  language: string
  text: string
  updated_at: string
}

export type Legal = ReturnType<typeof legalService>

// Change this date together with the built-in texts.
const builtInUpdatedAt = Date.UTC(2026, 10, 27)
const builtIn: Record<PublishedKind, Record<string, string>> = {
  terms: { en: termsEn, ru: termsRu },
  privacy: { en: privacyEn, ru: privacyRu },
  disclaimer: { en: disclaimerEn, ru: disclaimerRu },
  'child-safety': { en: childSafetyEn, ru: childSafetyRu },
}

type Edition = { version: string; updatedAt: number; texts: readonly Text[] }
/** The text of an edition in one language. */
type Text = { language: string; text: string; hash: string }

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/**
 * The legal texts: those in `dir`, named `terms.en.md`, `terms.pt-BR.md` and so on, or else the built-in ones. If `dir` has any
 * text of a kind, the built-in ones of that kind are not used, because two texts of different content would both be binding.
 *
 * A version covers all translations of a kind, so that changing any of them asks everybody for consent again.
 */
export function legalService({ dir, contact = null }: { dir: string | null; contact?: string | null }) {
  let editions = editionsOf(dir, contact)

  /** The text in the best of the wanted languages (a tag or an Accept-Language list), else in English, else the first one. */
  function textFor(kind: PublishedKind, wanted: string | null): Text {
    const { texts } = editions[kind]
    for (const tag of mostWantedFirst(wanted ?? '')) {
      const [primary] = tag.split('-', 1)
      const found =
        texts.find(({ language }) => language === tag) ??
        texts.find(({ language }) => language === primary) ??
        texts.find(({ language }) => language.startsWith(`${primary}-`))
      if (found !== undefined) return found
    }
    const usual = texts.find(({ language }) => language === 'en') ?? texts[0]
    if (usual === undefined) throw new Error(`there is no text of the kind ${kind}`)
    return usual
  }

  return {
    text<Kind extends PublishedKind>(kind: Kind, wanted: string | null): LegalText<Kind> {
      const { version, updatedAt } = editions[kind]
      const { language, text } = textFor(kind, wanted)
      return { kind, version, language, text, updated_at: iso(updatedAt) }
    },

    version: (kind: LegalKind) => editions[kind].version,

    /** The version and the text that a consent given now refers to. */
    edition: (kind: LegalKind, wanted: string | null) => ({
      version: editions[kind].version,
      text_hash: textFor(kind, wanted).hash,
    }),

    /** Reads the texts again. Throws if they cannot be read, and the old ones stay in force. */
    reload(from: { dir: string | null; contact: string | null }) {
      editions = editionsOf(from.dir, from.contact)
    },
  }
}

const editionsOf = (dir: string | null, contact: string | null) =>
  recordOf(publishedKinds, (kind) => editionOf(kind, dir, contact))

/** The names in an Accept or Accept-Language list, sorted by weight, without those of weight 0. */
export const mostWantedFirst = (list: string): string[] =>
  list
    .toLowerCase()
    .split(',')
    .map((part) => {
      const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return { name, weight: weight === undefined ? 1 : Number(weight.slice(2)) }
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ name }) => name)

const noContact: { en: string; [language: string]: string } = {
  en: 'The address of the operator is given in the app.',
  ru: 'Адрес оператора указан в приложении.',
}

function editionOf(kind: PublishedKind, dir: string | null, contact: string | null): Edition {
  const own = dir === null ? null : ownTexts(kind, dir)
  const { texts: found, updatedAt } = own ?? { texts: Object.entries(builtIn[kind]), updatedAt: builtInUpdatedAt }
  const texts = found.map(([language, text]): [string, string] => [
    language,
    text.replaceAll('{{contact}}', () => contact ?? noContact[language] ?? noContact.en),
  ])
  return {
    version: sha256(texts.map(([language, text]) => `${language}\n${text}`).join('\n')).slice(0, 12),
    updatedAt,
    texts: texts.map(([language, text]) => ({ language, text, hash: sha256(text) })),
  }
}

function ownTexts(kind: PublishedKind, dir: string) {
  const files = readdirSync(dir)
    .filter((file) => kindOfFile(file) === kind)
    .sort()
  if (files.length === 0) return null
  const texts = files.map((file): [string, string] => [
    file.slice(kind.length + 1, -'.md'.length).toLowerCase(),
    readFileSync(join(dir, file), 'utf8'),
  ])
  return { texts, updatedAt: Math.max(...files.map((file) => Math.floor(statSync(join(dir, file)).mtimeMs))) }
}

const fileName = new RegExp(`^(${publishedKinds.join('|')})\\.[a-z]{2,8}(-[a-z0-9]{1,8})*\\.md$`, 'i')
const kindOfFile = (file: string) => fileName.exec(file)?.[1]?.toLowerCase() ?? null

/** The files of an operator's directory: texts, empty or unreadable texts, and files whose names are only similar. */
export type LegalFiles = { texts: string[]; empty: string[]; misnamed: string[] }

/** Whether a file is empty or cannot be read. */
function isEmpty(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').trim() === ''
  } catch {
    return true
  }
}

// A misspelled `term.en.md` must not leave our text in force unnoticed.
const looksLikeText = (name: string) =>
  publishedKinds.some((kind) => name.includes(kind)) || (name.endsWith('.md') && name !== 'readme.md')

/** For the checks before a start. Throws if it is not a readable directory. */
export function legalFiles(dir: string): LegalFiles {
  const files = readdirSync(dir).sort()
  const texts = files.filter((file) => kindOfFile(file) !== null)
  return {
    texts,
    empty: texts.filter((file) => isEmpty(join(dir, file))),
    misnamed: files.filter((file) => !texts.includes(file) && looksLikeText(file.toLowerCase())),
  }
}
