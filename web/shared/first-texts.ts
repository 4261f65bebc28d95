import { readLocal, writeLocal } from './local-storage.ts'
import { chooseLanguage, type Text, type Texts, type Translation } from './texts.ts'

/** Two or three letters, such as `en`. */
export type Language = string
/** Loads the texts of each language of a face. */
export type Loaders = Record<Language, () => Promise<Record<string, Text>>>
export type LoadedTexts<Base extends Texts> = { language: Language; texts: Translation<Base> }
export type TextsOfFace<Base extends Texts> = ReturnType<typeof openTexts<Base>>

const fallback = 'en'

const key = 'convene:language'

/** Whether somebody has chosen a language on this device. */
export const isLanguageChosen = () => readLocal(key) !== null

export const storeLanguage = (language: Language) => writeLocal(key, language)

/** The texts of a face, which can be fetched before React has loaded. */
export function openTexts<Base extends Texts>(loaders: Loaders) {
  const available = Object.keys(loaders)
  const choose = (wanted: readonly string[]) => chooseLanguage(wanted, available, fallback)
  // The type of each language's file guarantees that it has all texts.
  const load = async (language: Language) => (await loaders[language]?.()) as Translation<Base>

  /** The texts for the first screen: in the language chosen on this device, or else in the language of the device. */
  async function first(): Promise<LoadedTexts<Base>> {
    const chosen = readLocal(key)
    const language = choose(chosen === null ? navigator.languages : [chosen, ...navigator.languages])
    return { language, texts: await load(language) }
  }
  return { available, choose, load, first }
}
