import {
  ChartNoAxesColumn,
  FileChartColumn,
  FileText,
  Filter,
  Gavel,
  ImageOff,
  Inbox,
  type LucideIcon,
  Megaphone,
  ScrollText,
  Settings2,
  Ticket,
  UsersRound,
} from 'lucide-react'
import { type ComponentType, lazy, type LazyExoticComponent } from 'react'
import type { en } from './texts/en.ts'

export type Screen = {
  /** The route below `/console`. Its first segment is also the screen's folder. */
  path: `/${string}`
  /** The target of the navigation's link. */
  href: `/${string}`
  title: keyof typeof en
  Icon: LucideIcon
  /** `g`, then this key, opens the screen. */
  key: string
  /** Not shown to moderators. */
  forAdmins?: boolean
  View: LazyExoticComponent<ComponentType>
}

/** Every screen of the console, in the order of the navigation. Each is fetched when it is first shown. */
export const screens: readonly Screen[] = [
  {
    path: '/queue/:id?',
    href: '/queue',
    title: 'queue.title',
    Icon: Inbox,
    key: 'q',
    View: lazy(() => import('./queue/queue.tsx')),
  },
  {
    path: '/appeals/:id?',
    href: '/appeals',
    title: 'appeals.title',
    Icon: Gavel,
    key: 'a',
    View: lazy(() => import('./appeals/appeals.tsx')),
  },
  {
    path: '/people/:id?',
    href: '/people',
    title: 'people.title',
    Icon: UsersRound,
    key: 'p',
    View: lazy(() => import('./people/people.tsx')),
  },
  {
    path: '/rules/:id?',
    href: '/rules',
    title: 'rules.title',
    Icon: Filter,
    key: 'r',
    forAdmins: true,
    View: lazy(() => import('./rules/rules.tsx')),
  },
  {
    path: '/images',
    href: '/images',
    title: 'images.title',
    Icon: ImageOff,
    key: 'i',
    forAdmins: true,
    View: lazy(() => import('./images/images.tsx')),
  },
  {
    path: '/templates/:id?',
    href: '/templates',
    title: 'templates.title',
    Icon: FileText,
    key: 'e',
    forAdmins: true,
    View: lazy(() => import('./templates/templates.tsx')),
  },
  {
    path: '/announcements',
    href: '/announcements',
    title: 'announcements.title',
    Icon: Megaphone,
    key: 'b',
    forAdmins: true,
    View: lazy(() => import('./announcements/announcements.tsx')),
  },
  {
    path: '/invitations',
    href: '/invitations',
    title: 'invites.title',
    Icon: Ticket,
    key: 'v',
    forAdmins: true,
    View: lazy(() => import('./invitations/invitations.tsx')),
  },
  {
    path: '/numbers',
    href: '/numbers',
    title: 'numbers.title',
    Icon: ChartNoAxesColumn,
    key: 'n',
    View: lazy(() => import('./numbers/numbers.tsx')),
  },
  {
    path: '/audit',
    href: '/audit',
    title: 'audit.title',
    Icon: ScrollText,
    key: 'l',
    View: lazy(() => import('./audit/audit.tsx')),
  },
  {
    path: '/transparency',
    href: '/transparency',
    title: 'transparency.title',
    Icon: FileChartColumn,
    key: 't',
    View: lazy(() => import('./transparency/transparency.tsx')),
  },
  {
    path: '/settings',
    href: '/settings',
    title: 'settings.title',
    Icon: Settings2,
    key: 's',
    forAdmins: true,
    View: lazy(() => import('./settings/settings.tsx')),
  },
]
