import { useChats, useConnection, useSession } from 'convene-client/react'
import { MapPin, MessageCircle, UserRound } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Link, Redirect, Route, Switch, useRoute } from 'wouter'
import { SkeletonRows, State } from '../shared/ui/state.tsx'
import { useLanguage } from './language.tsx'
import styles from './shell.module.css'

// Each screen is fetched when it is first shown.
const Welcome = lazy(() => import('./account/welcome.tsx'))
const SignIn = lazy(() => import('./account/sign-in.tsx'))
const SignUp = lazy(() => import('./account/sign-up.tsx'))
const Nearby = lazy(() => import('./people/nearby.tsx'))
const Person = lazy(() => import('./people/person.tsx'))
const Chats = lazy(() => import('./chats/chats.tsx'))
const Chat = lazy(() => import('./chats/chat.tsx'))
const Me = lazy(() => import('./settings/me.tsx'))
const Settings = lazy(() => import('./settings/settings.tsx'))

/** Every screen of the app, by its path. */
export function Shell() {
  const { t } = useLanguage()
  const state = useSession(({ state }) => state)
  return (
    <Suspense fallback={<SkeletonRows label={t('app.loading')} />}>
      {state === 'signed-in' ? <SignedIn /> : <SignedOut />}
    </Suspense>
  )
}

function SignedOut() {
  return (
    <Switch>
      <Route path="/sign-in" component={SignIn} />
      <Route path="/sign-up" component={SignUp} />
      <Route component={Welcome} />
    </Switch>
  )
}

function SignedIn() {
  const { t } = useLanguage()
  const isOffline = useConnection(({ state }) => state === 'offline')
  const [isChat] = useRoute('/chats/:id')
  return (
    <div className={styles.shell}>
      <main className={styles.main}>
        {isOffline && (
          <p className={styles.offline} role="status">
            {t('app.offline')}
          </p>
        )}
        <Switch>
          <Route path="/">
            <Redirect to="/nearby" replace />
          </Route>
          <Route path="/nearby" component={Nearby} />
          <Route path="/people/:id" component={Person} />
          <Route path="/chats" component={Chats} />
          <Route path="/chats/:id" component={Chat} />
          <Route path="/me" component={Me} />
          <Route path="/settings/:part?" component={Settings} />
          <Route>
            <State title={t('app.notFound')} action={<Link href="/nearby">{t('places.nearby')}</Link>} />
          </Route>
        </Switch>
      </main>
      <Places isAway={isChat} />
    </div>
  )
}

function Places({ isAway }: { isAway: boolean }) {
  const { t } = useLanguage()
  const unread = useChats(({ unreadTotal }) => unreadTotal)
  const places = [
    { path: '/nearby', label: t('places.nearby'), Icon: MapPin },
    { path: '/chats', label: t('places.chats'), Icon: MessageCircle, unread },
    { path: '/me', label: t('places.me'), Icon: UserRound },
  ]
  return (
    <nav className={`${styles.places} ${isAway ? styles.away : ''}`} aria-label={t('places.navigation')}>
      {places.map(({ path, label, Icon, unread = 0 }) => (
        <Place key={path} path={path}>
          <span className={styles.symbol}>
            <Icon size={24} aria-hidden />
            {unread > 0 && (
              <span className={styles.badge} aria-label={t('places.unread', { count: unread })}>
                {unread > 99 ? '99+' : unread}
              </span>
            )}
          </span>
          {label}
        </Place>
      ))}
    </nav>
  )
}

function Place({ path, children }: { path: string; children: React.ReactNode }) {
  const [isHere] = useRoute(`${path}/*?`)
  return (
    <Link href={path} className={styles.place} aria-current={isHere ? 'page' : undefined}>
      {children}
    </Link>
  )
}
