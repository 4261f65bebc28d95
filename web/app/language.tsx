import { isLanguageChosen, type Language } from '../shared/first-texts.ts'
import { openLanguages } from '../shared/language.tsx'
import type { Translate } from '../shared/texts.ts'
import { texts } from './first-texts.ts'
import type { en } from './texts/en.ts'

export type { Language }

export type T = Translate<typeof en>

export const { languages, LanguageProvider, useLanguage } = openLanguages<typeof en>(texts)

/** The messenger's language; null if the user has chosen one on this device. */
export const languageOf = (tag: string | undefined): Language | null =>
  tag === undefined || isLanguageChosen() ? null : texts.choose([tag])
