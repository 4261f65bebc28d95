import { announcementService } from '../features/announcements/service.ts'
import { openChatViews } from '../features/chats/views.ts'
import { reviewsForEvents } from '../features/reviews/service.ts'
import { openHub } from '../realtime/hub.ts'
import { openLastSeen } from '../realtime/last-seen.ts'
import { openPresence } from '../realtime/presence.ts'
import { replay as openReplay } from '../realtime/replay.ts'
import { openSockets } from '../realtime/sockets.ts'
import type { Content } from './content.ts'
import type { Core } from './core.ts'
import type { ProfileServices } from './profiles.ts'

export type Realtime = ReturnType<typeof buildRealtime>

// Presence is announced in the newest chats only, because an account may have any number of them.
const chatsWithPresence = 500

/** Sockets, presence, events, and the messages between nodes. */
export function buildRealtime({
  storage,
  log,
  nodes,
  mayMiss,
  calmMs,
  paging,
  audit,
  callers,
  blocking,
  media,
  imageBank,
  filter,
  profiles,
  ids,
  now,
}: Core & Content & ProfileServices) {
  const sockets = openSockets()
  const lastSeen = openLastSeen({ store: storage.lastSeen, log, now })
  const presence = openPresence({
    sockets,
    peers: (userId) => storage.chats.peers(userId, chatsWithPresence),
    nodes,
    lastSeen,
    calmMs,
    log,
    now,
  })
  const chatViews = openChatViews({ store: storage.chats, profiles, blocking, photos: media, presence, now })
  const replay = openReplay({
    store: storage.events,
    views: {
      message: chatViews.messagesForEvents,
      message_edited: chatViews.messagesForEvents,
      message_deleted: chatViews.messagesForEvents,
      chat: chatViews.chatsForEvents,
      review: reviewsForEvents(storage.reviews),
    },
    gathers: mayMiss,
  })
  const hub = openHub({
    sockets,
    replay,
    presence,
    lastSeen,
    accessState: callers.accessState,
    nodes,
    mayMiss,
    log,
    now,
  })
  const announcements = announcementService({
    store: storage.announcements,
    broadcast: (announcement) => hub.broadcast('announcement', announcement),
    nodes,
    failed: (error) => log.error({ err: error }, 'announcements could not be read'),
    audit,
    paging,
    ids,
    now,
  })
  nodes?.listen({
    ...hub.listener,
    forget: callers.forgetHere,
    rulesChanged() {
      filter.forget()
      imageBank.forget()
    },
    announced: announcements.reread,
    forgetAll() {
      callers.forgetAll()
      filter.forget()
      imageBank.forget()
      announcements.reread()
    },
  })
  return { presence, chatViews, replay, hub, announcements }
}
