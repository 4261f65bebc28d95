import { useConvene } from 'convene-client/react'
import { createContext, type ReactNode, use, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import { SkeletonRows } from '../../shared/ui/state.tsx'
import { AccountLayout } from '../account/layout.tsx'
import { languageOf, useLanguage } from '../language.tsx'
import { type Failure, failureOf } from '../requests.ts'
import { canGoBack } from '../people/screen.tsx'
import { isInTelegram } from './launch.ts'
import type { Sdk } from './sdk.ts'

type Telegram = {
  sdk: Sdk
  /** Why the Telegram user could not be signed in. */
  failure: Failure | null
  signIn: (given?: { invite?: string; birthDate?: string }) => Promise<void>
}

const TelegramContext = createContext<Telegram | null>(null)

/** Null outside of Telegram. */
export const useTelegram = (): Telegram | null => use(TelegramContext)

/** In Telegram, signs the user in before anything is shown. Elsewhere, it does nothing. */
export function TelegramProvider({ children }: { children: ReactNode }) {
  return isInTelegram ? <InTelegram>{children}</InTelegram> : children
}

function InTelegram({ children }: { children: ReactNode }) {
  const { t, setLanguage } = useLanguage()
  const client = useConvene()
  const [telegram, setTelegram] = useState<Telegram | null>(null)
  const [isBroken, setIsBroken] = useState(false)
  const [, navigate] = useLocation()
  const isStarted = useRef(false)

  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    // If the SDK cannot start, this is not really Telegram: show the app as in a browser.
    start().catch(() => setIsBroken(true))

    async function start() {
      const sdk = (await import('./sdk.ts')).startSdk()
      const isLaunch = location.hash !== ''
      // The init data is a credential, so remove it from the address bar.
      history.replaceState(history.state, '', location.pathname + location.search)
      const language = languageOf(sdk.language)
      // If this fails, the page keeps its language.
      if (language) setLanguage(language).catch(() => {})
      const show = (failure: Failure | null) => setTelegram({ sdk, failure, signIn })
      const signIn = async ({ invite, birthDate }: { invite?: string; birthDate?: string } = {}) => {
        try {
          if (sdk.initData === null) return show(null)
          await client.signIn({ initData: sdk.initData, ...(invite && { invite }), ...(birthDate && { birthDate }) })
          show(null)
        } catch (error) {
          show(failureOf(error))
        }
      }
      await client.ready
      // Telegram keeps one storage for all of its accounts, so the session may be that of another one.
      const known = client.session.get().user?.messenger_id ?? null
      if (known !== null && sdk.userId !== null && known !== sdk.userId) await client.signOut()
      if (client.session.get().state === 'signed-in') show(null)
      else await signIn()
      // Also while the sign-in lacks something, such as an invitation: it ends at this path. A reload stays where it is.
      const linked = pathOf(sdk.startParam ?? '')
      if (linked !== null && isLaunch) navigate(linked, { replace: true })
    }
  }, [client, navigate, setLanguage])

  if (isBroken) return children
  if (!telegram)
    return (
      <AccountLayout title={t('account.signingIn')} isLoading>
        <SkeletonRows label={t('app.loading')} count={2} />
      </AccountLayout>
    )
  return (
    <TelegramContext value={telegram}>
      <BackButton sdk={telegram.sdk} />
      {children}
    </TelegramContext>
  )
}

/** The path that a link of the bot opens: `chat_<id>` is a chat, `user_<id>` a profile. */
function pathOf(startParam: string): string | null {
  const [, kind, id] = /^(chat|user)_([0-9a-f-]{36})$/.exec(startParam) ?? []
  return kind === undefined ? null : `/${kind === 'chat' ? 'chats' : 'people'}/${id}`
}

const places = ['/', '/nearby', '/chats', '/me']

const openSheet = () => [...document.querySelectorAll('dialog[open]')].at(-1)
function followSheets(changed: () => void) {
  const observer = new MutationObserver(changed)
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['open'] })
  return () => observer.disconnect()
}

/** Telegram's own button, except on the main places: there it closes the app, unless a sheet is open. */
function BackButton({ sdk }: { sdk: Sdk }) {
  const [path, navigate] = useLocation()
  const hasSheet = useSyncExternalStore(followSheets, () => openSheet() !== undefined)
  const isShown = hasSheet || !places.includes(path)
  useEffect(() => {
    if (!isShown) return
    return sdk.showBack(() => {
      const sheet = openSheet()
      if (sheet) sheet.dispatchEvent(new Event('cancel', { cancelable: true }))
      else if (canGoBack() ?? history.length > 1) history.back()
      else navigate('/nearby')
    })
  }, [isShown, sdk, navigate])
  return null
}

/** Shows the main action of a screen as Telegram's main button. Returns whether it does; then the screen hides its own button. */
export function useMainButton(text: string, isEnabled: boolean, isBusy: boolean, onPress: () => void): boolean {
  const sdk = useTelegram()?.sdk
  const pressed = useRef(onPress)
  pressed.current = onPress
  useEffect(() => sdk?.showMain(text, isEnabled, isBusy, () => pressed.current()), [sdk, text, isEnabled, isBusy])
  return sdk !== undefined
}
