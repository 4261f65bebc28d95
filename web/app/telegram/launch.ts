// Telegram opens the app with its launch parameters in the fragment.
const key = 'convene:telegram'

function launched(): boolean {
  try {
    if (/[#&]tgWebAppVersion=/.test(location.hash)) sessionStorage.setItem(key, location.hash.slice(1))
    return sessionStorage.getItem(key) !== null
  } catch {
    return /[#&]tgWebAppVersion=/.test(location.hash)
  }
}

/** Whether Telegram shows the app. Remembered across reloads. */
export const isInTelegram = launched()
