// What an image is used for: conditions on a row of `media`, the same in either engine.

export const isPhoto = 'EXISTS (SELECT 1 FROM users WHERE users.photo = media.id)'
const shown = `(${isPhoto}
  OR EXISTS (SELECT 1 FROM messages WHERE messages.photo_id = media.id AND messages.deleted_at IS NULL))`
const isEvidence = 'EXISTS (SELECT 1 FROM evidence_photos WHERE media_id = media.id)'

export const used = `(${shown} OR ${isEvidence})`

/**
 * Not for those who have uploaded it any more is what is kept as evidence alone: that it is still there would tell them that
 * they were reported, and in a chat of two by whom.
 */
export const isTheirs = `(${shown} OR NOT ${isEvidence})`
