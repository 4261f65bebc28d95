import type { Case } from './run.ts'

export const cases: Case[] = []
