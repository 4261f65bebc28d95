import loaders from 'texts:app'
import { openTexts } from '../shared/first-texts.ts'
import type { en } from './texts/en.ts'

export const texts = openTexts<typeof en>(loaders)
