// The address that the page was loaded with, if it is that of a screen for people who are signed in.
let opened: string | null = /^\/(chats|me|nearby|people|settings)(\/|$)/.test(location.pathname)
  ? location.pathname + location.search
  : null

/** The screen to show after signing in: the one that was opened, as by a link in a mail, or the people nearby. */
export const openedPage = () => opened ?? '/nearby'

/** Call this when a screen is shown: whoever signs out and in again begins anew. */
export const forgetOpenedPage = () => {
  opened = null
}
