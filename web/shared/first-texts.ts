import { keep, kept } from './kept.ts'
import { chooseLanguage, type Text, type Texts, type Translation } from './texts.ts'

/** Two or three letters, such as `en`. */
export type Language = string
/** How to fetch the texts of each language of a face. */
export type Loaders = Record<Language, () => Promise<Record<string, Text>>>
export type LoadedTexts<Base extends Texts> = { language: Language; texts: Translation<Base> }
export type TextsOfFace<Base extends Texts> = ReturnType<typeof openTexts<Base>>

const fallback = 'en'

const key = 'convene:language'

/** Whether somebody has chosen a language on this device. */
export const isLanguageChosen = () => kept(key) !== null

export const keepLanguage = (language: Language) => keep(key, language)

/** The texts of a face. They can be fetched before React is there. */
export function openTexts<Base extends Texts>(loaders: Loaders) {
  const available = Object.keys(loaders)
  const choose = (wanted: readonly string[]) => chooseLanguage(wanted, available, fallback)
  // That each language has all texts of the first one is what its file declares.
  const load = async (language: Language) => (await loaders[language]?.()) as Translation<Base>

  /** The texts that the page begins with: in the language of the device, unless another one was chosen on it. */
  async function first(): Promise<LoadedTexts<Base>> {
    const chosen = kept(key)
    const language = choose(chosen === null ? navigator.languages : [chosen, ...navigator.languages])
    return { language, texts: await load(language) }
  }
  return { available, choose, load, first }
}
