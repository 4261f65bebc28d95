// Loaded only in Telegram.
import './theme.css'
import {
  backButton,
  hapticFeedback,
  init,
  locationManager,
  mainButton,
  miniApp,
  openTelegramLink,
  retrieveLaunchParams,
  retrieveRawInitData,
  themeParams,
  viewport,
} from '@tma.js/sdk'

export type Sdk = ReturnType<typeof startSdk>

/** Tells Telegram that the app is ready, applies its colours and safe areas, and returns the functions that the app uses. */
export function startSdk() {
  // Our content security policy forbids the styles that Telegram would add to the page, so the colours come as variables.
  init({ acceptCustomStyles: false })
  const { tgWebAppStartParam, tgWebAppData } = retrieveLaunchParams()
  for (const part of [miniApp, themeParams, backButton, mainButton]) part.mount.ifAvailable()
  if (themeParams.isMounted()) themeParams.bindCssVars()
  const follow = () => document.documentElement.setAttribute('data-scheme', miniApp.isDark() ? 'dark' : 'light')
  follow()
  miniApp.isDark.sub(follow)
  document.documentElement.setAttribute('data-telegram', '')
  if (viewport.mount.isAvailable())
    viewport
      .mount()
      .then(() => {
        viewport.bindCssVars()
        viewport.expand.ifAvailable()
      })
      .catch(() => {})
  miniApp.ready.ifAvailable()
  return {
    initData: retrieveRawInitData() ?? null,
    userId: tgWebAppData?.user ? String(tgWebAppData.user.id) : null,
    startParam: tgWebAppData?.start_param ?? tgWebAppStartParam ?? null,
    language: tgWebAppData?.user?.language_code,
    haptic: (kind: 'success' | 'error') => void hapticFeedback.notificationOccurred.ifAvailable(kind),
    /**
     * Asks Telegram for the device's position. `unsupported`: this version of Telegram cannot provide it, but the browser may.
     * If the user has refused before, Telegram's settings for this app are opened.
     */
    async askPosition(): Promise<{ latitude: number; longitude: number } | 'denied' | 'unsupported'> {
      if (!locationManager.isSupported()) return 'unsupported'
      if (!locationManager.isMounted()) await locationManager.mount()
      if (!locationManager.isAvailable()) return 'unsupported'
      if (locationManager.isAccessRequested() && !locationManager.isAccessGranted()) {
        locationManager.openSettings.ifAvailable()
        return 'denied'
      }
      return (await locationManager.requestLocation()) ?? 'denied'
    },
    /** Opens a link to t.me. As a usual link, it would open in the app's own frame, which t.me does not allow. */
    openLink: (url: string) => void openTelegramLink(url),
    /** Shows Telegram's back button. Returns a function that hides it. */
    showBack(onPress: () => void) {
      backButton.show.ifAvailable()
      const off = backButton.onClick.ifAvailable(onPress)
      return () => {
        if (off.ok) off.data()
        backButton.hide.ifAvailable()
      }
    },
    /** Shows Telegram's main button. Returns a function that hides it. */
    showMain(text: string, isEnabled: boolean, isBusy: boolean, onPress: () => void) {
      mainButton.setParams.ifAvailable({
        text,
        isVisible: true,
        isEnabled: isEnabled && !isBusy,
        isLoaderVisible: isBusy,
      })
      const off = mainButton.onClick.ifAvailable(onPress)
      return () => {
        if (off.ok) off.data()
        mainButton.setParams.ifAvailable({ isVisible: false, isLoaderVisible: false })
      }
    },
  }
}
