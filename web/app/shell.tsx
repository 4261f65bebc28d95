import { useChats, useConnection, useConvene, useSession } from 'convene-client/react'
import { MapPin, MessageCircle, UserRound } from 'lucide-react'
import { Activity, type ComponentType, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Link, Redirect, Route, Switch, useLocation, useRoute } from 'wouter'
import { forgetDrafts } from '../shared/kept-drafts.ts'
import { leaveFocus } from '../shared/ui/focus.ts'
import { SkeletonRows } from '../shared/ui/state.tsx'
import { Banners } from './account/banners.tsx'
import banner from './account/banners.module.css'
import { forgetOpenedPage, openedPage } from './account/opened-page.ts'
import { Crashes } from './crashes.tsx'
import { useLanguage } from './language.tsx'
import { NotFound } from './not-found.tsx'
import { fetchedScreen, fetchScreen, type ScreenName } from './screens.ts'
import styles from './shell.module.css'
import { useTelegram } from './telegram/telegram.tsx'
import { useReadNotifications } from './updates.tsx'

/**
 * A screen in a separate file. If it has been fetched already, it is shown at once: `lazy` would first show a skeleton, which
 * React keeps for 300 ms.
 */
function screen(name: ScreenName): ComponentType {
  const Later = lazy(() => fetchScreen(name))
  return function Screen() {
    const [Shown] = useState<ComponentType>(() => fetchedScreen(name) ?? Later)
    return <Shown />
  }
}

const Welcome = screen('welcome')
const SignIn = screen('signIn')
const SignUp = screen('signUp')
const Forgot = screen('forgot')
const Nearby = screen('nearby')
const Person = screen('person')
const Conversations = screen('conversations')
const Me = screen('me')
const Settings = screen('settings')
const LinkPage = lazy(() => import('./account/link-page.tsx'))
const SignedInByProvider = lazy(() => import('./account/signed-in.tsx'))
const Ended = lazy(() => import('./account/ended.tsx'))
const ConsentGate = lazy(() => import('./account/consent-gate.tsx'))
const FromTelegram = lazy(() => import('./account/from-telegram.tsx'))

/** Every screen of the app, by its path. */
export function Shell() {
  const { t } = useLanguage()
  return (
    <Suspense fallback={<SkeletonRows label={t('app.loading')} />}>
      <Switch>
        {/* The pages of links in mails are the same for everybody, signed in or not. */}
        <Route path="/verify">
          <LinkPage kind="verify" />
        </Route>
        <Route path="/reset">
          <LinkPage kind="reset" />
        </Route>
        <Route path="/email-undo">
          <LinkPage kind="undo" />
        </Route>
        <Route path="/unsubscribe">
          <LinkPage kind="unsubscribe" />
        </Route>
        <Route path="/signed-in" component={SignedInByProvider} />
        <Route>
          <BySession />
        </Route>
      </Switch>
    </Suspense>
  )
}

function BySession() {
  const { state, user, reason } = useSession()
  const telegram = useTelegram()
  const [isForgot] = useRoute('/forgot-password')
  const [, navigate] = useLocation()
  const isSignedOut = state === 'signed-out'
  const wasSignedOut = useRef(isSignedOut)
  useEffect(() => {
    // Whoever has signed out or erased the account was in the settings. The next user begins at the start.
    if (isSignedOut && !wasSignedOut.current) {
      forgetDrafts()
      navigate('/', { replace: true })
    }
    wasSignedOut.current = isSignedOut
  }, [isSignedOut, navigate])
  if (isSignedOut) return telegram?.sdk.initData ? <FromTelegram telegram={telegram} /> : <SignedOut />
  if (state === 'ended' && isForgot) return <Forgot />
  return (
    <>
      {/* The screens stay mounted, so that drafts are still there after signing in again. */}
      <Activity mode={state === 'ended' ? 'hidden' : 'visible'} key={user?.id}>
        {user && <SignedIn />}
      </Activity>
      {state === 'ended' && <Ended reason={reason} user={user} />}
    </>
  )
}

function SignedOut() {
  return (
    <Switch>
      <Route path="/sign-in" component={SignIn} />
      <Route path="/sign-up" component={SignUp} />
      <Route path="/forgot-password" component={Forgot} />
      <Route component={Welcome} />
    </Switch>
  )
}

function SignedIn() {
  const { t } = useLanguage()
  const [path] = useLocation()
  const [isChat] = useRoute('/chats/:id')
  const missing = useSession(({ user }) => user?.consents_missing.join(' ') ?? '')
  const [isLater, setIsLater] = useState(false)
  const isGated = missing !== '' && !isLater
  useEffect(() => {
    if (!isGated) forgetOpenedPage()
  }, [isGated])
  if (isGated) return <ConsentGate missing={missing} onLater={() => setIsLater(true)} />
  return (
    <div className={styles.shell}>
      <main className={styles.main}>
        <Connection />
        <Banners onConsents={() => setIsLater(false)} />
        <Crashes key={path.split('/')[1]} isScreen>
          <Suspense fallback={<SkeletonRows label={t('app.loading')} />}>
            <Switch>
              <Route path="/nearby" component={Nearby} />
              <Route path="/people/:id" component={Person} />
              <Route path="/chats/:id?" component={Conversations} />
              <Route path="/me/:part?" component={Me} />
              <Route path="/settings/:part?" component={Settings} />
              <Route path="/:place?">{({ place }) => <Elsewhere place={place} />}</Route>
              <Route>
                <Unknown />
              </Route>
            </Switch>
          </Suspense>
        </Crashes>
      </main>
      <Places isAway={isChat} />
    </div>
  )
}

/** Paths for people who are not signed in lead to the page that was opened, or else to the start page. */
function Elsewhere({ place }: { place: string | undefined }) {
  const [target] = useState(openedPage)
  const isAccount = place === undefined || ['welcome', 'sign-in', 'sign-up', 'forgot-password'].includes(place)
  return isAccount ? <Redirect to={target} replace /> : <Unknown />
}

function Unknown() {
  const { t } = useLanguage()
  return <NotFound href="/nearby" label={t('places.nearby')} />
}

/** Says that the device is offline, or that the connection which brings messages has stopped for good. */
function Connection() {
  const { t } = useLanguage()
  const client = useConvene()
  const state = useConnection(({ state }) => state)
  const isStopped = state === 'stopped'
  const text = state === 'offline' ? t('app.offline') : isStopped ? t('app.stopped') : null
  // Screen readers announce a change only in an element that exists before.
  return (
    <div className={text === null ? undefined : banner.banner}>
      <p role="status">{text}</p>
      {isStopped && (
        <button ref={leaveFocus} type="button" onClick={() => client.connect()}>
          {t('app.reconnect')}
        </button>
      )}
    </div>
  )
}

function Places({ isAway }: { isAway: boolean }) {
  const { t } = useLanguage()
  const unread = useChats(({ unreadTotal }) => unreadTotal)
  useReadNotifications()
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
              <span className={styles.badge}>
                <span aria-hidden>{unread > 99 ? '99+' : unread}</span>
                <span className="unseen">{t('places.unread', { count: unread })}</span>
              </span>
            )}
          </span>
          {label}
        </Place>
      ))}
    </nav>
  )
}

function Place({ path, children }: { path: string; children: ReactNode }) {
  const [isHere] = useRoute(path)
  const [isBelow] = useRoute(`${path}/*?`)
  const [isSettings] = useRoute('/settings/*?')
  const isAround = isBelow || (isSettings && path === '/me')
  return (
    <Link href={path} className={styles.place} aria-current={isHere ? 'page' : isAround ? 'true' : undefined}>
      {children}
    </Link>
  )
}
