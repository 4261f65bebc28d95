import { useSession } from 'convene-client/react'
import {
  Ban,
  Bell,
  ChevronRight,
  Database,
  FileText,
  Flag,
  Globe,
  KeyRound,
  Laptop,
  LogOut,
  Mail,
  Smartphone,
} from 'lucide-react'
import { type ComponentType, lazy, useState } from 'react'
import { Link, useParams } from 'wouter'
import { nameOfLanguage } from '../../shared/texts.ts'
import { LegalLinks } from '../account/legal.tsx'
import { useBrand } from '../../shared/brand.tsx'
import { InstallCard } from '../install.tsx'
import { useLanguage } from '../language.tsx'
import { NotFound } from '../not-found.tsx'
import { Group, Part } from './loaded.tsx'
import styles from './settings.module.css'
import { SignOutSheet } from './sign-out-sheet.tsx'

const parts: Record<string, ComponentType> = {
  notifications: lazy(() => import('./notifications.tsx')),
  devices: lazy(() => import('./channels.tsx')),
  sessions: lazy(() => import('./sessions.tsx')),
  'sign-in': lazy(() => import('./identities.tsx')),
  email: lazy(() => import('./email.tsx')),
  language: lazy(() => import('./language.tsx')),
  data: lazy(() => import('./data.tsx')),
  erase: lazy(() => import('./erase.tsx')),
  reports: lazy(() => import('./reports.tsx')),
  blocked: lazy(() => import('./blocked.tsx')),
}

export default function Settings() {
  const { t } = useLanguage()
  const { part } = useParams<{ part?: string }>()
  if (part === undefined) return <Overview />
  const Shown = parts[part]
  return Shown ? <Shown /> : <NotFound href="/settings" label={t('settings.title')} />
}

const left = { scrollTop: 0 }

function Overview() {
  const { t, language } = useLanguage()
  const { version } = useBrand()
  const email = useSession(({ user }) => user?.email ?? null)
  const groups = [
    [
      { path: 'notifications', Icon: Bell, label: t('settings.notifications.title') },
      { path: 'devices', Icon: Smartphone, label: t('settings.devices.title') },
    ],
    [
      { path: 'sign-in', Icon: KeyRound, label: t('settings.identities.title') },
      { path: 'email', Icon: Mail, label: t('settings.email.title'), value: email ?? t('settings.email.none') },
      { path: 'sessions', Icon: Laptop, label: t('settings.sessions.title') },
    ],
    [{ path: 'language', Icon: Globe, label: t('settings.language.title'), value: nameOfLanguage(language) }],
    [
      { path: 'blocked', Icon: Ban, label: t('settings.blocked.title') },
      { path: 'reports', Icon: Flag, label: t('settings.reports.title') },
      { path: 'data', Icon: Database, label: t('settings.data.title') },
    ],
  ]
  return (
    <Part title={t('settings.title')} back="/me" left={left}>
      <InstallCard />
      {groups.map((rows) => (
        <nav key={rows[0]?.path} className={styles.list} aria-label={rows.map(({ label }) => label).join(', ')}>
          {rows.map(({ path, Icon, label, ...row }) => (
            <Link key={path} href={`/settings/${path}`} className={styles.row}>
              <Icon size={22} aria-hidden />
              <span className={styles.text}>
                {label}
                {'value' in row && <span className={styles.quiet}> · {row.value}</span>}
              </span>
              <ChevronRight size={20} aria-hidden />
            </Link>
          ))}
        </nav>
      ))}
      <SignOut />
      <Group>
        <LegalLinks />
        {version !== '' && <p className={styles.quiet}>{t('settings.version', { version })}</p>}
      </Group>
    </Part>
  )
}

function SignOut() {
  const { t } = useLanguage()
  const [isAsked, setIsAsked] = useState(false)
  return (
    <div className={styles.list}>
      <button type="button" className={styles.row} onClick={() => setIsAsked(true)}>
        <LogOut size={22} aria-hidden />
        {t('settings.signOut')}
      </button>
      <Link href="/settings/erase" className={`${styles.row} ${styles.danger}`}>
        <FileText size={22} aria-hidden />
        {t('settings.erase.title')}
      </Link>
      {isAsked && <SignOutSheet onClose={() => setIsAsked(false)} />}
    </div>
  )
}
