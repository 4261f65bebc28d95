const isScreen = (path: string) => /^\/(chats|me|nearby|people|settings)([/?]|$)/.test(path)

/** The screen that a path names, or that the page of a provider's sign-in is to lead to. */
function screenOf({ pathname, search }: Location): string | null {
  const path = pathname === '/signed-in' ? (new URLSearchParams(search).get('page') ?? '') : pathname + search
  return isScreen(path) ? path : null
}

// What the page was loaded with, if that is a screen for people who are signed in.
let opened = screenOf(location)

/** The screen to show after signing in: the one that was opened, as by a link in a mail, or the people nearby. */
export const openedPage = () => opened ?? '/nearby'

/** Where a provider sends the browser back to, from where `openedPage` is shown. */
export function returnPage(): string {
  // Whoever signs in again, after their session ended, stays on their screen.
  const page = screenOf(location) ?? opened
  return page === null ? '/signed-in' : `/signed-in?page=${encodeURIComponent(page)}`
}

/** Call this when a screen is shown: whoever signs out and in again begins anew. */
export const forgetOpenedPage = () => {
  opened = null
}
