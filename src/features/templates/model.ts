import { t } from 'elysia'
import { entityId, nextCursor, object, shortListQuery, time } from '../../http/schema.ts'
import { label, longestLanguageTag, prose } from '../../lib/text.ts'

const templateFields = {
  name: label(80, { min: 1 }),
  language: t.String({ minLength: 2, maxLength: longestLanguageTag, examples: ['en'] }),
  text: prose(2000, { min: 1 }),
}
export const newTemplate = object('NewTemplate', templateFields, {
  examples: [{ name: 'Insults', language: 'en', text: 'Insults break section 3 of the terms.' }],
})
export const template = object('Template', {
  id: entityId(),
  name: t.String(),
  language: t.String({ examples: ['en'] }),
  text: t.String(),
  created_at: time,
})
export const templateList = object('TemplateList', { items: t.Array(template), next_cursor: nextCursor })
export const templateQuery = t.Object({
  ...shortListQuery,
  language: t.Optional(t.String({ maxLength: longestLanguageTag })),
})
