import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { entityId, imageId, nextCursor, nullable, object, optional, time, wholeNumber } from '../../http/schema.ts'
import { prose } from '../../lib/text.ts'
import { longestDistance, longestReason } from './rules.ts'

const hashText = t.String({
  pattern: '^[0-9a-fA-F]{64}$',
  error: 'Expected 64 hexadecimal digits',
  description: 'PDQ: 256 bits',
})

export const newBankEntry = object(
  'NewBannedImage',
  {
    hash: optional(hashText),
    image_id: optional(imageId('Expected the id of an image')),
    distance: optional(wholeNumber(0, longestDistance)),
    reason: prose(longestReason, { min: 1 }),
  },
  {
    description: 'Give either `hash` or `image_id`. Without `distance`, that of the rule applies, or 31',
    examples: [{ hash: 'd8f8f1eec0f4a84f0e37022a078f63f0b36e2ed596621e1d33e6239c4e9c9b22', reason: 'A scam' }],
  },
)

export const bankEntry = object('BannedImage', {
  id: entityId(),
  hash: t.String(),
  distance: nullable(Type.Integer()),
  reason: t.String(),
  report_id: nullable(entityId('The report whose decision has banned it')),
  added_by: nullable(entityId('Null for the command line')),
  created_at: time,
})

export const bankList = object('BannedImageList', { items: t.Array(bankEntry), next_cursor: nextCursor })
