import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { chooseLanguage, type Translate, type Translation, translator } from '../shared/texts.ts'
import { useBrand } from './brand.tsx'
import type { en } from './texts/en.ts'

type AppTexts = Translation<typeof en>

// Only the texts of the chosen language are fetched.
const load: Record<Language, () => Promise<AppTexts>> = {
  en: async () => (await import('./texts/en.ts')).en,
  ru: async () => (await import('./texts/ru.ts')).ru,
}
export type Language = 'en' | 'ru'
/** The languages of the app, each under its own name. */
export const languages: Record<Language, string> = { en: 'English', ru: 'Русский' }
const available: readonly Language[] = ['en', 'ru']

export type T = Translate<typeof en>
type Chosen = { language: Language; t: T; setLanguage: (language: Language) => void }
type Loaded = { language: Language; texts: AppTexts }

const LanguageContext = createContext<Chosen | null>(null)
const key = 'convene:language'

/** The language of the device, unless another one was chosen on it. */
function initial(): Language {
  const kept = localStorage.getItem(key)
  return chooseLanguage(kept === null ? navigator.languages : [kept, ...navigator.languages], available, 'en')
}

/** The language of the messenger, unless another one was chosen. */
export const languageOf = (tag: string | undefined): Language | null =>
  tag === undefined || localStorage.getItem(key) !== null ? null : chooseLanguage([tag], available, 'en')

/** The texts that the app begins with. */
export async function firstTexts(): Promise<Loaded> {
  const language = initial()
  return { language, texts: await load[language]() }
}

export function LanguageProvider({ first, children }: { first: Loaded; children: ReactNode }) {
  const brand = useBrand()
  const [{ language, texts }, setLoaded] = useState(first)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const chosen = useMemo<Chosen>(
    () => ({
      language,
      t: translator(language, { ...texts, 'app.name': brand.name, ...brand.texts[language] }),
      setLanguage(next) {
        localStorage.setItem(key, next)
        void load[next]().then((texts) => setLoaded({ language: next, texts }))
      },
    }),
    [language, texts, brand],
  )
  return <LanguageContext value={chosen}>{children}</LanguageContext>
}

/** The texts of the app in the user's language: `t('places.chats')`. */
export function useLanguage(): Chosen {
  const chosen = useContext(LanguageContext)
  if (!chosen) throw new Error('There is no LanguageProvider around this component.')
  return chosen
}
