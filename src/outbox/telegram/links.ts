/**
 * A link that opens the mini-app. `app` is its short name; without one it is the bot's main mini-app. `start` is what the
 * app gets as `start_param`: letters, digits, `_` and `-`.
 */
export function appLink(bot: string, app: string | null, start: string | null): string {
  const path = app === null ? '' : `/${app}`
  if (start === null) return `https://t.me/${bot}${path}${app === null ? '?startapp' : ''}`
  return `https://t.me/${bot}${path}?startapp=${start}`
}
