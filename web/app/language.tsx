import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { chooseLanguage, type Translate, translator } from '../shared/texts.ts'
import { en } from './texts/en.ts'
import { ru } from './texts/ru.ts'

const texts = { en, ru }
export type Language = keyof typeof texts
export const languages: readonly Language[] = ['en', 'ru']

type Chosen = { language: Language; t: Translate<typeof en>; setLanguage: (language: Language) => void }

const LanguageContext = createContext<Chosen | null>(null)
const key = 'convene:language'

/** The language of the device, unless another one was chosen on it. */
function initial(): Language {
  const kept = localStorage.getItem(key)
  return chooseLanguage(kept === null ? navigator.languages : [kept, ...navigator.languages], languages, 'en')
}

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(initial)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const chosen = useMemo<Chosen>(
    () => ({
      language,
      t: translator(language, texts[language]),
      setLanguage(next) {
        localStorage.setItem(key, next)
        setLanguage(next)
      },
    }),
    [language],
  )
  return <LanguageContext value={chosen}>{children}</LanguageContext>
}

/** The texts of the app in the user's language: `t('places.chats')`. */
export function useLanguage(): Chosen {
  const chosen = useContext(LanguageContext)
  if (!chosen) throw new Error('There is no LanguageProvider around this component.')
  return chosen
}
