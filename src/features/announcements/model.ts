import { t } from 'elysia'
import { entityId, instant, nextCursor, nullable, object, optional, time } from '../../http/schema.ts'
import { prose } from '../../lib/text.ts'

export const newAnnouncement = t.Object(
  { text: prose(1000, { min: 1 }), until: optional(instant) },
  {
    title: 'NewAnnouncement',
    description: 'Without `until`, it stays until it is deleted',
    examples: [{ text: 'We are closed for an hour on Sunday at noon.', until: '2030-01-01T00:00:00Z' }],
  },
)
export const announcement = object('Announcement', {
  id: entityId(),
  text: t.String(),
  until: nullable(time),
  created_at: time,
})
export const announcementList = object('AnnouncementList', { items: t.Array(announcement), next_cursor: nextCursor })
