import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { useBrand } from './brand.tsx'
import {
  chooseLanguage,
  nameOfLanguage,
  type Text,
  type Texts,
  type Translate,
  type Translation,
  translator,
} from './texts.ts'

/** Two or three letters, such as `en`. */
export type Language = string
/** How to fetch the texts of each language of a face. */
export type Loaders = Record<Language, () => Promise<Record<string, Text>>>

const fallback = 'en'

const key = 'convene:language'

/** Whether somebody has chosen a language on this device. */
export const isLanguageChosen = () => localStorage.getItem(key) !== null

type Loaded<Base extends Texts> = { language: Language; texts: Translation<Base> }
export type Chosen<Base extends Texts> = {
  /** The language of the texts that are shown. */
  language: Language
  /** The one that was asked for: the same, but while its texts are on their way. */
  chosen: Language
  t: Translate<Base>
  /** Rejects where the texts cannot be fetched: those that are shown stay. */
  setLanguage: (language: Language) => Promise<void>
}

/** Texts of a page: only those of the chosen language are fetched. */
export function openLanguages<Base extends Texts>(loaders: Loaders) {
  const available = Object.keys(loaders)
  const choose = (wanted: readonly string[]) => chooseLanguage(wanted, available, fallback)
  // That each language has all texts of the first one is what its file declares.
  const load = async (language: Language) => (await loaders[language]?.()) as Translation<Base>

  const LanguageContext = createContext<Chosen<Base> | null>(null)

  /** The texts that the page begins with. */
  async function firstTexts(): Promise<Loaded<Base>> {
    const kept = localStorage.getItem(key)
    // The language of the device, unless another one was chosen on it.
    const language = choose(kept === null ? navigator.languages : [kept, ...navigator.languages])
    return { language, texts: await load(language) }
  }

  function LanguageProvider({ first, children }: { first: Loaded<Base>; children: ReactNode }) {
    const brand = useBrand()
    const [{ language, texts }, setLoaded] = useState(first)
    const [chosen, setChosen] = useState(first.language)
    const latest = useRef(first.language)
    useEffect(() => {
      document.documentElement.lang = language
    }, [language])
    const value = useMemo<Chosen<Base>>(
      () => ({
        language,
        chosen,
        t: translator<Base>(language, { ...texts, 'app.name': brand.name, ...brand.texts[language] }),
        async setLanguage(next) {
          latest.current = next
          setChosen(next)
          try {
            const texts = await load(next)
            // Another one was chosen meanwhile.
            if (latest.current !== next) return
            localStorage.setItem(key, next)
            setLoaded({ language: next, texts })
          } catch (error) {
            if (latest.current === next) setChosen(language)
            throw error
          }
        },
      }),
      [language, chosen, texts, brand],
    )
    return <LanguageContext value={value}>{children}</LanguageContext>
  }

  /** The texts of the page in the user's language: `t('places.chats')`. */
  function useLanguage(): Chosen<Base> {
    const chosen = useContext(LanguageContext)
    if (!chosen) throw new Error('There is no LanguageProvider around this component.')
    return chosen
  }

  /** The languages of the page, each under its own name. */
  const languages: [Language, string][] = available.map((language) => [language, nameOfLanguage(language)])
  return { languages, choose, firstTexts, LanguageProvider, useLanguage }
}
