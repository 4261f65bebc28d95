import texts from 'texts:app'
import { isLanguageChosen, type Language, openLanguages } from '../shared/language.tsx'
import type { Translate } from '../shared/texts.ts'
import type { en } from './texts/en.ts'

export type { Language }

export type T = Translate<typeof en>

const opened = openLanguages<typeof en>(texts)
export const { languages, firstTexts, LanguageProvider, useLanguage } = opened

/** The language of the messenger, unless another one was chosen. */
export const languageOf = (tag: string | undefined): Language | null =>
  tag === undefined || isLanguageChosen() ? null : opened.choose([tag])
