// What an image is used for: conditions on a row of `media`, the same in either engine.

// Keeps PostgreSQL to looking up each image, rather than reading all messages first.
const oneByOne = 'LIMIT 1 OFFSET 0'

export const isPhoto = `EXISTS (SELECT 1 FROM users WHERE users.photo = media.id ${oneByOne})`
const shown = `(${isPhoto}
  OR EXISTS (SELECT 1 FROM messages WHERE messages.photo_id = media.id AND messages.deleted_at IS NULL ${oneByOne}))`
export const isEvidence = `EXISTS (SELECT 1 FROM evidence_photos WHERE media_id = media.id ${oneByOne})`

export const used = `(${shown} OR ${isEvidence})`

/**
 * Not for those who have uploaded it any more is what is kept as evidence alone: that it is still there would tell them that
 * they were reported, and in a chat of two by whom.
 */
export const isTheirs = `(${shown} OR NOT ${isEvidence})`

export const isShownBy = (messageId: string) =>
  `EXISTS (SELECT 1 FROM messages WHERE messages.id = ${messageId} AND photo_id = media.id AND deleted_at IS NULL)`
export const isEvidenceOf = (reportId: string) =>
  `EXISTS (SELECT 1 FROM evidence_photos WHERE report_id = ${reportId} AND media_id = media.id)`
