// What an image is used for: conditions on a row of `media`, the same in either engine.

// Makes PostgreSQL look up each image instead of reading all messages first.
const oneByOne = 'LIMIT 1 OFFSET 0'

const isPhoto = `EXISTS (SELECT 1 FROM users WHERE users.photo = media.id ${oneByOne})`
const isIn = (table: 'messages' | 'held_messages') =>
  `EXISTS (SELECT 1 FROM ${table} WHERE ${table}.photo_id = media.id AND ${table}.deleted_at IS NULL ${oneByOne})`
const shown = `(${isPhoto} OR ${isIn('messages')} OR ${isIn('held_messages')})`

/** Whether the image is a profile photo that is not hidden from others. */
export const isPhotoShown = `EXISTS (SELECT 1 FROM users WHERE users.photo = media.id AND users.hidden IS NULL ${oneByOne})`

export const isEvidence = `EXISTS (SELECT 1 FROM evidence_photos WHERE media_id = media.id ${oneByOne})`

export const used = `(${shown} OR ${isEvidence})`

/**
 * Whether its owner may still use the image. Not if it is kept only as evidence: its existence would reveal that they were
 * reported, and in a chat of two by whom.
 */
export const isTheirs = `(${shown} OR NOT ${isEvidence})`

const isShownIn = (table: 'messages' | 'held_messages', messageId: string) =>
  `EXISTS (SELECT 1 FROM ${table} WHERE ${table}.id = ${messageId} AND photo_id = media.id AND deleted_at IS NULL)`
/** Only the sender of a held message has a URL with its id. */
export const isShownBy = (messageId: string) =>
  `(${isShownIn('messages', messageId)} OR ${isShownIn('held_messages', messageId)})`
export const isEvidenceOf = (reportId: string) =>
  `EXISTS (SELECT 1 FROM evidence_photos WHERE report_id = ${reportId} AND media_id = media.id)`
