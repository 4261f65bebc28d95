import texts from 'texts:console'
import { openLanguages } from '../shared/language.tsx'
import type { Translate } from '../shared/texts.ts'
import type { en } from './texts/en.ts'

export type T = Translate<typeof en>

export const { languages, firstTexts, LanguageProvider, useLanguage } = openLanguages<typeof en>(texts)
