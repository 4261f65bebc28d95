import { type FieldErrorCode, invalid } from '../../lib/refusal.ts'
import { isVisible, tidy } from '../../lib/text.ts'
import type { newMessage } from './model.ts'

/** What kinds of messages there are. Schemas, tables and notifications take the list from here. */
export const messageKinds = ['text', 'photo'] as const
export type MessageKind = (typeof messageKinds)[number]

/** What a message says, by its kind: each kind has its own fields, so that a switch over `kind` cannot forget one. */
export type Content =
  { kind: 'text'; text: string; photo_id: null } | { kind: 'photo'; text: string | null; photo_id: string }

/** The same as the columns of a message of any kind. */
export type ContentFields = { kind: MessageKind; text: string | null; photo_id: string | null }

/** The fields of a message that says nothing, such as a deleted one. */
export const noContent: { [Field in Exclude<keyof ContentFields, 'kind'>]: null } = { text: null, photo_id: null }

export const contentColumns = ['kind', 'text', 'photo_id'] as const satisfies (keyof ContentFields)[]

/** The content of a request. Refuses a field that its kind requires and lacks, or does not allow. */
export function contentOf(body: (typeof newMessage)['static']): Content {
  const kind = body.kind ?? 'text'
  const text = tidy(body.text ?? '') || null
  const photo_id = body.photo ?? null
  switch (kind) {
    case 'text':
      if (photo_id !== null) throw invalid('/photo', 'Expected no photo in a text message', 'not_allowed')
      if (text === null || !isVisible(text))
        throw invalid('/text', 'Expected text of 1 to 4000 characters', body.text == null ? 'required' : 'too_short')
      return { kind, text, photo_id }
    case 'photo':
      if (photo_id === null) throw notYourPhoto('required')
      return { kind, text, photo_id }
  }
}

/** What members and moderators see of a message. The caller's view adds the photo with signed URLs. */
export const contentView = ({ kind, text }: ContentFields) => ({ kind, text })

export const notYourPhoto = (code: FieldErrorCode) =>
  invalid('/photo', 'Expected the id of an image that you uploaded', code)
