import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { useBrand } from './brand.tsx'
import { storeLanguage, type Language, type LoadedTexts, type TextsOfFace } from './first-texts.ts'
import { nameOfLanguage, type Texts, type Translate, translator } from './texts.ts'

export type { Language }

type Chosen<Base extends Texts> = {
  /** The language of the texts that are shown. */
  language: Language
  /** The requested language. It differs from `language` only while its texts are being fetched. */
  chosen: Language
  t: Translate<Base>
  /** Rejects if the texts cannot be fetched; the old language stays. */
  setLanguage: (language: Language) => Promise<void>
}

/** Provides the texts of a face to its components. Only those of the chosen language are fetched. */
export function openLanguages<Base extends Texts>({ available, load }: TextsOfFace<Base>) {
  const LanguageContext = createContext<Chosen<Base> | null>(null)

  function LanguageProvider({ first, children }: { first: LoadedTexts<Base>; children: ReactNode }) {
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
            // Another language was chosen meanwhile.
            if (latest.current !== next) return
            storeLanguage(next)
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
  const languages = (): [Language, string][] => available.map((language) => [language, nameOfLanguage(language)])
  return { languages, LanguageProvider, useLanguage }
}
