import { useConvene } from 'convene-client/react'
import { Keyboard, LogOut, Menu, X } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { Link, Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { useBrand } from '../shared/brand.tsx'
import { IconButton } from '../shared/ui/button.tsx'
import { useToast } from '../shared/ui/toasts.tsx'
import { Crashes } from './crashes.tsx'
import { KeyLine, KeyPanel } from './key-panel.tsx'
import { useKeys } from './keys.tsx'
import { languages, useLanguage } from './language.tsx'
import { UndoProvider } from './queue/undo-bar.tsx'
import { failureOf, failureText } from './requests.ts'
import { applyScheme, type Scheme, schemeChosen, schemes } from './scheme.ts'
import { type Screen, screens } from './screens.ts'
import styles from './shell.module.css'
import { useStaff } from './staff.tsx'
import { Empty, Skeleton } from './ui/loaded.tsx'
import { Page } from './ui/page.tsx'

/** The frame of the console: the navigation, the screen, and the line of keys below it. */
export function Shell() {
  return (
    <Router base="/console">
      <Frame />
    </Router>
  )
}

const useScreens = (): readonly Screen[] => {
  const { isAdmin } = useStaff()
  return screens.filter(({ forAdmins }) => isAdmin || !forAdmins)
}

function Frame() {
  const { t } = useLanguage()
  const [location, navigate] = useLocation()
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const [areKeysShown, setAreKeysShown] = useState(false)
  const shown = useScreens()
  useKeys(t('console.keys.everywhere'), [
    ...shown.map(({ key, href, title }) => ({ keys: `g ${key}`, label: t(title), run: () => navigate(href) })),
    { keys: '?', label: t('console.keys.show'), inLine: true, run: () => setAreKeysShown((before) => !before) },
  ])
  // On a small screen, the menu would cover the chosen screen.
  useEffect(() => setIsMenuOpen(false), [location])
  const menuButton = useRef<HTMLButtonElement>(null)
  const screen = useRef<HTMLElement>(null)
  useKeys(
    t('console.navigation'),
    isMenuOpen
      ? [
          {
            keys: 'Escape',
            label: t('console.menu.close'),
            inFields: true,
            run: () => {
              setIsMenuOpen(false)
              menuButton.current?.focus()
            },
          },
        ]
      : [],
  )
  // Also if the chosen screen is the one that is shown already. The link disappears with the focus in it.
  const onChosen = () => {
    if (!isMenuOpen) return
    setIsMenuOpen(false)
    screen.current?.focus()
  }
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#screen">
        {t('console.skip')}
      </a>
      <header className={`${styles.side} ${isMenuOpen ? styles.open : ''}`}>
        <div className={styles.top}>
          <Brand onChosen={onChosen} />
          <span className={styles.menuButton}>
            <IconButton
              ref={menuButton}
              label={t(isMenuOpen ? 'console.menu.close' : 'console.menu.open')}
              aria-expanded={isMenuOpen}
              aria-controls="menu"
              onClick={() => setIsMenuOpen((before) => !before)}
            >
              {isMenuOpen ? <X size={18} aria-hidden /> : <Menu size={18} aria-hidden />}
            </IconButton>
          </span>
        </div>
        <div className={styles.menu} id="menu">
          <nav aria-label={t('console.navigation')}>
            <ul className={styles.places}>
              {shown.map((screen) => (
                <li key={screen.path}>
                  <Place screen={screen} onChosen={onChosen} />
                </li>
              ))}
            </ul>
          </nav>
          <Account onKeys={() => setAreKeysShown((before) => !before)} />
        </div>
      </header>
      <main ref={screen} className={styles.screen} id="screen" tabIndex={-1}>
        <UndoProvider>
          {/* The other screens go on, and with them what is written there. */}
          <Crashes key={location.split('/')[1]} isScreen>
            <Suspense fallback={<Skeleton />}>
              <Switch>
                <Route path="/">
                  <Redirect to="/queue" replace />
                </Route>
                {shown.map(({ path, View }) => (
                  <Route key={path} path={path}>
                    <View />
                  </Route>
                ))}
                {screens.map(
                  ({ path, title }) =>
                    !shown.some((each) => each.path === path) && (
                      <Route key={path} path={path}>
                        <Page title={t(title)}>
                          <Empty title={t('console.forAdmins')}>
                            <Link href="/queue">{t('queue.title')}</Link>
                          </Empty>
                        </Page>
                      </Route>
                    ),
                )}
                <Route>
                  <Page title={t('console.notFound')}>
                    <Empty title={t('console.notFound')}>
                      <Link href="/queue">{t('queue.title')}</Link>
                    </Empty>
                  </Page>
                </Route>
              </Switch>
            </Suspense>
          </Crashes>
        </UndoProvider>
      </main>
      {areKeysShown && <KeyPanel onClose={() => setAreKeysShown(false)} />}
      <KeyLine onAll={() => setAreKeysShown((before) => !before)} />
      <Titles shown={shown} />
    </div>
  )
}

/** `onChosen` is called when the link is followed. */
type LinkProps = { onChosen: () => void }

function Brand({ onChosen }: LinkProps) {
  const { t } = useLanguage()
  const { name, logo } = useBrand()
  return (
    <Link href="/queue" className={styles.brand} onClick={onChosen}>
      {logo === null ? <span className={styles.mark} aria-hidden /> : <img src={logo} alt="" width={20} height={20} />}
      <span>{t('console.name', { name })}</span>
    </Link>
  )
}

function Place({ screen: { href, title, Icon }, onChosen }: LinkProps & { screen: Screen }) {
  const { t } = useLanguage()
  const [location] = useLocation()
  const isHere = location === href
  const isBelow = location.startsWith(`${href}/`)
  return (
    <Link
      href={href}
      className={styles.place}
      aria-current={isHere ? 'page' : isBelow ? 'true' : undefined}
      onClick={onChosen}
    >
      <Icon size={16} aria-hidden />
      <span>{t(title)}</span>
    </Link>
  )
}

/** Sets the document's title to the name of the screen, for the tab and screen readers. */
function Titles({ shown }: { shown: readonly Screen[] }) {
  const { t } = useLanguage()
  const { name } = useBrand()
  const [location] = useLocation()
  const screen = shown.find(({ href }) => location === href || location.startsWith(`${href}/`))
  useEffect(() => {
    document.title = [screen && t(screen.title), t('console.name', { name })].filter(Boolean).join(' · ')
  }, [screen, t, name])
  return null
}

function Account({ onKeys }: { onKeys: () => void }) {
  const { t, chosen, setLanguage } = useLanguage()
  const toast = useToast()
  const client = useConvene()
  const { name, isAdmin } = useStaff()
  const [scheme, setScheme] = useState<Scheme>(schemeChosen)
  return (
    <div className={styles.account}>
      <p className={styles.who}>
        <span className={styles.whoName}>{name ?? t('console.you')}</span>
        <span className={styles.role}>{t(isAdmin ? 'console.role.admin' : 'console.role.moderator')}</span>
      </p>
      <div className={styles.choices}>
        <select
          aria-label={t('console.language')}
          value={chosen}
          onChange={(event) =>
            void setLanguage(event.target.value).catch((error) => toast(failureText(t, failureOf(error))))
          }
        >
          {languages().map(([each, label]) => (
            <option key={each} value={each} lang={each}>
              {label}
            </option>
          ))}
        </select>
        <select
          aria-label={t('console.scheme')}
          value={scheme}
          onChange={(event) => {
            const chosen = schemes.find((each) => each === event.target.value) ?? 'auto'
            applyScheme(chosen)
            setScheme(chosen)
          }}
        >
          {schemes.map((each) => (
            <option key={each} value={each}>
              {t(`console.scheme.${each}`)}
            </option>
          ))}
        </select>
      </div>
      <div className={styles.choices}>
        <button type="button" className={styles.small} onClick={onKeys}>
          <Keyboard size={14} aria-hidden />
          {t('console.keys.title')}
        </button>
        <button type="button" className={styles.small} onClick={() => client.signOut()}>
          <LogOut size={14} aria-hidden />
          {t('console.signOut')}
        </button>
      </div>
    </div>
  )
}
