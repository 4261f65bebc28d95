import loaders from 'texts:console'
import { openTexts } from '../shared/first-texts.ts'
import { openLanguages } from '../shared/language.tsx'
import type { Translate } from '../shared/texts.ts'
import type { en } from './texts/en.ts'

export type T = Translate<typeof en>

export const texts = openTexts<typeof en>(loaders)

export const { languages, LanguageProvider, useLanguage } = openLanguages<typeof en>(texts)
