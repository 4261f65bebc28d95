import { join } from 'node:path'
import { openErasures } from '../features/account/erasures.ts'
import { openExporter } from '../features/account/export.ts'
import { accountService } from '../features/account/service.ts'
import { maintenanceMode } from '../features/maintenance/service.ts'
import { lastingAt } from '../features/notifications/carriers.ts'
import { shownForMs } from '../features/notifications/rules.ts'
import { retentionService } from '../features/retention/service.ts'
import { watchHalfSet } from '../installation/half-set.ts'
import { openRoom } from '../installation/room.ts'
import { openErasureJournal } from '../storage/files/erasure-journal.ts'
import type { ChatServices } from './chats.ts'
import type { Content } from './content.ts'
import type { DeliveryServices } from './delivery.ts'
import type { Accounts } from './accounts.ts'
import type { Core } from './core.ts'
import type { ModerationServices } from './moderation.ts'
import type { Outgoing } from './outgoing.ts'
import type { ProfileServices } from './profiles.ts'
import type { Realtime } from './realtime.ts'

type Needs = Core &
  Outgoing &
  Content &
  ProfileServices &
  Realtime &
  ChatServices &
  Accounts &
  ModerationServices &
  DeliveryServices

/** Exports, erasures and retention of data, and the state of the server itself. */
export function buildUpkeep({
  config,
  storage,
  log,
  metrics,
  shared,
  replica,
  audit,
  callers,
  webhooks,
  mails,
  files,
  media,
  photos,
  profiles,
  chatViews,
  hub,
  reviews,
  safety,
  auth,
  notices,
  notifications,
  ids,
  now,
}: Needs) {
  metrics.watch({ callers, hub, storage, shared, photos, replica, now })
  const erasures = openErasures({
    store: storage.erasures,
    journal: openErasureJournal(join(config.dataDir, 'erasures.log')),
    files,
    audit,
    webhooks,
    ids,
    now,
  })
  const exporter = openExporter({
    store: storage.holdings,
    auditLog: storage.audit,
    messages: storage.chats,
    locations: storage.locations,
    lastSeen: storage.lastSeen,
    emails: storage.emails,
    identities: storage.identities,
    outbox: storage.outbox,
    bot: storage.bot,
    passkeys: storage.passkeys,
    profiles,
    users: storage.users,
    chats: chatViews,
    media,
    safety,
    notices,
    notifications,
    reviews,
    now,
  })
  const account = accountService({
    erasures,
    exporter,
    auth,
    mails,
    callers,
    sockets: hub.control,
    chats: chatViews,
    push: hub.push,
    audit,
    now,
  })
  const retention = retentionService({
    store: storage.retention,
    events: storage.events,
    emails: storage.emails,
    oldChannels: (limit) => storage.notifications.removeOld(lastingAt(now()), now() - shownForMs, limit),
    bot: storage.bot,
    passkeys: storage.passkeys,
    eventRetentionDays: config.eventRetentionDays,
    retention: () => config.retention,
    now,
  })
  const maintenance = maintenanceMode({
    store: storage.community,
    onChange(mode) {
      log.warn({ on: mode !== null, text: mode?.text }, 'maintenance has begun, changed or ended')
      hub.tellMaintenance(mode?.text ?? null)
    },
  })
  const room = openRoom({ config, store: storage.community, now })
  const halfSet = watchHalfSet(config)
  return { erasures, account, retention, maintenance, room, halfSet }
}
