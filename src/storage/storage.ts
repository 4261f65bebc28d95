import type { NodeStore } from '../installation/cluster.ts'
import type { ErasureStore, HoldingsStore } from '../features/account/store.ts'
import type { AccountStore, SessionStore } from '../features/auth/store.ts'
import type { AuditStore } from '../features/audit/store.ts'
import type { MediaStore } from '../features/media/store.ts'
import type { CommunityStore } from '../features/community/store.ts'
import type { ChatStore } from '../features/chats/store.ts'
import type { ModerationStore, NoticeStore, QueueStore } from '../features/moderation/store.ts'
import type { FiguresStore } from '../features/figures/store.ts'
import type { TagStore } from '../features/tags/store.ts'
import type { AnnouncementStore } from '../features/announcements/store.ts'
import type { TemplateStore } from '../features/templates/store.ts'
import type { LocationStore } from '../features/location/store.ts'
import type { UserStore } from '../features/profile/store.ts'
import type { RetentionStore } from '../features/retention/store.ts'
import type { ReviewStore } from '../features/reviews/store.ts'
import type { BlockStore, ReportStore } from '../features/safety/store.ts'
import type { EventStore, LastSeenStore } from '../realtime/store.ts'
import type { JobLeaseStore } from '../lib/job-leases.ts'
import type { BotStore } from '../features/bot/store.ts'
import type { EmailStore } from '../features/email/store.ts'
import type { IdentityStore } from '../features/identities/store.ts'
import type { PeopleStore } from '../features/people/store.ts'
import type { FilterStore } from '../features/filter/store.ts'
import type { ImageBankStore } from '../features/image-bank/store.ts'
import type { AgeStore, InviteStore } from '../features/registration/store.ts'
import type { NotificationStore } from '../features/notifications/store.ts'
import type { PasskeyStore } from '../features/passkeys/store.ts'
import type { OutboxStore } from '../outbox/store.ts'

/** All storage ports. Each engine is a folder beside this file. */
export type Storage = {
  users: UserStore
  accounts: AccountStore
  sessions: SessionStore
  audit: AuditStore
  blocks: BlockStore
  reports: ReportStore
  reviews: ReviewStore
  notices: NoticeStore
  moderation: ModerationStore
  queue: QueueStore
  templates: TemplateStore
  announcements: AnnouncementStore
  ages: AgeStore
  figures: FiguresStore
  tags: TagStore
  media: MediaStore
  events: EventStore
  lastSeen: LastSeenStore
  chats: ChatStore
  locations: LocationStore
  erasures: ErasureStore
  holdings: HoldingsStore
  retention: RetentionStore
  community: CommunityStore
  jobLeases: JobLeaseStore
  /** Null for SQLite, which has one server. */
  nodes: NodeStore | null
  outbox: OutboxStore
  emails: EmailStore
  identities: IdentityStore
  invites: InviteStore
  filter: FilterStore
  imageBank: ImageBankStore
  people: PeopleStore
  notifications: NotificationStore
  bot: BotStore
  passkeys: PasskeyStore
  /** Call with every unexpected error: ends the process if the error shows that the disk or the data cannot be trusted. */
  failed(error: unknown): void
  /** Whether the schema is that of this release, or of one that it is compatible with. Throws if the engine does not answer. */
  schemaFits(): Promise<boolean>
  /** Size on disk in bytes: the database and its write-ahead log. */
  size(): Promise<{ database: number; log: number }>
  /** Commits queued writes and closes the database. */
  close(): Promise<void>
}
